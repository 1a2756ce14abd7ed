"""The About pages of boards."""

from leaderboard.models import Board, Feedback, Kind, Standing
from leaderboard.services.text import percent
from tests.support.factories import make_demo
from tests.support.pages.visible_text import text_of
from tests.support.rows import raise_revision

ADDRESS = "/benchmarks/medagentbench-demo/about/"


def test_figures_hidden_at_the_overall_level_are_not_listed(visitor, demo):
    assert "Query success rate" in text_of(visitor.get(ADDRESS))
    Board.objects.filter(pk=demo.pk).update(feedback=Feedback.OVERALL)
    raise_revision(demo)
    text = text_of(visitor.get(ADDRESS))
    assert "Query success rate" not in text


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
