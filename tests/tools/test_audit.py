"""The audit of the pinned packages fails where one is vulnerable, and where it was not checked."""

import json
import sys

from tests.support.cli import run_program
from tests.support.loopback import Loopback, ScriptedReply, json_reply
from tools.audit import pinned, report

PINS = {(name, version) for pins in pinned() for name, version in pins.items()}
HIT = json_reply({"vulns": [{"id": "INVENTED-1", "affected": [], "summary": "invented"}]})


def audit(*options: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "tools.audit", *options]
    done = run_program(command)
    return done.returncode, done.stdout + done.stderr


def test_the_audit_asks_for_every_pinned_version_of_every_lock_and_fails_at_a_hit():
    # requirements-s3.lock alone has boto3.
    osv = Loopback(lambda path: HIT if b'"boto3"' in osv.bodies[-1] else json_reply({}))
    with osv:
        code, printed = audit("--osv-url", osv.url, "--offline")
    queries = map(json.loads, osv.bodies)
    assert {(query["package"]["name"], query["version"]) for query in queries} == PINS
    assert len([version for name, version in PINS if name == "numpy"]) == 2, "of two versions of Python"
    assert (code, "INVENTED-1" in printed, f"1 of {len(PINS)} packages" in printed) == (1, True, True)


def test_a_database_that_does_not_answer_is_a_success_only_where_that_is_allowed():
    with Loopback(ScriptedReply(status=500)) as osv:
        assert audit("--osv-url", osv.url)[0] == 1
        code, printed = audit("--osv-url", osv.url, "--offline")
    assert (code, "NOTHING WAS AUDITED" in printed) == (0, True)


def test_a_package_that_the_database_does_not_know_fails_unless_it_knows_none_and_that_is_allowed():
    known, unknown = {"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": "not found"}
    assert report([known], "", is_offline=False) == 0
    assert report([known, unknown], "", is_offline=True) == 1
    assert report([unknown], "", is_offline=False) == 1
    assert report([unknown], "", is_offline=True) == 0
