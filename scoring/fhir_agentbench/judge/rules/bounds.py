"""Detect numbers that are not the value itself: bounds, ranges, parts of longer numbers."""

import re

from wardboard.scoring.fhir_agentbench.judge.rules.text.answers import Answer
from wardboard.scoring.fhir_agentbench.judge.rules.text.numbers import Number

# Words before a bound.
_BOUND = re.compile(
    r"\b(?:(?:more|less|fewer|greater|higher|lower|other|rather|later|earlier) than|at least|at most|"
    r"up to|over|under|above|below|half of|max|min|"
    r"anything but|almost|nearly|exceed\w*|not|minimum of|maximum of|log|multiple of|root of|"
    r"square of|before|after|beyond)\W{0,3}$",
    re.I,
)
_SIGN_BEFORE = re.compile(r"(?:[<>≤≥≠~]=?|!=|\bmax\.|\bmin\.)\s?$", re.I)
_THOUSANDS = re.compile(r"(?:[kKM]|[mbMB]n)\b(?!/)")
_BOUND_AFTER = re.compile(
    r"\s?(?:(?:\d{1,2}\s?)?[/⁄]\s?\d{1,2}(?![\d/])|\+|±|(?:-|\.+|/|~)\s?\d|"
    # "3 1/2", "3 * 10^5", "3k", "3 million": another number than 3.
    r"[*x·⋅•∙]\s?\d|[½¼¾]|and (?:a|one|1|three)?[ -]?(?:half|halves|quarters?|third)\b|"
    r"point \w+|(?:hundred|thousand|million|billion|trillion|dozen|pair)s?\b|[\s-]?(?:fold|squared|cubed)\b|"
    r"(?:\w+ )?(?:or|and) (?:more|less|fewer|greater|higher|lower|above|over|below)\b)",
    re.I,
)


def has_bound(given: list[Number], answer: Answer) -> bool:
    """Check whether a number of `given` is a bound or a part of another: "more than 3", "3k"."""
    text = answer.without_dates
    return any(
        _BOUND.search(text[max(0, number.start - 24) : number.start])
        or _SIGN_BEFORE.search(text[max(0, number.start - 5) : number.start])
        or _BOUND_AFTER.match(answer.text, number.end)  # a fraction looks like a date
        or _THOUSANDS.match(text, number.end)
        for number in given
    )
