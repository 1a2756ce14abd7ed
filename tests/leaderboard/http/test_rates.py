"""Limits on requests of visitors count network addresses."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.throttling import SimpleRateThrottle

CHECKS = "/api/v1/validations/"


@pytest.mark.parametrize("path", [CHECKS, "/submit/"])
def test_ipv6_addresses_of_one_network_share_a_limit(client, demo, monkeypatch, path):
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", {"validations": "2/min"})
    senders = ["2001:db8:1:1::1", "2001:db8:1:1::2", "2001:db8:1:1::3", "2001:db8:1:2::1"]
    answers = []
    for address in senders:
        form = {} if path == CHECKS else {"file": SimpleUploadedFile("results.json", b"{}")}
        answers.append(client.post(path, form, REMOTE_ADDR=address))
    assert [answer.status_code == 429 for answer in answers] == [False, False, True, False]
    assert 0 < int(answers[2]["Retry-After"]) <= 60
    assert path == CHECKS or "Try again in" in answers[2].text
