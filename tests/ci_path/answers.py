"""What the service answers, as the tests of gates alter it, and the replies of a server that is none."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from tests.support.loopback import ScriptedReply
from wardboard.scoring.medagentbench import demo

ID, OTHER_ID = str(UUID(int=0xABC)), str(UUID(int=0xABD))
COMMIT = "9fceb02d0ae598e95dc970b74767f19372d61af8"
TOKEN = "wb_secret-of-the-team"
JSON = {"Content-Type": "application/json"}
PROBLEM = {"Content-Type": "application/problem+json"}

RESULT = {"score": 0.9, "runs": 1, "total": 100, "right": 90, "rounded_to": None, "interval_95": [0.8, 0.95]}
RESULT |= {"metric": "success_rate", "metrics": {"success_rate": 0.9}}
ANSWER = {"id": ID, "url": "/", "status": "scored", "published": False, "benchmark": "b", "team": "t"}
ANSWER |= {"system": {"name": "s"}, "version": "1", "commit": COMMIT, "filename": "results.json"}
ANSWER |= {"file": {"sha256": hashlib.sha256(demo.GOOD.read_bytes()).hexdigest()}}
ANSWER |= {"result": RESULT, "rank": None, "entry": None, "warnings": [], "warnings_total": 0}
ANSWER |= {"from_log": None, "same_answers": None}
QUEUED = {**ANSWER, "status": "queued", "result": None}
SIGN_IN = ScriptedReply(body=b"<html><form>Sign in</form></html>", headers={"Content-Type": "text/html"})


def altered(document: Mapping[str, Any], path: str, value: object) -> dict[str, Any]:
    """Return a copy of a document with another value at a path such as system/name; ... removes it."""
    name, _, rest = path.partition("/")
    copy = dict(document)
    if rest:
        copy[name] = altered(copy[name], rest, value)
    elif value is ...:
        del copy[name]
    else:
        copy[name] = value
    return copy


def reply(document: object, status: int = 200, **headers: str) -> ScriptedReply:
    """Return an answer of the service, which is a problem document from status 400 on."""
    kind = JSON if status < 400 else PROBLEM
    return ScriptedReply(status=status, body=json.dumps(document).encode(), headers=kind | headers)


def refusal(status: int, code: str, **headers: str) -> ScriptedReply:
    document = {"code": code, "title": "No", "status": status, "detail": "It is so.", "hint": "Wait."}
    return reply(document, status, **headers)
