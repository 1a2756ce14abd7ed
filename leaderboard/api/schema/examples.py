"""Examples in the OpenAPI document. A test checks each against its shape."""

from collections import Counter
from typing import Any

from leaderboard.http.problems import PROBLEM_TYPES
from wardboard.scoring.facts import CONDITIONS, OF_SYSTEM, RELEASE

_ID = "6f1f3c0a-6f0e-4d5e-9c37-5a0f2a6b7c11"
_URL = f"/api/v1/submissions/{_ID}/"
_SHA256 = "b1946ac92492d2347c6235b4d2611184a8f3b0c5a4b2d9e6f7c8091a2b3c4d5e"

_NOT_A_STRING = {
    "code": "answer.not-a-string",
    "pointer": "/results/3/answer",
    "line": None,
    "message": "`answer` is a list",
    "hint": "Write the list as JSON text.",
    "fix": {"before": '"answer": [60],', "after": '"answer": "[60]",'},
}
_SYSTEM = {
    "name": "Careful agent",
    **{fact.key: fact.example for fact in OF_SYSTEM if not fact.is_required and fact not in CONDITIONS},
    "conditions": {fact.key: fact.example for fact in CONDITIONS},
}

SCORED = {
    "id": _ID,
    "url": _URL,
    "status": "scored",
    "published": False,
    "benchmark": "medagentbench-300",
    "unranked": False,
    "team": "Ada",
    "system": _SYSTEM,
    "result": {
        "runs": 1,
        "right": None,
        "total": 300,
        "score": 0.7,
        "rounded_to": 0.01,
        "metric": "success_rate",
        "interval_95": None,
        "interval_clusters": [],
        "metrics": {"success_rate": 0.7},
        "breakdowns": {},
        "group_metrics": {},
        "spread": None,
        "per_run": None,
    },
    "entry": None,
    "scored_by": {
        "references": {"revision": 1, "commitment": "9f" * 32, "digest": None},
        "unusable_tasks": 0,
        "scorer_version": "1.0.0",
        "judge": "",
        "at": "2026-03-02T09:30:01.204512Z",
    },
    "file": {"sha256": _SHA256, "size_bytes": 127044, "format": "result-json"},
    "runs": 1,
    "retries": "",
    "deterministic": None,
    "same_files": 0,
    "designation": None,
    **{fact.key: fact.example for fact in RELEASE},
    "provenance": "ci-attested",
    "ci_job": {
        "issuer": "https://token.actions.githubusercontent.com",
        "repository": "example-lab/careful-agent",
        "repository_id": "104928",
        "workflow": ".github/workflows/release.yml",
        "ref": "refs/tags/v2.1.0",
        "commit": "9fceb02d0ae598e95dc970b74767f19372d61af8",
        "environment": "",
        "run_url": "https://github.com/example-lab/careful-agent/actions/runs/9876543210",
        "artifact_sha256": _SHA256,
    },
    "trace": "posts-only",
    "from_log": None,
    "received_at": "2026-03-02T09:30:01.160031Z",
    "scored_at": "2026-03-02T09:30:01.211870Z",
    "published_at": None,
    "filename": "results.json",
    "run_files": [],
    "failure": "",
    "progress": None,
    "waits_for": "",
    "resume_at": None,
    "replay": None,
    "problems": [],
    "problems_total": 0,
    "problems_by_code": {},
    "warnings": [],
    "warnings_total": 0,
    "warnings_by_code": {},
    "withdrawn_at": None,
    "withdrawal_reason": "",
    "disqualified_at": None,
    "disqualification_reason": "",
    "tasks": None,
}


Value = dict[str, Any]


def _problem(code: str, detail: str, instance: str, **members: Any) -> Value:
    known = PROBLEM_TYPES[code]
    return {
        "type": f"/api/problems/{code}/",
        "title": known.title,
        "status": known.status,
        "detail": detail,
        "instance": instance,
        "code": code,
        "hint": known.hint,
        **members,
    }


def _lists(*problems: Value) -> Value:
    return {
        "problems": [*problems],
        "problems_total": len(problems),
        "problems_by_code": dict(Counter(problem["code"] for problem in problems)),
        "warnings": [],
        "warnings_total": 0,
        "warnings_by_code": {},
    }


REJECTED = _problem(
    "file-rejected",
    "1 problem in the file. It is kept as a rejected submission.",
    "/api/v1/submissions/",
    submission={"id": _ID, "url": _URL, "status": "rejected"},
    **_lists(_NOT_A_STRING),
)
INVALID = _problem(
    "file-rejected",
    "1 problem in the file.",
    "/api/v1/validations/",
    valid=False,
    **_lists(_NOT_A_STRING),
)
REQUEST_INVALID = _problem(
    "request-invalid",
    "2 problems in the request and its file.",
    "/api/v1/submissions/",
    **_lists(
        {
            "code": "facts.invalid",
            "pointer": "/interaction",
            "line": None,
            "message": "Value 'many-turns' is not a valid choice.",
            "hint": "One of: single-turn, multi-turn; or leave it out.",
        },
        _NOT_A_STRING,
    ),
)
VALID = {
    "valid": True,
    "benchmark": "medagentbench-300",
    "format": "result-json",
    "results": 300,
    "runs": 1,
    "tasks": 300,
    "from_log": None,
    "warnings": [],
    "warnings_total": 0,
    "warnings_by_code": {},
    "answer_forms": None,
}


def _parameter(name: str, code: str, message: str, instance: str, hint: str) -> Value:
    problem = {"code": code, "pointer": f"/{name}", "line": None, "message": message, "hint": hint}
    return _problem("parameter-invalid", message, instance, **_lists(problem))


_BOARD = "/api/v1/benchmarks/medagentbench-300"
AS_OF_UNKNOWN = _parameter(
    "as_of",
    "request.as-of-unknown",
    "as_of names no moment of the leaderboard's record.",
    f"{_BOARD}/leaderboard/",
    "A date such as 2026-11-01 (its end, UTC), a time, or the number of an event; not in the future.",
)
SYSTEMS_INVALID = _parameter(
    "system",
    "request.systems-invalid",
    "Choose at least two different systems to compare.",
    f"{_BOARD}/compare/",
    "Two to four different `system_id`s of the leaderboard, as ?system=1&system=2.",
)


def _side(system_id: int, name: str, score: float, interval: list[float]) -> Value:
    figures = {"judge": "", "score": score, "interval_95": interval, "not_tested": None}
    return {"system_id": system_id, "name": name, "kind": "rescored", **figures}


COMPARED = {
    "benchmark": "medagentbench-300",
    "metric": "success_rate",
    "tasks": 300,
    "resamples": 2000,
    "systems": [
        _side(12, "Careful agent", 0.7033333333333334, [0.6493, 0.7521]),
        _side(7, "Hasty agent", 0.68, [0.6252, 0.7302]),
    ],
    "pairs": [
        {
            "a": 12,
            "b": 7,
            "not_tested": None,
            "better": None,
            "has_open": False,
            "has_runs": False,
            "p": 0.229,
            "pairs": 325,
            "undecided_pairs": 171,
            "difference": 0.023,
            "interval_95": [-0.017, 0.064],
            "why_hidden": None,
            "table": {"both": 191, "only_a": 20, "only_b": 13, "neither": 76},
            "rests_on": None,
            "metrics": {},
            "groups": {
                "kind": {
                    "query": {
                        "difference": 0.04,
                        "interval_95": [-0.013, 0.094],
                        "tasks": 150,
                        "right_a": 120,
                        "right_b": 114,
                    }
                }
            },
            "left_out": {},
            "only_a": None,
            "only_b": None,
        }
    ],
}
CHANGES = {
    "benchmark": "medagentbench-300",
    "count": 57,
    "page": 1,
    "pages": 2,
    "next": "/api/v1/benchmarks/medagentbench-300/changes/?page=2",
    "results": [
        {
            "event": 57,
            "at": "2026-03-02T09:30:01.211870Z",
            "action": "published",
            "system_id": 12,
            "system": "Careful agent",
            "reason": "",
            "right": 211,
            "total": 300,
            "score": 0.7033333333333334,
            "score_before": None,
            "submission": _URL,
            "on_board": True,
            "gone": None,
        }
    ],
}
BEST_SCORES = {
    "benchmark": "medagentbench-300",
    "metric": "success_rate",
    "results": [
        {
            "at": "2026-03-02T09:30:01.211870Z",
            "system_id": 12,
            "system": "Careful agent",
            "kind": "rescored",
            "judge": "",
            "score": 0.7033333333333334,
            "interval_95": [0.6493, 0.7521],
        },
        {
            "at": "2025-11-20T00:00:00Z",
            "system_id": 3,
            "system": "Claude 3.5 Sonnet v2",
            "kind": "reported",
            "judge": "",
            "score": 0.6966666666666667,
            "interval_95": [0.6424, 0.7461],
        },
    ],
}
