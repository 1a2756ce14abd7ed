"""Published rows are together by harness, and nothing says that a model of one is better than of another."""

import re

from tests.support.factories import send
from tests.support.pages.visible_text import text_of
from tests.support.reported import state

BOARD = "/benchmarks/medagentbench-demo/"


def three(board, user):
    state(board, user, system="A with h1", harness_name="h1", score="90", correct="45")
    state(board, user, system="B with h2", harness_name="h2", score="80", correct="40", saw_test="possibly")
    state(board, user, system="C with h1", harness_name="h1", score="60", correct="30")


def order_of(html):
    return re.findall(r"Harness: h\d|[ABC] with h\d(?=</a>)", html)


def test_rows_of_one_harness_follow_each_other_best_first(visitor, demo, user):
    three(demo, user)
    html = visitor.get(BOARD).content.decode()
    assert order_of(html) == ["Harness: h1", "A with h1", "C with h1", "Harness: h2", "B with h2"]
    assert "It may have seen these tasks before." in html


def test_a_reader_who_sorts_gets_one_order_without_groups(visitor, demo, user):
    three(demo, user)
    assert order_of(visitor.get(f"{BOARD}?sort=score").content.decode()) == [
        "C with h1",
        "B with h2",
        "A with h1",
    ]


def test_beside_verified_rows_they_are_folded_and_do_not_lead_unsaid(visitor, demo, user, good_file):
    three(demo, user)
    send(user, demo, good_file, publish=True)  # 94%
    html = visitor.get(BOARD).content.decode()
    assert '<details class="section" id="reported-0">' in html
    assert "was published elsewhere and not rescored here" not in html
    state(demo, user, system="D with h3", harness_name="h3", score="98", correct="49")
    text = text_of(visitor.get(BOARD))
    assert "The result that is first here was published elsewhere and not rescored here." in text
    assert "their order does not say which model is better" in text


def test_the_page_of_a_system_says_who_scored_it_and_with_which_grader(visitor, demo, user):
    result = state(demo, user, saw_test="possibly", runs="3")
    text = text_of(visitor.get(f"/systems/{result.system_id}/"))
    assert "The official grader run by the authors" in text
    assert "Saw the tasks before Possibly" in text
    assert "Runs 3" in text
