"""The command says once that the service will end what it asks for, and goes on."""

import json
import warnings

import pytest

from tests.support.cli import wardboard
from tests.support.loopback import Loopback, ScriptedReply
from wardboard.client.connection import ServiceConnection, ServiceOptions

JSON = {"Content-Type": "application/json"}
ALLOWANCE = {"left": 1, "limits": [], "approval": "approved", "answer": "", "needs_verified_email": False}
# The first second of 27 November 2026, in UTC.
DEPRECATED = {
    "Deprecation": "@1795737600",
    "Sunset": "Mon, 31 May 2027 00:00:00 GMT",
    "Link": '</docs/ci/#changes-of-the-api>; rel="deprecation"; type="text/html"',
}


def ask(monkeypatch, *replies: dict[str, str]) -> tuple[int, str, Loopback]:
    """Run `wardboard quota` on answers with these headers; return exit code, stderr and the server."""
    monkeypatch.setenv("WARDBOARD_TOKEN", "wb_secret-of-the-team")
    script = [
        ScriptedReply(body=json.dumps(ALLOWANCE).encode(), headers=JSON | headers) for headers in replies
    ]
    with Loopback(*script) as server:
        code, _, err = wardboard("quota", "b", "--url", server.origin, "--attempts", 1)
    return code, err, server


def test_a_deprecated_request_gives_one_line_of_warning_and_its_result(monkeypatch):
    code, err, server = ask(monkeypatch, DEPRECATED)
    assert code == 0
    assert err == (
        "wardboard: warning: the service deprecates GET /api/v1/benchmarks/b/allowance/ from 2026-11-27 on, "
        "and may remove it from 2027-05-31 on: update wardboard, and see "
        f"{server.origin}/docs/ci/#changes-of-the-api\n"
    )


def test_the_sunset_and_the_link_may_be_absent(monkeypatch):
    code, err, _ = ask(monkeypatch, {"Deprecation": "@1795737600"})
    assert code == 0
    assert err.endswith("allowance/ from 2026-11-27 on: update wardboard\n")


@pytest.mark.parametrize("value", ["", "true", "@", "@-1", "@99999999999999", "Fri, 27 Nov 2026"])
def test_a_header_that_is_no_date_of_structured_fields_is_ignored(monkeypatch, value):
    assert ask(monkeypatch, {**DEPRECATED, "Deprecation": value})[:2] == (0, "")


def test_a_sunset_that_is_no_date_is_ignored(monkeypatch):
    code, err, _ = ask(monkeypatch, {**DEPRECATED, "Sunset": "soon"})
    assert (code, "remove" in err, "from 2026-11-27 on" in err) == (0, False, True)


def test_python_warns_once_however_many_answers_say_so():
    with (
        Loopback(ScriptedReply(body=json.dumps(ALLOWANCE).encode(), headers=JSON | DEPRECATED)) as server,
        warnings.catch_warnings(record=True, action="always") as shown,
    ):
        connection = ServiceConnection(ServiceOptions(url=server.origin))
        for _ in range(3):
            connection.get("/api/v1/me/")
    assert [warning.category for warning in shown] == [FutureWarning]
    assert "the service deprecates GET /api/v1/me/ from 2026-11-27 on" in str(shown[0].message)
