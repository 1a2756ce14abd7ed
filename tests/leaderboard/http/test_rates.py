"""Limits on requests of visitors count network addresses."""

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.throttling import SimpleRateThrottle

CHECKS = "/api/v1/validations/"


@pytest.fixture
def status(client, demo, monkeypatch):
    """Return a function that sends a request from an address; two a minute are allowed."""
    cache.clear()
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", {"validations": "2/min"})

    def send(address: str, path: str = CHECKS) -> int:
        form = {} if path == CHECKS else {"file": SimpleUploadedFile("results.json", b"{}")}
        return client.post(path, form, REMOTE_ADDR=address).status_code

    return send


@pytest.mark.parametrize("path", [CHECKS, "/submit/"])
def test_ipv6_addresses_of_one_network_share_a_limit(status, path):
    statuses = [status(f"2001:db8:1:1::{number}", path) for number in range(3)]
    assert 429 not in statuses[:2]
    assert statuses[2] == 429
    assert status("2001:db8:1:2::1", path) != 429


def test_ipv4_addresses_have_a_limit_each_also_where_they_are_written_as_ipv6(status):
    assert [status("192.0.2.1") == 429 for _ in range(3)] == [False, False, True]
    assert status("::ffff:192.0.2.1") == 429
    assert status("192.0.2.2") != 429
