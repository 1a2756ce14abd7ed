"""What a page of a board says of ranks: intervals, ties, lines, and the sentence at its head."""

from leaderboard.models import BoardState, Standing, Submission
from leaderboard.services.publishing import publish
from leaderboard.services.statistics import compute
from tests.support.addresses import BOARD
from tests.support.factories import make_published, with_wrong
from tests.support.pages.table import names_in, ranks_in
from tests.support.pages.visible_text import text_of
from tests.support.rows import put_row, raise_revision


def test_ranks_have_intervals_and_systems_tied_for_first_are_marked(visitor, demo, three):
    put_row(demo, "Printed", 0.93)  # of an unknown number of tasks
    assert ranks_in(visitor.get(BOARD)) == ["1", "2", "3", "4"], "by score alone"
    compute.compute_statistics(board_id=demo.pk)
    response = visitor.get(BOARD)
    content = response.content.decode()
    assert names_in(response) == ["A", "Printed", "B", "C"]
    assert ranks_in(response) == ["1 1–3", "2", "3 1–3", "4 3–4"]
    assert 'title="The number of tasks behind its scores is not known."' in content
    assert content.count('class="pill" title="tied for 1st">tied<') == 2
    # One line stands above the rows below all that are tied for first, in the order of ranks alone.
    [above, below] = content.split("Below, where tested: significantly lower than another system")
    assert 'aria-label="Compare B"' in above
    assert 'aria-label="Compare C"' in below
    assert "significantly lower" not in visitor.get(f"{BOARD}?sort=system").content.decode()


def test_the_finding_is_about_the_rows_that_filters_choose(visitor, demo, user, good_file, three):
    for name, wrong in (("Open 1", 30), ("Open 2", 45)):
        raw = with_wrong(good_file, wrong)
        make_published(user, demo, raw, system=name)
    Standing.objects.exclude(name__startswith="Open").update(open_weights=False)
    compute.compute_statistics(board_id=demo.pk)
    raise_revision(demo)
    text = text_of(visitor.get(f"{BOARD}?weights=open"))
    assert "Among open-weights systems: Open 1 (" in text
    assert "points (significant)." in text
    assert "Below: significantly lower than another of these systems" in text
    assert "Among the systems that match the filters: Open 1" in text_of(visitor.get(f"{BOARD}?q=open"))
    assert "Among" not in text_of(visitor.get(BOARD)).split("Methods")[0]
    # A table that is fetched by the script brings its sentence.
    partial = visitor.get(f"{BOARD}?weights=open", headers={"HX-Request": "true"}).content.decode()
    assert '<div id="finding" hx-swap-oob="true">' in partial
    assert "Among open-weights systems" in partial


def test_a_past_table_claims_nothing_about_a_result_that_was_removed_since(visitor, demo, three, user):
    compute.compute_statistics(board_id=demo.pk)
    number = BoardState.objects.get(board=demo).number
    first = Submission.objects.get(system__name="A")
    publish.withdraw(submission_id=first.pk, team=first.team, by=user)
    response = visitor.get(f"{BOARD}?as_of={number}")
    text = text_of(response)
    assert "A (9" not in text
    assert "B (9" not in text
    assert names_in(response) == ["A", "B", "C"]
    assert "tied for 1st" not in text
    assert "significantly lower" not in text.split("Rank System")[1].split("How to read")[0]
    chart = text_of(visitor.get(f"{BOARD}views/forest/?as_of={number}"))
    assert "A has the highest" not in chart
