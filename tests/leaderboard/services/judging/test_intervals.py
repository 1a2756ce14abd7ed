"""The interval of a result allows for the clusters that its benchmark declares, wherever it is shown."""

import json
from math import inf

import numpy as np
import pytest

from leaderboard.models import Evaluation, Kind, Standing
from leaderboard.services import visibility
from leaderboard.services.judging.intervals import clustered_interval, clusters_by
from leaderboard.services.judging.task_groups import load_task_groups
from leaderboard.services.publishing.import_references import load_reported
from tests.support.factories import make_bare, make_published, make_scored
from wardboard.scoring import registry
from wardboard.scoring.fhir_agentbench.grading.clusters import PUBLISHED_CLUSTERS
from wardboard.scoring.statistics import wilson_interval
from wardboard.scoring.statistics.clusters import rate_interval
from wardboard.scoring.verdicts import ClusteredRate


@pytest.fixture
def published(user, fhir_demo, good_answers):
    return make_published(user, fhir_demo, good_answers, system="A")


def test_a_row_has_the_interval_that_allows_for_clusters(published, fhir_demo):
    evaluation, row = published.evaluation, fhir_demo.standings.get(name="A")
    assert evaluation.clustered_interval["by"] == ["patients", "templates"]
    benchmark = registry.get(fhir_demo.benchmark)
    right = [benchmark.is_correct(benchmark.reasons[code]) for code in bytes(evaluation.verdicts)]
    groups = load_task_groups(board=fhir_demo, revision_id=evaluation.revision_id)
    expected = rate_interval(np.array(right, dtype=float), groups.cluster_labels)
    assert (row.low, row.high) == pytest.approx((expected.low, expected.high))
    low, high = wilson_interval(row.right, row.total)
    assert row.low < low
    assert row.high > high


def test_the_runs_of_a_task_count_as_one_score(published, fhir_demo):
    evaluation = published.evaluation
    twice = Evaluation(revision=evaluation.revision, verdicts=bytes(evaluation.verdicts) * 2)
    stored = evaluation.clustered_interval
    # Of two equal runs both are right wherever one is, so pass^2 is the score.
    assert clustered_interval(twice) == {**stored, "passes": stored["passes"] * 2}
    assert stored["passes"] == [[stored["low"], stored["high"]]]


def test_a_baseline_has_the_interval_of_a_file_with_its_verdicts(user, fhir_demo, visitor):
    nothing = {"agent_answer": None, "agent_fhir_resources": None}
    records = [{"question_id": task, **nothing} for task in fhir_demo.active_revision.task_ids]
    make_published(user, fhir_demo, json.dumps(records).encode(), system="Null", allow_empty=True)
    null, baseline = fhir_demo.standings.get(name="Null"), fhir_demo.standings.get(kind=Kind.BASELINE)
    assert (null.right, null.low, null.high) == (baseline.right, baseline.low, baseline.high)
    assert null.metrics["coverage"] == baseline.metrics["coverage"] == 0
    rows = visitor.get(f"/api/v1/benchmarks/{fhir_demo.slug}/leaderboard/").json()["rows"]
    assert all(each["interval_clusters"] == ["patients", "templates"] for each in rows)
    note = "95% CI, clustered by patient and question template."
    assert note in visitor.get(f"/systems/{baseline.system_id}/").content.decode()
    # Of 60 tasks the design effect is 1, so the interval is Wilson's.
    assert clusters_by(Standing(kind=Kind.REPORTED, total=60), fhir_demo) == ([], None)


def test_a_row_without_an_evaluation_has_the_design_effect_that_the_benchmark_declares(fhir_demo, visitor):
    plan = registry.get("fhir-agentbench").published_boards[0]
    board = make_bare("published", version=plan.version, title=plan.title)
    load_reported(board=board)
    for row in board.standings.exclude(score=None):
        # Of 1,335 questions a public agent's standard error was 1.93 times the independent one.
        effective = row.total / (1 + 0.137 * (row.total / 64 - 1))
        assert (row.low, row.high) == pytest.approx(wilson_interval(row.score * effective, effective))
    row = board.standings.filter(kind=Kind.REPORTED).first()
    page = visitor.get(f"/systems/{row.system_id}/").content.decode()
    assert "with the design effect of a public agent&#x27;s answers to 1,335 questions" in page
    shown = visitor.get(f"/api/v1/benchmarks/{board.slug}/leaderboard/").json()["rows"]
    assert all(each["interval_clusters"] == ["patients"] for each in shown)


def test_the_declared_design_effect_is_that_of_the_real_runs():
    assert PUBLISHED_CLUSTERS.design_effect(1335) == pytest.approx(3.716, abs=0.01)
    assert PUBLISHED_CLUSTERS.design_effect(10) == 1
    assert PUBLISHED_CLUSTERS.tasks_worth(1335 / PUBLISHED_CLUSTERS.design_effect(1335)) == pytest.approx(
        1335
    )
    assert (PUBLISHED_CLUSTERS.tasks_worth(10), PUBLISHED_CLUSTERS.tasks_worth(468)) == (10, inf)


def test_a_rounded_result_has_no_interval(user, fhir_demo, good_answers):
    fhir_demo.is_demo, fhir_demo.rounding = False, 1
    fhir_demo.save()
    submission = make_scored(user, fhir_demo, good_answers, system="A")
    result = visibility.visible_result(submission)
    assert result.overall.interval is None
    assert not isinstance(result.overall, ClusteredRate)
