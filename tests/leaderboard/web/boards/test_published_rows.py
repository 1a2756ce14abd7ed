"""Published rows are in the order of ranks, whatever their harness, and each names its own."""

import re

from tests.support.factories import send
from tests.support.pages.table import names_in, ranks_in
from tests.support.pages.visible_text import text_of
from tests.support.reported import state

BOARD = "/benchmarks/medagentbench-demo/"


def three(board, user):
    state(board, user, system="A with h1", harness_name="h1", score="90", correct="45")
    state(board, user, system="B", harness_name="h2, 8 rounds", score="80", correct="40", saw_test="possibly")
    state(board, user, system="C with h1", harness_name="h1", score="60", correct="30")


def test_beside_verified_rows_they_are_marked_and_have_no_rank(visitor, demo, user, good_file):
    three(demo, user)
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
