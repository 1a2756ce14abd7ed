"""What Prometheus reads: who may, that labels are few, and that nothing depends on a verdict."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from leaderboard.models import JudgeAnswers, JudgeDay, Submission
from leaderboard.services.judging.budget import today
from leaderboard.services.submissions import grade
from tests.support.factories import make_demo, send, with_wrong

pytestmark = pytest.mark.both_databases

TOKEN = "sesame-open-for-metrics"


@pytest.fixture
def scrape(visitor, settings):
    """Return a function that returns {(name, sorted labels): value}, as Prometheus would read it."""
    settings.METRICS_TOKEN = TOKEN

    def read() -> dict[tuple, float]:
        response = visitor.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        assert response.status_code == 200
        return {
            (sample.name, *(f"{key}={value}" for key, value in sorted(sample.labels.items()))): sample.value
            for family in text_string_to_metric_families(response.content.decode())
            for sample in family.samples
        }

    return read


def test_only_who_has_the_token_reads_metrics(visitor, db, settings):
    assert visitor.get("/metrics").status_code == 404
    settings.METRICS_TOKEN = TOKEN
    for headers in ({}, {"Authorization": "Bearer "}, {"Authorization": f"Bearer {TOKEN}x"}):
        refused = visitor.get("/metrics", headers=headers)
        assert (refused.status_code, refused["WWW-Authenticate"]) == (401, "Bearer")
        assert b"wardboard_" not in refused.content


def test_requests_are_counted_by_route_and_never_by_path(scrape, visitor, demo):
    before = scrape()
    for path in ("/benchmarks/medagentbench-demo/", "/benchmarks/medagentbench-demo/?q=okapi", "/okapi/"):
        visitor.get(path)
    after = scrape()

    def added(*key):
        return after.get(key, 0) - before.get(key, 0)

    requests = "wardboard_http_requests_total"
    assert added(requests, "method=GET", "route=web:board", "status=200") == 2
    assert added(requests, "method=GET", "route=none", "status=404") == 1
    assert added("wardboard_http_request_seconds_count", "route=web:board") == 2
    assert not any("okapi" in part or "medagentbench-demo/" in part for key in after for part in key)


def test_what_waits_failed_and_was_scored_is_counted(scrape, demo, user, good_file, monkeypatch):
    send(user, demo, good_file)
    with monkeypatch.context() as stopped:
        stopped.setattr(grade, "score", lambda **_: None)
        queued = send(user, demo, with_wrong(good_file, 1)).submission
    Submission.objects.filter(pk=queued.pk).update(
        begun_at=None, received_at=timezone.now() - timedelta(minutes=7)
    )
    with monkeypatch.context() as broken:
        broken.setattr(grade, "grade", lambda *_, **__: 1 / 0)
        send(user, demo, with_wrong(good_file, 2))
    sample = scrape()
    assert sample["wardboard_queue_length", "lane=short"] == 1
    assert 420 <= sample["wardboard_queue_oldest_seconds", "lane=short"] < 480
    assert sample["wardboard_queue_length", "lane=long"] == 0
    assert {
        status: sample["wardboard_submissions", f"status={status}"]
        for status in ("queued", "scored", "failed")
    } == {"queued": 1, "scored": 1, "failed": 1}
    assert sample["wardboard_failures_last_hour", "cause=our-fault"] == 1
    assert sample["wardboard_failures_last_hour", "cause=interrupted"] == 0
    assert sample["wardboard_database_up",] == 1
    assert sample["wardboard_disk_free_bytes",] > 0


def test_judging_is_counted_over_all_days_and_against_the_budget(scrape, demo, settings):
    settings.JUDGE_BUDGET = {**settings.JUDGE_BUDGET, "day_calls": 40.0, "day_cost": None}
    JudgeDay.objects.create(board=demo, day=today(), calls=10, cost=0.5)
    JudgeDay.objects.create(board=demo, day=today() - timedelta(days=1), calls=5, cost=0.25)
    JudgeAnswers.objects.create(status="200", count=14)
    JudgeAnswers.objects.create(status="418", count=2)
    sample = scrape()
    answers = {
        status: sample["wardboard_judge_answers_total", f"status={status}"]
        for status in ("200", "418", "429")
    }
    assert answers == {"200": 14, "418": 2, "429": 0}
    assert sample["wardboard_judge_calls_total",] == 15
    assert sample["wardboard_judge_cost_dollars_total",] == 0.75
    assert sample["wardboard_judge_day_budget_used", "kind=calls"] == 0.25
    assert ("wardboard_judge_day_budget_used", "kind=cost") not in sample


def test_no_metric_depends_on_a_verdict(scrape, user, good_file):
    def untimed(sample):
        timed = re.compile("second|disk|_created$")
        return {key: value for key, value in sample.items() if not timed.search(key[0])}

    def after_sending(raw: bytes, slug: str) -> dict:
        board = make_demo(slug)
        before = scrape()
        send(user, board, raw)
        changes = {key: value - before.get(key, 0) for key, value in untimed(scrape()).items()}
        return {
            tuple(part.replace(slug, "") for part in key): value for key, value in changes.items() if value
        }

    right, wrong = after_sending(good_file, "first"), after_sending(with_wrong(good_file, 40), "second")
    assert right
    assert right == wrong
