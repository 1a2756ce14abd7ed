"""Examples in the OpenAPI document. A test checks each against the shape that it is an example of."""

_ID = "6f1f3c0a-6f0e-4d5e-9c37-5a0f2a6b7c11"
_URL = f"/api/v1/submissions/{_ID}/"
_SHA256 = "b1946ac92492d2347c6235b4d2611184a8f3b0c5a4b2d9e6f7c8091a2b3c4d5e"

_NOT_A_STRING = {
    "code": "answer.not-a-string",
    "pointer": "/results/3/answer",
    "line": None,
    "message": "The answer is a list.",
    "hint": "Write it as a text that holds JSON: json.dumps([60]).",
}
_SYSTEM = {
    "name": "Careful agent",
    "models": ["o4-mini"],
    "organisation": "Example Hospital",
    "interaction": "multi-turn",
    "retrieval": "query-generator",
    "reasoning": "code",
    "open_weights": False,
    "code_url": "https://example.org/careful-agent",
    "paper_url": "",
}

SCORED = {
    "id": _ID,
    "url": _URL,
    "status": "scored",
    "published": False,
    "benchmark": "medagentbench-v2",
    "team": "Ada",
    "system": _SYSTEM,
    "result": {
        "right": 211,
        "total": 300,
        "score": 0.7033333333333334,
        "metric": "success_rate",
        "interval_95": [0.6493, 0.7521],
        "metrics": {
            "success_rate": 0.7033333333333334,
            "query_success_rate": 0.8,
            "action_success_rate": 0.6067,
        },
        "breakdowns": {"kind": {"query": {"right": 120, "total": 150, "rate": 0.8}}},
        "group_metrics": {},
    },
    "scored_by": {
        "references": {"revision": 1, "digest": "9f" * 32},
        "unusable_tasks": 0,
        "scorer_version": "1.0.0",
        "judge": "",
        "at": "2026-03-02T09:30:01.204512Z",
    },
    "file": {"sha256": _SHA256, "size_bytes": 127044, "format": "result-json"},
    "received_at": "2026-03-02T09:30:01.160031Z",
    "scored_at": "2026-03-02T09:30:01.211870Z",
    "published_at": None,
    "filename": "results.json",
    "failure": "",
    "progress": None,
    "waits_for": "",
    "resume_at": None,
    "problems": [],
    "problems_total": 0,
    "warnings": [],
    "warnings_total": 0,
    "withdrawn_at": None,
    "withdrawal_reason": "",
    "tasks": None,
}


def _problem(code: str, title: str, detail: str, instance: str, hint: str, **more) -> dict:
    return {
        "type": f"/api/problems/{code}/",
        "title": title,
        "status": 422,
        "detail": detail,
        "instance": instance,
        "code": code,
        "hint": hint,
        **more,
    }


_LISTS = {"problems": [_NOT_A_STRING], "problems_total": 1, "warnings": [], "warnings_total": 0}
_MEND = "Mend every problem listed and send the file again; POST /api/v1/validations/ checks it first."

REJECTED = _problem(
    "file-rejected",
    "The file cannot be scored",
    "1 problem in the file. It is kept as a rejected submission.",
    "/api/v1/submissions/",
    _MEND,
    submission={"id": _ID, "url": _URL, "status": "rejected"},
    **_LISTS,
)
INVALID = _problem(
    "file-rejected",
    "The file cannot be scored",
    "1 problem in the file.",
    "/api/v1/validations/",
    _MEND,
    valid=False,
    **_LISTS,
)
REQUEST_INVALID = _problem(
    "request-invalid",
    "The request needs mending",
    "2 problems in the request and its file.",
    "/api/v1/submissions/",
    "Mend every problem listed and send it again; nothing was stored.",
    problems=[
        {
            "code": "facts.invalid",
            "pointer": "/interaction",
            "line": None,
            "message": "Value 'many-turns' is not a valid choice.",
            "hint": "One of: single-turn, multi-turn; or leave it out.",
        },
        _NOT_A_STRING,
    ],
    problems_total=2,
    warnings=[],
    warnings_total=0,
)
VALID = {
    "valid": True,
    "benchmark": "medagentbench-v2",
    "format": "result-json",
    "results": 300,
    "tasks": 300,
    "warnings": [],
    "warnings_total": 0,
}
