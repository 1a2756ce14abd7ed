"""What a page of a board says of ranks: intervals, ties, lines, and the sentence at its head."""

from types import SimpleNamespace

from leaderboard.models import BoardState, Standing, Submission
from leaderboard.services.publishing import publish
from leaderboard.services.statistics import compute
from leaderboard.web.boards.rows import line_of, with_lines
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
    assert "Without the results removed since: B (" in text
    assert "was listed first." in text
    assert "A (9" not in text
    assert names_in(response) == ["A", "B", "C"]
    assert "tied for 1st" not in text
    assert "significantly lower" not in text.split("Rank System")[1].split("How to read")[0]
    chart = text_of(visitor.get(f"{BOARD}views/forest/?as_of={number}"))
    assert "A has the highest" not in chart


def lines(is_below, **table):
    """Return the lines before rows: whether each is below all that are tied for first."""
    rows = [
        SimpleNamespace(
            standing=SimpleNamespace(name=f"S{number}", system_id=number),
            place=SimpleNamespace(is_below_tied=below),
            is_reported=False,
        )
        for number, below in enumerate(is_below)
    ]
    table = SimpleNamespace(**{"line": "line", "removals": {}, "own": (), **table})
    return [line for _, _, line in with_lines(rows, table)]


def test_one_line_stands_above_the_rows_below_all_that_are_tied_for_first():
    assert lines([False, False, True, False, True]) == ["", "", "line", "", ""]
    assert lines([False, False]) == ["", ""]
    assert lines([False, True], line="") == ["", ""]
    # On a further page, all rows may be below.
    assert lines([True, True]) == ["line", ""]


def claims(*, part=False, is_partial=False):
    return SimpleNamespace(part=part, is_partial=is_partial)


def test_a_line_says_which_rows_it_is_about():
    assert line_of(claims()) == ("Below: significantly lower than another system")
    assert line_of(claims(is_partial=True)).startswith("Below, where tested: ")
    assert line_of(claims(part=True)).endswith("another of these systems")
    assert line_of(claims(part=True, is_partial=True)) == (
        "Below, where tested: significantly lower than another of these systems"
    )
