"""Read our own cases for the judge."""

import json
from pathlib import Path

_FOLDER = Path(__file__).with_name("own_set")


def answers():
    return _read("answers.ndjson")


def suspects():
    return _read("suspects.ndjson")


def _read(name):
    return [json.loads(line) for line in (_FOLDER / name).read_text().splitlines()]


def judge_arguments(case):
    """Return the keyword arguments of `judge` for a case."""
    return {key: case[key] for key in ("question", "assumption", "true_answer", "agent_answer")}
