"""Why a question was judged as it was."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from scoring.judging import JudgeVerdict


class Reason(StrEnum):
    """What decided, in the official order: the file itself first, a judge last."""

    RIGHT_BY_RULES = "right-by-rules"
    RIGHT_BY_LLM = "right-by-llm"
    RIGHT_NO_ANSWER = "right-no-answer"
    WRONG_ERROR = "wrong-error"
    WRONG_TOKEN_LIMIT = "wrong-token-limit"
    WRONG_NULL = "wrong-null"
    WRONG_NOT_TEXT = "wrong-not-text"
    WRONG_BY_RULES = "wrong-by-rules"
    WRONG_BY_LLM = "wrong-by-llm"
    WRONG_SUSPECT = "wrong-suspect"
    MISSING = "missing"
    UNDECIDED = "undecided"


# Stored with every verdict, so a number is never changed and never used again.
_CODES = {
    Reason.RIGHT_BY_RULES: 0,
    Reason.RIGHT_BY_LLM: 1,
    Reason.RIGHT_NO_ANSWER: 2,
    Reason.WRONG_ERROR: 3,
    Reason.WRONG_TOKEN_LIMIT: 4,
    Reason.WRONG_NULL: 5,
    Reason.WRONG_NOT_TEXT: 6,
    Reason.WRONG_BY_RULES: 7,
    Reason.WRONG_BY_LLM: 8,
    Reason.WRONG_SUSPECT: 9,
    Reason.MISSING: 10,
    Reason.UNDECIDED: 11,
}
_REASONS = {code: reason for reason, code in _CODES.items()}
_RIGHT = {Reason.RIGHT_BY_RULES, Reason.RIGHT_BY_LLM, Reason.RIGHT_NO_ANSWER}

# What the file alone tells of a wrong answer.
REMARKS: Mapping[str, str] = MappingProxyType(
    {
        Reason.MISSING: "not in the file",
        Reason.WRONG_ERROR: "error",
        Reason.WRONG_TOKEN_LIMIT: "token limit",
        Reason.WRONG_NULL: "no answer",
        Reason.WRONG_NOT_TEXT: "not a text",
    }
)


def reason_code(reason: str) -> int:
    """Return the permanent number, 0..255, of `reason`. Raises ValueError for what is no Reason."""
    return _CODES[Reason(reason)]


def reason_of(code: int) -> Reason:
    """Return the Reason that `code` stands for. Raises ValueError if there is none."""
    if code not in _REASONS:
        raise ValueError(f"{code} stands for no grading reason")
    return _REASONS[code]


def is_correct(reason: Reason) -> bool | None:
    """Return whether an answer judged so is right; None: it is undecided."""
    return None if reason is Reason.UNDECIDED else reason in _RIGHT


def reason_for(verdict: JudgeVerdict) -> Reason:
    """Return the reason that a judge's verdict comes to; a verdict from the cache is the LLM's."""
    if verdict.correct is None:
        return Reason.UNDECIDED
    if verdict.suspect and not verdict.correct:
        return Reason.WRONG_SUSPECT
    if verdict.by == "rules":
        return Reason.RIGHT_BY_RULES if verdict.correct else Reason.WRONG_BY_RULES
    return Reason.RIGHT_BY_LLM if verdict.correct else Reason.WRONG_BY_LLM
