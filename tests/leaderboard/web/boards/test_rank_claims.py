"""What a page of a board says of ranks: intervals, ties, lines, and the sentence at its head."""

from leaderboard.models import BoardState, Submission
from leaderboard.services.publishing import publish
from leaderboard.services.statistics import compute
from tests.support.addresses import BOARD
from tests.support.pages.table import names_in, ranks_in
from tests.support.pages.visible_text import text_of
from tests.support.rows import put_row


def test_ranks_have_intervals_and_systems_tied_for_first_are_marked(visitor, demo, three):
    put_row(demo, "Printed", 0.93)
    assert ranks_in(visitor.get(BOARD)) == ["1", "–", "2", "3"], "by score alone"
    compute.compute_statistics(board_id=demo.pk)
    response = visitor.get(BOARD)
    content = response.content.decode()
    assert names_in(response) == ["A", "Printed", "B", "C"]
    assert ranks_in(response) == ["1 1–2", "–", "2 1–2", "3"]
    assert content.count('class="pill" title="tied for 1st">tied<') == 2
    # One line stands above the rows below all that are tied for first, in the order of ranks alone.
    [above, below] = content.split("Below, where tested: significantly lower than another system")
    assert 'aria-label="Compare B"' in above
    assert 'aria-label="Compare C"' in below
    assert "significantly lower" not in visitor.get(f"{BOARD}?sort=system").content.decode()
    assert "Below: significantly lower than another system" in text_of(
        visitor.get(f"{BOARD}?source=rescored")
    )
    # A choice of rows changes no claim, and the sentence is about all.
    response = visitor.get(f"{BOARD}?source=rescored")
    assert ranks_in(response) == ["1 1–2", "2 1–2", "3"]
    assert 'class="finding"' not in response.content.decode()


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
