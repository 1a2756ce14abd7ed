"""Answers that speak to the judge instead of answering, for the organiser to look at."""

import json
from typing import Any

from leaderboard.models import Evaluation
from leaderboard.services.files import store
from scoring import registry

_AT_MOST = 100
_LONGEST = 2000  # characters


def suspect_answers(evaluation: Evaluation) -> list[tuple[str, str]] | None:
    """Return task ids and answers as they were submitted, long ones cut; None where the file is gone.

    Of 100 of them at most; nothing of a reference is read for it.
    """
    if not evaluation.suspects:
        return []
    wanted = set(evaluation.suspects[:_AT_MOST])
    submission = evaluation.submission
    records = registry.get(submission.benchmark.family).records
    try:
        with store.open_records(submission.stored_as) as kept:
            return [(r.task_id, _text(r.answer)) for r in records(kept) if r.task_id in wanted]
    except FileNotFoundError:
        return None


def _text(answer: Any) -> str:
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
