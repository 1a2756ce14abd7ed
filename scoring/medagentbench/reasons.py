"""The reasons for verdicts."""

from enum import StrEnum


class Reason(StrEnum):
    """Name the first check that failed, in the official graders' order; CORRECT if none did.

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
