"""A declaration with its reference answers and a result file, all invented."""

import json
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

GOLDS = {"q1": ("12", "cardio"), "q2": ("zebra 77", "renal"), "q3": ("3.5", "cardio")}
IMPORT = "/organise/declaration/"


def declaration(**changes: Any) -> str:
    """Return a declaration as JSON, which is YAML too."""
    groups = {"cardio": "Cardiology", "renal": "Nephrology"}
    document = {
        "declaration": 1,
        "slug": "dose-quiz",
        "title": "Dose quiz",
        "description": "Name the dose.\n\nOne answer a vignette.",
        "answers": {},
        "references": {"format": "csv"},
        "match": {"kind": "exact"},
        "metrics": [{"kind": "exact-match"}, {"kind": "token-f1"}],
        "breakdowns": [{"key": "topic", "label": "Topic", "groups": groups, "is_known": True}],
        "feedback": "by-type",
    }
    return json.dumps(document | changes)


def references() -> SimpleUploadedFile:
    rows = [f"{task},{gold},{topic}\n" for task, (gold, topic) in GOLDS.items()]
    return SimpleUploadedFile("references.csv", "".join(["id,gold,topic\n", *rows]).encode())


def answers(**changes: str) -> bytes:
    """Return a result file that is right but for `changes`."""
    given = {task: gold for task, (gold, _) in GOLDS.items()} | changes
    return "".join(json.dumps({"id": task, "answer": text}) + "\n" for task, text in given.items()).encode()
