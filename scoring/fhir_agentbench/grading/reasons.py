"""The reasons for verdicts."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from wardboard.scoring.judging import JudgeVerdict


class FhirReason(StrEnum):
    """What decided a verdict. Officially, the file itself decides first, a judge last.

    Stored by position: never move or remove one, and add new ones at the end.
    """

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
    LEFT_OPEN = "left-open"
    RIGHT_BY_OFFICIAL_JUDGE = "right-by-official-llm-judge"
    WRONG_BY_OFFICIAL_JUDGE = "wrong-by-official-llm-judge"


_RIGHT = {
    FhirReason.RIGHT_BY_RULES,
    FhirReason.RIGHT_BY_LLM,
    FhirReason.RIGHT_NO_ANSWER,
    FhirReason.RIGHT_BY_OFFICIAL_JUDGE,
}

# Remarks on answers that are wrong by the file alone.
REMARKS: Mapping[str, str] = MappingProxyType(
    {
        FhirReason.MISSING: "not in the file",
        FhirReason.WRONG_ERROR: "error",
        FhirReason.WRONG_TOKEN_LIMIT: "token limit",
        FhirReason.WRONG_NULL: "no answer",
        FhirReason.WRONG_NOT_TEXT: "not a text",
    }
)


_JUDGED = (
    FhirReason.WRONG_BY_RULES,
    FhirReason.WRONG_BY_LLM,
    FhirReason.WRONG_SUSPECT,
    FhirReason.LEFT_OPEN,
)
# What a judge does not accept is one failure: its number then follows from the rate and the file.
FAILURES: Mapping[str, str] = MappingProxyType(
    {**dict.fromkeys(_JUDGED, "not accepted by the judge"), **REMARKS}
)


def is_correct(reason: str) -> bool | None:
    """Return whether an answer with this reason is correct; None if it is undecided, for now or for good."""
    return None if reason in (FhirReason.UNDECIDED, FhirReason.LEFT_OPEN) else reason in _RIGHT


def reason_from_verdict(verdict: JudgeVerdict) -> FhirReason:
    """Return the reason for a judge's verdict."""
    if verdict.correct is None:
        return FhirReason.LEFT_OPEN if verdict.left_open else FhirReason.UNDECIDED
    if verdict.suspect and not verdict.correct:
        return FhirReason.WRONG_SUSPECT
    if verdict.by == "official":
        return FhirReason.RIGHT_BY_OFFICIAL_JUDGE if verdict.correct else FhirReason.WRONG_BY_OFFICIAL_JUDGE
    if verdict.by == "rules":
        return FhirReason.RIGHT_BY_RULES if verdict.correct else FhirReason.WRONG_BY_RULES
    return FhirReason.RIGHT_BY_LLM if verdict.correct else FhirReason.WRONG_BY_LLM
