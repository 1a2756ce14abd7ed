"""What Prometheus reads: who may, that labels are few, and that nothing depends on a verdict."""

import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

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
