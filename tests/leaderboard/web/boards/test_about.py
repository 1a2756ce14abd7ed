"""The About pages of the site and of boards."""

from leaderboard.models import Board, Feedback, Kind, Standing
from leaderboard.services.text import percent
from tests.support.factories import make_demo
from tests.support.pages.visible_text import text_of
from tests.support.rows import raise_revision

ADDRESS = "/benchmarks/medagentbench-demo/about/"
FHIR = "/benchmarks/fhir-agentbench-demo/about/"


def test_the_site_says_what_it_is_and_what_it_keeps_of_readers(visitor, db):
    response = visitor.get("/about/")
    text = text_of(response)
    assert response.status_code == 200
    assert "Why you can trust its scores" in text
    assert "No page loads anything from another host" in text
    assert not response.cookies


def test_the_page_says_what_a_comparison_can_find_how_it_is_tested_and_how_to_cite_it(visitor, demo):
    response = visitor.get(ADDRESS)
    text = text_of(response)
    assert 'href="/docs/statistics/"' in response.content.decode()
    assert "Smallest difference 17.3 points" in text
    assert "MedAgentBench demo: leaderboard as of" in text
    assert "http://testserver/benchmarks/medagentbench-demo/?as_of=" in text


def test_a_board_that_is_judged_names_its_judge_and_its_agreement(visitor, demo, fhir_demo):
    text = text_of(visitor.get(FHIR))
    assert "Current judge Wardboard rules 6" in text
    assert "by a writer who had not read the rules" in text
    assert "Current judge" not in text_of(visitor.get(ADDRESS))


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
