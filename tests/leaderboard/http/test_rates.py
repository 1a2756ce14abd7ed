"""Limits on requests of visitors count network addresses."""

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.throttling import SimpleRateThrottle

CHECKS = "/api/v1/validations/"


@pytest.mark.parametrize("path", [CHECKS, "/submit/"])
def test_ipv6_addresses_of_one_network_share_a_limit(client, demo, monkeypatch, path):
    cache.clear()
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", {"validations": "2/min"})
    senders = ["2001:db8:1:1::1", "2001:db8:1:1::2", "2001:db8:1:1::3", "2001:db8:1:2::1"]
    statuses = []
    for address in senders:
        form = {} if path == CHECKS else {"file": SimpleUploadedFile("results.json", b"{}")}
        statuses.append(client.post(path, form, REMOTE_ADDR=address).status_code)
    assert [status == 429 for status in statuses] == [False, False, True, False]
