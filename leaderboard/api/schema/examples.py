"""Examples in the OpenAPI document. A test checks each against its shape.

Those of shapes that are not here follow from their schemas, with the values of fields at the end.
"""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from leaderboard.http.problems import PROBLEM_TYPES
from wardboard.scoring.facts import CONDITIONS, OF_SYSTEM, RELEASE

ID = "6f1f3c0a-6f0e-4d5e-9c37-5a0f2a6b7c11"
URL = f"/api/v1/submissions/{ID}/"
SHA256 = "b1946ac92492d2347c6235b4d2611184a8f3b0c5a4b2d9e6f7c8091a2b3c4d5e"

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
    "id": ID,
    "url": URL,
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
    "file": {"sha256": SHA256, "size_bytes": 127044, "format": "result-json"},
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
        "artifact_sha256": SHA256,
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
    submission={"id": ID, "url": URL, "status": "rejected"},
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
    "Choose two different systems to compare.",
    f"{_BOARD}/compare/",
    "Two different `system_id`s of the leaderboard, as ?system=1&system=2.",
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
    "text": "Careful agent and Hasty agent cannot be distinguished: 2.3 points, 95% interval −1.7 to 6.4.",
    "not_tested": None,
    "pair": {
        "a": 12,
        "b": 7,
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
        "only_a": None,
        "only_b": None,
    },
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
            "score_upper": None,
            "score_before": None,
            "submission": URL,
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
            "score_upper": None,
            "interval_95": [0.6493, 0.7521],
        },
        {
            "at": "2025-11-20T00:00:00Z",
            "system_id": 3,
            "system": "Claude 3.5 Sonnet v2",
            "kind": "reported",
            "judge": "",
            "score": 0.6966666666666667,
            "score_upper": None,
            "interval_95": [0.6424, 0.7461],
        },
    ],
}

_SUBMITTED = {
    "file": '{"results": [{"task_id": "task1_1", "answer": "[\\"S6534835\\"]"}]}',
    "benchmark": "medagentbench-300",
}
_WRONG_TASK = {
    "task_id": "task2_1",
    "group": "task2",
    "instruction": "What is the age of the patient with MRN S2450227?",
    "outcome": "wrong",
    "right_runs": 0,
    "runs": 1,
    "attempts": [
        {
            "runs": [1],
            "outcome": "wrong",
            "why": "The answer is wrong.",
            "code": "answer-mismatch",
            "answer": "[60]",
            "posts": [],
        }
    ],
    "expected": None,
}
# Shape -> an example of it.
OF_SHAPES: Mapping[str, Value] = {
    "Submission": SCORED,
    "Validation": VALID,
    "Comparison": COMPARED,
    "Changes": CHANGES,
    "BestScores": BEST_SCORES,
    "System": _SYSTEM,
    "CheckFields": _SUBMITTED,
    "SubmitFields": {**_SUBMITTED, "system": "Careful agent", "models": "o4-mini", "publish": True},
    "PublishFields": {"public_traces": True},
    "ExplainedTasks": {
        "count": 1,
        "page": 1,
        "pages": 1,
        "next": None,
        "answers_away": False,
        "tasks": [_WRONG_TASK],
    },
    "WithdrawFields": {"reason": "Sent with the wrong model."},
    "ApprovalFields": {"message": "Ada of Example Hospital; we evaluate our agent."},
    "DeviceCodeFields": {"client_id": "wardboard", "scope": "read submit", "host": "ada-laptop"},
}
_KEY = "wardboard.example.org"
# Field, or shape and field -> an example of it.
OF_FIELDS: Mapping[str, Any] = {
    "Allowance.answer": "",
    "Allowance.left": 2,
    "Benchmark.agreement": "",
    "Benchmark.family": "medagentbench",
    "Benchmark.version": "v2",
    "Benchmark.unranked_lane": "medagentbench-development",
    "Benchmark.unranked_lane_of": None,
    "Benchmark.acknowledgement": None,
    "Board.as_of": None,
    "Board.judges": {"": 12},
    "Board.next": None,
    "Board.sort": "-score",
    "Benchmark.open": True,
    "Benchmark.daily_limit": 3,
    "Benchmark.feedback": "by-type",
    "Board.feedback": "by-type",
    "Board.systems_rescored": 12,
    "Board.systems_reported": 3,
    "Breakdown.groups": {"query": "Query", "action": "Action"},
    "Breakdown.key": "kind",
    "Breakdown.label": "Query or action",
    "CiToken.provenance": "ci",
    "CiToken.token": "wb_3f8a1c2e90b7d654",
    "CiToken.benchmark": None,
    "DeviceCode.interval": 5,
    "Doubt.answer": "",
    "Doubt.decided_at": None,
    "EntryComparison.groups": {"kind": {"query": {"tasks": 150, "right": 120, "right_of_entry": 112}}},
    "EntryComparison.p": 0.012,
    "EntryComparison.explanation": "The result is significantly better than the entry (p = .012).",
    "Health.status": "ok",
    "IssuedToken.expires_in": 90 * 86400,
    "Issuer.kind": "github",
    "Limit.kind": "day",
    "Limit.unit": "files",
    "Line.problems_total": 0,
    "Limit.allowed": 3,
    "Limit.left": 2,
    "Me.account": "ada@example.org",
    "Root.status": "/api/v1/status/",
    "RankRules.most_rounds": None,
    "Row.files_of_system": 2,
    "Row.files_of_team": 4,
    "Row.rank_interval_95": [1, 2],
    "Row.not_tested": None,
    "Row.gone": None,
    "Row.source": None,
    "Row.trace": "posts-only",
    "Row.provenance": "ci",
    "Row.tied_for_first": True,
    "Row.chosen_before_score": True,
    "Row.designation": None,
    "ServiceStatus.failed_in_24_hours": 0,
    "ServiceStatus.judging": None,
    "ServiceStatus.scoring": "working",
    "ServiceStatus.statistics": "working",
    "ServiceStatus.submitting": "working",
    "SubmissionPage.next": None,
    "Team.name": "Ward lab",
    "Token.name": "nightly CI",
    "Token.benchmark": None,
    "Token.job": None,
    "TracedCall.name": "fhir_search",
    "TracedCall.arguments": {"resource": "Observation", "patient": "S6534835"},
    "TracedCall.result": {"total": 0},
    "TracedMessage.text": "I look for the last magnesium.",
    "Waiting.count": 0,
    "Waiting.lane": "short",
    "Waiting.since": None,
    "Worked.digest": "5d" * 32,
    "Worked.is_clustered": True,
    "Worked.left_out": 0,
    "Worked.systems": 12,
    "access_token": "wb_3f8a1c2e90b7d654",
    "audience": "https://wardboard.example.org",
    "begins_with": "wb_3f8a1",
    "benchmark": "medagentbench-300",
    "benchmarks": "/api/v1/benchmarks/",
    "commit": "9fceb02d0ae598e95dc970b74767f19372d61af8",
    "confirmation": "3f8a1c2e90b7d654",
    "correct": 209,
    "device_code": "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS",
    "docs": "/api/",
    "environment": "",
    "expires_in": 600,
    "handle": "ward-lab",
    "harness": "own-tools",
    "harness_name": "careful-loop 2",
    "health": "/api/v1/health/",
    "interaction": "multi-turn",
    "interval_95": [0.649, 0.752],
    "interval_clusters": [],
    "issuer": "https://token.actions.githubusercontent.com",
    "judge": "",
    "Key.key": "XcHSiTBwkqiqc58Tf4D970eEAi94CVFTzgVodxa6NJs=",
    "keys": "/api/v1/keys/",
    "leaderboard_url": "/api/v1/benchmarks/medagentbench-300/leaderboard/",
    "lifetime_seconds": 900,
    "log": "/api/v1/log/",
    "log_head": "/api/v1/log/head/",
    "me": "/api/v1/me/",
    "method": "McNemar's mid-p test of each pair, Holm-adjusted.",
    "metric": "success_rate",
    "metrics": {"success_rate": 0.703},
    "Breakdown.metrics": [],
    "Benchmark.metrics": [
        {
            "key": "success_rate",
            "label": "Success rate",
            "unit": "share",
            "higher_is_better": True,
            "stands_for": "Share of all tasks that the official graders accept.",
        }
    ],
    "model": "Claude 3.5 Sonnet v2",
    "note": "",
    "openapi": "/api/v1/openapi.json",
    "organisation": "Example Hospital",
    "p_next": 0.18,
    "question": "300 clinical tasks of ten types over a FHIR server.",
    "ranks": "All ranked systems.",
    "ref": "refs/tags/v2.1.0",
    "reasoning": "code",
    "references": {"revision": 1, "commitment": "9f" * 32, "digest": None},
    "repository": "example-lab/careful-agent",
    "repository_id": "104928",
    "retrieval": "query-generator",
    "right": 211,
    "rounded_to": None,
    "run_url": "https://github.com/example-lab/careful-agent/actions/runs/9876543210",
    "artifact_sha256": SHA256,
    "schema_url": "/api/v1/benchmarks/medagentbench-300/schema/",
    "schemas": ["result-file-1.0", "run-line-1.0"],
    "scope": "read submit",
    "scopes": ["read", "submit"],
    "score": 0.703,
    "scored_by": "",
    "scorer_version": "1.0.0",
    "sha256": SHA256,
    "slug": "medagentbench-300",
    "source": "Example et al. 2025",
    "source_url": "https://example.org/paper",
    "Line.status": "scored",
    "submission": URL,
    "EntryComparison.submission": ID,
    "submissions": "/api/v1/submissions/",
    "system": "Careful agent",
    "Row.system": _SYSTEM,
    "task_id": "task1_1",
    "task_ids": ["task1_1"],
    "tasks": 300,
    "Traces.tasks": [
        {"task_id": "task1_1", "runs": [1], "url": f"{URL}traces/task1_1/"},
    ],
    "team": "Ada",
    "text": "The chart holds a newer value.",
    "title": "MedAgentBench",
    "Issuer.title": "GitHub Actions",
    "CiTokenFields.token": "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJleGFtcGxlIn0.c2lnbmF0dXJl",
    "total": 300,
    "trusted_publishing": "/api/v1/trusted-publishing/",
    "unmet_rules": [],
    "until": None,
    "url": URL,
    "Benchmark.url": "/api/v1/benchmarks/medagentbench-300/",
    "Issuer.url": "https://token.actions.githubusercontent.com",
    "user_code": "BCDF-GHJK",
    "validations": "/api/v1/validations/",
    "verification_uri": "https://wardboard.example.org/device/",
    "verification_uri_complete": "https://wardboard.example.org/device/?user_code=BCDF-GHJK",
    "version": "2.1.0",
    "workflow": ".github/workflows/release.yml",
}
# Parameter of an address -> an example of it.
IN_PATHS = {
    "slug": "medagentbench-300",
    "submission_id": ID,
    "task_id": "task1_1",
    "family": "medagentbench",
    "name": "result-file-1.0",
    "pk": "7",
}
# Bodies that are no shape of ours.
_SIGNATURE = {"key": OF_FIELDS["Key.key"], "value": "K3sK5n74CKR4x40MTkuPNWat"}
HEAD = {
    "head": {
        "format": "wardboard-head/1",
        "service": "https://wardboard.example.org",
        "boards": {
            "medagentbench-300": {"number": 57, "digest": "94" * 32, "at": "2026-11-03T09:13:01.000000Z"}
        },
    },
    "signature": _SIGNATURE,
}
LOG = json.dumps(HEAD) + "\n"
RECEIPT = {
    "receipt": {
        "format": "wardboard-receipt/1",
        "service": "https://wardboard.example.org",
        "board": "medagentbench-300",
        "submission": ID,
        "system": {"id": 12, "name": "Careful agent"},
        "file": {"sha256": SHA256, "bytes": 127044},
        "figures": {"score": "0.70"},
        "boards": {},
    },
    "signature": _SIGNATURE,
}
FILE_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "MedAgentBench result file",
    "type": "object",
    "required": ["results"],
}
