"""The audit of the pinned packages fails where one is vulnerable, and where it was not checked."""

import json
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.support.paths import ROOT
from tools.audit import pinned, report

PINS = {(name, version) for pins in pinned() for name, version in pins.items()}
# Only requirements-s3.lock has it.
HIT = {"vulns": [{"id": "INVENTED-1", "affected": [], "summary": "invented"}]}


@contextmanager
def database(answers: dict[str, object] | None):
    """Serve a copy of OSV, which answers 500 without `answers`; yield its address and what it was asked."""
    asked = set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            query = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.add((query["package"]["name"], query["version"]))
            body = json.dumps((answers or {}).get(query["package"]["name"], {})).encode()
            self.send_response(500 if answers is None else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1/query", asked
        server.shutdown()


def audit(*options: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "tools.audit", *options]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def test_the_audit_asks_for_every_pinned_version_of_every_lock_and_fails_at_a_hit():
    with database({"boto3": HIT}) as (url, asked):
        code, printed = audit("--osv-url", url, "--offline")
    assert asked == PINS
    assert len([version for name, version in PINS if name == "numpy"]) == 2, "of two versions of Python"
    assert (code, "INVENTED-1" in printed, f"1 of {len(PINS)} packages" in printed) == (1, True, True)


def test_no_database_that_answers_is_a_success_only_where_that_is_allowed():
    with database(None) as (url, _):
        assert audit("--osv-url", url)[0] == 1
        code, printed = audit("--osv-url", url, "--offline")
    assert (code, "NOTHING WAS AUDITED" in printed) == (0, True)


def test_a_package_that_the_database_does_not_know_fails_unless_it_knows_none_and_that_is_allowed():
    known, unknown = {"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": "not found"}
    assert report([known], "", is_offline=False) == 0
    assert report([known, unknown], "", is_offline=True) == 1
    assert report([unknown], "", is_offline=False) == 1
    assert report([unknown], "", is_offline=True) == 0
