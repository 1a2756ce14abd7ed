"""What a page says of ranks: intervals, ties, lines, the sentence at its head, and published rows."""

import re

from leaderboard.models import BoardState, Submission
from leaderboard.services.publishing import publish
from leaderboard.services.statistics import compute
from tests.support.addresses import BOARD
from tests.support.factories import send
from tests.support.pages.table import names_in, ranks_in
from tests.support.pages.visible_text import text_of
from tests.support.reported import state
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


def test_beside_verified_rows_they_are_marked_and_have_no_rank(visitor, demo, user, good_file):
    state(demo, user, system="A with h1", harness_name="h1", score="90", correct="45")
    state(demo, user, system="B", harness_name="h2, 8 rounds", score="80", correct="40", saw_test="possibly")
    state(demo, user, system="C with h1", harness_name="h1", score="60", correct="30")
    # Also where no row is verified.
    alone = visitor.get(BOARD)
    assert alone.content.decode().count('<span class="reported">as published</span>') == 3
    assert "best listed published result is 90.0% (A with h1; 50 tasks, " in text_of(alone)
    send(user, demo, good_file, publish=True)  # 94%
    response = visitor.get(BOARD)
    assert names_in(response)[1:] == ["A with h1", "B", "C with h1"]
    assert response.content.decode().count('<span class="reported">as published</span>') == 3
    state(demo, user, system="D with h3", harness_name="h3", score="98", correct="49")
    response = visitor.get(BOARD)
    # They stand at their scores, without a rank.
    assert (names_in(response)[0], ranks_in(response)) == ("D with h3", ["–", "1", "–", "–", "–"])
    text = text_of(response)
    assert "(94.0% in a single run) is listed first among ranked systems, too few to compare" in text
    assert "the order does not say which model is better" in text
    # Any two rows can be chosen, and the comparison says of which kind each is.
    chosen = re.findall(r'name="system" value="(\d+)"', response.content.decode())
    assert len(chosen) == 5
    compared = text_of(visitor.get(f"{BOARD}compare/", {"system": chosen[:2]}))
    assert re.search(r"D with h3 98.0% \([^)]*\) as published .* 94.0% \([^)]*\) verified", compared)
    assert "D with h3: Not rescored here; Wardboard has no per-task results." in compared
