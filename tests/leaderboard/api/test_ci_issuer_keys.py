"""The public keys of an issuer of ID tokens: fetched seldom, and used on through an outage."""

from time import monotonic

import pytest

from leaderboard.services.errors import IssuerUnreachable
from leaderboard.services.trusted_publishing import issuer_keys
from tests.support.api_client import assert_problem
from tests.support.ci_issuer import exchange, refusals
from tests.support.loopback import ScriptedReply, dripping

pytestmark = pytest.mark.both_databases


def test_a_new_key_of_the_issuer_is_fetched_once_and_unknown_ones_are_not_asked_for_again(
    issuer, publisher, monkeypatch
):
    monkeypatch.setattr(issuer_keys, "UNKNOWN_EVERY", 0.0)
    assert exchange(issuer.token(), publisher).status_code == 201
    assert issuer.paths.count("/keys") == 1
    issuer.keys = ["second", "first"]
    assert exchange(issuer.token(key="second"), publisher).status_code == 201
    assert issuer.paths.count("/keys") == 2
    assert exchange(issuer.token(), publisher).status_code == 201
    assert issuer.paths.count("/keys") == 2


def test_a_job_with_a_known_key_does_not_wait_for_one_with_an_unknown_key(issuer, publisher):
    assert exchange(issuer.token(), publisher).status_code == 201
    # As long as this is held, another request fetches the keys.
    with issuer_keys.keys_of(issuer.origin)._breaker.attempt():
        assert exchange(issuer.token(), publisher).status_code == 201


def test_unknown_keys_cannot_make_the_service_flood_the_issuer(issuer, publisher):
    for _ in range(5):
        assert refusals(exchange(issuer.token(key="stranger"), publisher)) == {"id-token.key-unknown": "/kid"}
    assert issuer.paths.count("/keys") == 1


ELSEWHERE = b'{"issuer": "https://evil.example.org", "jwks_uri": "https://evil.example.org/k"}'
NO_KEYS = {
    "fault": ScriptedReply(status=500),
    "redirect": ScriptedReply(status=302, headers={"Location": "https://evil.example.org/"}),
    "page": ScriptedReply(body=b"<html>sign in</html>"),
    "another issuer": ScriptedReply(body=ELSEWHERE),
    "nested": ScriptedReply(body=b"[" * 100_000),
    "endless": ScriptedReply(body=b" " * 300_000),
    "cut": ScriptedReply(body=b"{}", headers={"Content-Length": "9"}),
    "silent": ScriptedReply(cut=-1),
}


@pytest.mark.parametrize("kind", NO_KEYS)
def test_an_issuer_that_does_not_answer_with_its_keys_is_a_503_and_is_left_alone_for_a_while(
    issuer, publisher, kind, monkeypatch
):
    monkeypatch.setattr(issuer_keys, "SILENCE", 0.3)
    issuer.reply = NO_KEYS[kind]
    response = exchange(issuer.token(), publisher)
    assert_problem(response, 503, "unavailable")
    assert int(response["Retry-After"]) > 0
    asked = len(issuer.paths)
    assert_problem(exchange(issuer.token(), publisher), 503, "unavailable")
    assert len(issuer.paths) == asked


def test_keys_are_used_on_through_an_outage_for_a_bounded_time(issuer, publisher, monkeypatch):
    assert exchange(issuer.token(), publisher).status_code == 201
    issuer.reply = ScriptedReply(status=503)
    clock = issuer_keys.monotonic
    later = {"seconds": issuer_keys._FRESH + 1}
    for module in ("leaderboard.services.trusted_publishing.issuer_keys.monotonic", "time.monotonic"):
        monkeypatch.setattr(module, lambda: clock() + later["seconds"])
    assert exchange(issuer.token(), publisher).status_code == 201
    later["seconds"] = issuer_keys._STALE + 60
    assert_problem(exchange(issuer.token(), publisher), 503, "unavailable")


@pytest.mark.parametrize("begin", [b"HTTP/1.1 2", b"HTTP/1.1 200 OK\r\n\r\n{"], ids=["headers", "body"])
def test_a_server_that_sends_a_byte_at_a_time_is_given_up_at_the_deadline(begin, monkeypatch):
    monkeypatch.setattr(issuer_keys, "_WHOLE", 0.5)
    with dripping(begin) as address:
        started = monotonic()
        with pytest.raises(IssuerUnreachable):
            issuer_keys.keys_of(address).key("first")
        assert 0.4 < monotonic() - started < 10
