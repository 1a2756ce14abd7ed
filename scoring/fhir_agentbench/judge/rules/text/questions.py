"""Determine the kind of value that a question asks for, as far as the rules need it."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from wardboard.scoring.fhir_agentbench.judge.rules.text.dates import WrittenDate, find_dates
from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import normalise, words


class QuestionKind(StrEnum):
    """Name what is asked for: yes or no, how many, another number, when, or what."""

    YES_NO = "side"
    COUNT = "count"
    AMOUNT = "amount"
    WHEN = "moment"
    THING = "thing"


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """Hold what a question asks for.

    - wants_time: it asks for the time of day, not only the day.
    - unit: the unit of time, "" for none.
    - compares: it asks whether one value is greater or less than another.
    - is_open: it begins by asking for a thing or a number.
    - words: the words of question and assumption.
    - pairs: neighbouring words, to recognise echoes.
    - text: the normalised question in lower case.
    """

    kind: QuestionKind
    wants_time: bool
    unit: str
    compares: bool
    is_open: bool
    words: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    dates: tuple[WrittenDate, ...]
    text: str


_AUXILIARY = r"(?:is|are|was|were|did|do|does|has|have|had|can|could|will|would)"
_SIDE = re.compile(
    rf"^(?:please,?\s)?{_AUXILIARY}\b(?!\s(?:you|i|we)\b)|\b(?:tell me|know|check|see|determine|find out|"
    rf"inform me|confirm|verify|say)\s(?:if|whether)\b|\b(?:confirm|verify) that\b|^any\b"
)
_SIDE_LATER = re.compile(
    rf"^(?:since|in|on|during|within|at|over|for|throughout|after|before|"
    rf"from|compared (?:to|with)|this|last|previous|the (?:last|previous|"
    rf"current))\b(?:[^?]{{0,160}}?,?\s{_AUXILIARY}\s(?:there|it|the|any|patient|he|she|they|a|an|\w+'s)\b|"
    # "In 07/last year has aspirin, senna or heparin been prescribed".
    rf"(?:\s[^\s?]{{1,24}}){{1,4}}?\s(?:has|have|had|was|were|did|does)\s\w)"
)
_COUNT = re.compile(
    r"\bhow (?:many|often|frequently)\b|(?<!minimum )(?<!maximum )\bnumber of\b|"
    # "Count the visits", not "the platelet count".
    r"(?:^|\b(?:the|a|me|you|keep|get|please|and|to) )count\b"
    r"(?: (?:of|the|how|up|icu|hospital|\w+ (?:visits|times))\b|\W*$)|\bhow much times\b|\bfrequency\b|"
    r"\btimes (?:that|did|was|has)\b"
)
_AMOUNT = re.compile(
    r"\bhow (?:much|long|old|tall|heavy|high|low)\b|\b(?:value|total|amount|dose|dosage|average|mean|"
    r"maximum|minimum|"
    r"difference|change|sum|volume|level|reading|measurement|weight|height|age|length of|duration|quantity)\b"
)
_MOMENT = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:time|date|day|hour)\b|\b(?:first|last|second) time\b|\btime (?:when|"
    r"of|that|at which)\b|\bdate\b|^(?:first|last) time\b|\btime did\b|\b\w+ time\b.{0,30}\bpatient\b"
)
_INTERROGATIVE = re.compile(r"\b(?:what|which|who|where|when|how|list|name)\b")
_OPENS = re.compile(
    r"^\W*(?:(?:at|in|on|by|to|for|from|during) )?(?:what|which|who|where|when|how|count|list|name|show|give|"
    r"provide|calculate|retrieve|reveal|tell)\b"
)
_THAN = re.compile(r"\b(?:less|lower|smaller|fewer|greater|higher|larger|more|bigger) than\b")
_TIME = re.compile(
    r"\b(?:what|which|at what) (?:exact )?(?:time|hour)\b|\btime of day\b|\bo'clock\b|\blist the time\b|"
    r"\bexact time\b"
)
_ELAPSED = re.compile(
    r"\bhow many (minute|hour|day|week|month|year)s\b|\bin (minute|hour|day|week|month|year)s\b|"
    r"\b(?:the|of|count) (minute|hour|day|week|month|year)s\b"
)
_COMPARES = re.compile(
    r"\b(?:less|lower|smaller|below|under|fewer|greater|higher|larger|bigger|(?:more|above|over) than)\b"
)


@lru_cache(maxsize=8_192)
def read_question(question: str, assumption: str | None) -> ParsedQuestion:
    """Return what `question` asks for. Cached, because one question gets many answers."""
    text = normalise(question)
    low = text.casefold()
    order = words(f"{text} {normalise(assumption or '')}")
    unit = _ELAPSED.search(low)
    kind = _question_kind(low)
    return ParsedQuestion(
        kind=kind,
        wants_time=bool(_TIME.search(low)),
        unit=next((name for name in unit.groups() if name), "") if unit else "",
        compares=kind is QuestionKind.YES_NO and _COMPARES.search(low) is not None,
        is_open=_OPENS.match(low) is not None,
        words=frozenset(order),
        pairs=frozenset(pairwise(order)),
        dates=tuple(find_dates(text)),
        text=low,
    )


def _question_kind(low: str) -> QuestionKind:  # noqa: PLR0911 (a rule a line)
    if _SIDE.search(low) or (_SIDE_LATER.search(low) and not _INTERROGATIVE.search(low)):
        return QuestionKind.YES_NO
    if _THAN.search(low) and not _INTERROGATIVE.search(low) and not _OPENS.match(low):
        return QuestionKind.YES_NO  # "The value was last greater than the one before?"
    if _COUNT.search(low):
        return QuestionKind.COUNT
    if re.match(r"^\W*(?:when|what time|what date)\b", low):
        return QuestionKind.WHEN
    if _AMOUNT.search(low) and not re.search(r"\bwhen\b|\b(?:first|last) time\b", low):
        return QuestionKind.AMOUNT
    if _MOMENT.search(low):
        return QuestionKind.WHEN
    return QuestionKind.THING
