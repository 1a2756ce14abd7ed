"""Why a task was judged as it was."""

from enum import StrEnum


class Reason(StrEnum):
    """The first check that failed, in the official graders' order; CORRECT if none did."""

    CORRECT = "correct"
    ANSWER_MISMATCH = "answer-mismatch"
    ANSWER_NOT_JSON = "answer-not-json"
    UNEXPECTED_POST = "unexpected-post"
    POST_COUNT = "post-count"
    POST_URL = "post-url"
    POST_PAYLOAD = "post-payload"
    GRADER_ERROR = "grader-error"
    REFERENCE_UNUSABLE = "reference-unusable"
    NO_ANSWER = "no-answer"
    MISSING = "missing"


# Stored with every verdict, so a number is never changed and never used again.
_CODES = {
    Reason.CORRECT: 0,
    Reason.ANSWER_MISMATCH: 1,
    Reason.ANSWER_NOT_JSON: 2,
    Reason.UNEXPECTED_POST: 3,
    Reason.POST_COUNT: 4,
    Reason.POST_URL: 5,
    Reason.POST_PAYLOAD: 6,
    Reason.GRADER_ERROR: 7,
    Reason.REFERENCE_UNUSABLE: 8,
    Reason.NO_ANSWER: 9,
    Reason.MISSING: 10,
}
_REASONS = {code: reason for reason, code in _CODES.items()}


def reason_code(reason: str) -> int:
    """Return the permanent number, 0..255, of `reason`. Raises ValueError for what is no Reason."""
    return _CODES[Reason(reason)]


def reason_of(code: int) -> Reason:
    """Return the Reason that `code` stands for. Raises ValueError if there is none."""
    if code not in _REASONS:
        raise ValueError(f"{code} stands for no grading reason")
    return _REASONS[code]
