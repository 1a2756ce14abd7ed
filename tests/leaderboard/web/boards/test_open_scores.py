"""Scores of which a judge left answers open: their range is shown wherever the score is."""

import json

import pytest

from leaderboard.models import Board
from leaderboard.services.boards.best_scores import list_best_scores
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.charts import specs
from leaderboard.services.judging.task_groups import load_task_groups
from leaderboard.services.publishing import publish
from leaderboard.services.text import percent_range, points
from tests.support.databases import shared_rows
from tests.support.factories import make_fhir_demo, make_published, make_user
from tests.support.pages.visible_text import text_of
from wardboard.scoring import registry
from wardboard.scoring.fhir_agentbench import demo
from wardboard.scoring.statistics.clusters import rate_interval

OPEN = 18
UNREADABLE = "Nein, vielleicht doch."


@shared_rows
def keys() -> dict[str, int]:
    """Publish a result of which 18 answers are open, and one without; return the keys of their systems."""
    board, user = make_fhir_demo(), make_user()
    records = json.loads(demo.GOOD.read_bytes())
    for record in records[:OPEN]:
        record["agent_answer"] = UNREADABLE
    files = {"Open": json.dumps(records).encode(), "Decided": demo.GOOD.read_bytes()}
    return {name: make_published(user, board, file, system=name).system_id for name, file in files.items()}


@pytest.fixture
def board(keys, fhir_demo) -> Board:
    return fhir_demo


@pytest.fixture
def words(board, keys) -> str:
    row = board.standings.get(system=keys["Open"])
    return f"{100 * row.score:.1f}–{100 * row.metrics['answer_correctness_upper']:.1f}%"


def read(client, path: str) -> str:
    return text_of(client.get(path))


def test_every_place_shows_the_range_of_a_score_after_its_removal_too(client, board, keys, words):
    changes, system = f"/benchmarks/{board.slug}/changes/", f"/systems/{keys['Open']}/"
    assert f"Open {words}" in read(client, changes)
    assert words in read(client, system).partition("Published results")[2]
    for path in ("", "compare/", "views/forest/"):
        assert words[:-1] in read(client, f"/benchmarks/{board.slug}/{path}")
    assert f"Open: {words}" in client.get(f"/benchmarks/{board.slug}/records.atom").content.decode()
    assert words in read(client, f"/benchmarks/{board.slug}/views/progress/")
    submission = board.standings.get(system=keys["Open"]).evaluation.submission
    client.force_login(submission.submitted_by)
    for own in (f"/submissions/{submission.pk}/", "/submissions/"):
        assert words in read(client, own)
    publish.withdraw(
        submission_id=submission.pk, team=submission.team, by=submission.submitted_by, reason="a mistake"
    )
    for page in (system, changes):
        assert words in read(client, page)


def test_a_group_has_the_range_of_its_answers(client, board, keys):
    rows = client.get(f"/api/v1/benchmarks/{board.slug}/leaderboard/").json()["rows"]
    (row,) = (each for each in rows if each["system"]["name"] == "Open")
    rates = row["breakdowns"]["resource_type"].values()
    assert sum(round((r["rate_upper"] or r["rate"] or 0) * r["total"]) - r["right"] for r in rates) == OPEN
    for path in (f"/benchmarks/{board.slug}/views/by-resource-type/", f"/systems/{keys['Open']}/"):
        page = read(client, path)
        assert all(percent_range(rate["rate"], rate["rate_upper"]) in page for rate in rates if rate["total"])


def test_a_lead_in_a_group_has_the_range_of_its_answers(client, board, keys):
    rows = client.get(f"/api/v1/benchmarks/{board.slug}/leaderboard/").json()["rows"]
    by_name = {row["system"]["name"]: row["breakdowns"]["resource_type"] for row in rows}
    decided, left_open = by_name["Decided"], by_name["Open"]
    page = read(client, f"/benchmarks/{board.slug}/compare/?system={keys['Open']}&system={keys['Decided']}")
    for group, rate in left_open.items():
        if rate["rate_upper"]:
            leads = (
                decided[group]["right"] - round(end * rate["total"])
                for end in (rate["rate_upper"], rate["rate"])
            )
            assert " to ".join(points(lead / rate["total"]) for lead in leads) in page


def test_no_score_is_bold_that_another_one_may_pass():
    exact, wide, low = ({"rate": end, "upper": upper} for end, upper in ((0.5, None), (0.4, 0.5), (0.3, 0.4)))
    assert specs._best([exact, low]) == specs._best([exact, exact]) == 0.5
    assert specs._best([exact, wide]) is None


def test_the_interval_goes_from_the_limit_of_the_low_end_to_that_of_the_high_end(client, board, keys):
    row = board.standings.get(system=keys["Open"])
    evaluation, benchmark = row.evaluation, registry.get(board.benchmark)
    verdicts = [benchmark.is_correct(benchmark.reasons[code]) for code in bytes(evaluation.verdicts)]
    labels = load_task_groups(board=board, revision_id=evaluation.revision_id).cluster_labels
    lower, upper = (rate_interval([each in right for each in verdicts], labels) for right in ([1], [1, None]))
    assert (row.low, row.high) == evaluation.rate.interval == pytest.approx((lower.low, upper.high))
    assert row.low < lower.figure < upper.figure < row.high
    shown = [round(row.low, 3), round(row.high, 3)]
    rows = client.get(f"/api/v1/benchmarks/{board.slug}/leaderboard/").json()["rows"]
    assert shown in [each["interval_95"] for each in rows]
    best = list_best_scores(BoardAt(board))
    assert (row.low, row.high) in [(each.low, each.high) for each in best]
