"""The reasons for verdicts."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Reason(StrEnum):
    """The first check that failed, in the official graders' order; CORRECT if none did.

    Stored by position: never move or remove one, and add new ones at the end.
    """

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


# The file alone gives these away, so they reveal nothing of a reference.
REMARKS: Mapping[str, str] = MappingProxyType(
    {Reason.MISSING: "not in the file", Reason.NO_ANSWER: "no answer"}
)
FAILURES: Mapping[str, str] = MappingProxyType(
    {
        Reason.ANSWER_MISMATCH: "wrong answer",
        Reason.ANSWER_NOT_JSON: "answer that is not JSON",
        Reason.UNEXPECTED_POST: "POST where none was due",
        Reason.POST_COUNT: "too few or too many POSTs",
        Reason.POST_URL: "POST to the wrong address",
        Reason.POST_PAYLOAD: "wrong content of a POST",
        **REMARKS,
    }
)
