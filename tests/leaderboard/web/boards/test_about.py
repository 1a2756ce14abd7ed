"""The About pages of boards."""

from leaderboard.models import Kind, Standing
from leaderboard.services.statistics.compute import compute_statistics
from leaderboard.services.text import percent
from tests.support.factories import make_demo, publish_each
from tests.support.pages.visible_text import text_of

ADDRESS = "/benchmarks/medagentbench-demo/about/"


def test_the_smallest_difference_is_that_of_a_pair_alone_and_of_a_pair_of_this_leaderboard(
    visitor, user, demo
):
    assert "50 tasks show a difference of 17.3 points in 80% of cases" in text_of(visitor.get(ADDRESS))
    publish_each(user, demo, A=0, B=1, C=2)
    compute_statistics(board_id=demo.pk)
    assert "17.3 points in 80%" in (text := text_of(visitor.get(ADDRESS)))
    assert "Among the undecided pairs here: 19.9 points." in text


def test_a_board_says_what_the_do_nothing_agent_reaches_and_where_the_literature_says_so(
    visitor, db, baseline_rows
):
    demo = make_demo(has_baseline=True)
    row = Standing.objects.get(board=demo, kind=Kind.BASELINE)
    text = text_of(visitor.get(ADDRESS))
    assert (row.name, row.total) == ("Do-nothing agent", 50)
    assert 0 < row.right < row.total
    assert f"Do-nothing agent {percent(row.score)}" in text
    assert "5.3% of the 300 tasks" in text
    assert "openreview.net" in visitor.get(ADDRESS).content.decode()
