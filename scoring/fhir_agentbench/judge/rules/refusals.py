"""Detect answers that refuse, do not know, or report a failure; none of them counts as zero."""

import re

_UNABLE = r"(?:unable|not able|failed|failure|cannot|can't|can not|could not|couldn't|inability)(?: to)?"
_FAILURES = r"(?:errors?|exception|time-?out|failure|issues?|problems?|difficult\w+)"
_FAILED = re.compile(
    rf"\b{_UNABLE} (?:access|connect|reach|load|open|query|execute|run|complete|help|assist|answer|process|"
    r"proceed|parse)\b|"
    rf"\b(?:due to|because of|encountered|got|there was|occurred) (?:an? |the )?(?:\w+ ){{0,2}}{_FAILURES}\b|"
    r"\btechnical (?:issue|problem|difficult|error|fail)\w*|"
    r"\b(?:an? |internal |server |api |tool )error\b|\berrors? (?:occurred|in|while|when)\b|^\W*error\b|"
    r"\btimed? ?out\b|\btime-out\b|^\W*sorry\W*$|"
    r"\bserver (?:is |was )?(?:down|unavailable|unreachable|not)",
    re.I,
)
_FOUND_NONE = re.compile(
    r"\bno\b[^.;\n]{0,160}?\b(?:found|recorded|available|exist\w*|documented|records?|data)\b|"
    r"\bnot (?:found|recorded|documented)\b|\bnothing (?:was )?found\b|\bnone\b",
    re.I,
)
_KNOWS_NOT = re.compile(
    r"^\W*(?:n/?a|not applicable|not available|null|nan|unknown|no answer|no idea|no comment)\W*$|"
    r"\b(?:don't|do not|doesn't|does not) (?:\w+ )?know\b|\bno idea\b|"
    r"\b(?:cannot|can't|can not|unable to|not able to) (?:say|tell|help|answer|assist)\b|\bnot sure\b|"
    r"\bno answer (?:could|can|was|is)\b",
    re.I,
)


def reports_failure(text: str) -> bool:
    """Check whether `text` reports a failure or refuses to help."""
    return _FAILED.search(text) is not None


def reports_no_records(text: str) -> bool:
    """Check whether `text` says that there are no records."""
    return _FOUND_NONE.search(text) is not None


def declines_to_answer(text: str) -> bool:
    """Check whether `text` is a refusal or says that the answer is unknown."""
    return _KNOWS_NOT.search(text) is not None
