"""Parse reference answers: a printed array, or `no answer`. Source: the authors' CSV and evaluator."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from wardboard.scoring.fhir_agentbench.judge.rules.text.dates import WrittenDate, find_dates
from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import normalise


class ReferenceKind(StrEnum):
    """Name the kind of a reference answer.

    - NO_ANSWER: the official text for a question without resources.
    - NOTHING: `[]`, no row.
    - NULL: `[[None]]`, a calculation over nothing.
    - BIT: 0 or 1, which means a number, or no and yes.
    - ODD: it cannot be read.
    """

    NO_ANSWER = "no-answer"
    NOTHING = "nothing"
    NULL = "null"
    BIT = "yes-no"
    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    LIST = "list"
    ODD = "odd"


@dataclass(frozen=True, slots=True)
class Value:
    """Hold one value of a reference: its text, and the number or date that it means."""

    text: str
    number: float | None = None
    date: WrittenDate | None = None


@dataclass(frozen=True, slots=True)
class ReferenceAnswer:
    """Hold the kind and the different values of a reference; empty if there is no answer."""

    kind: ReferenceKind
    values: tuple[Value, ...] = ()


_NOTHING = frozenset(("", "[]", "[[]]", "none", "null", "nan", "n/a", "{}"))
_NO_ANSWER = "no answer"
# An item of a printed array: quoted text, which may contain the other quote, or a bare word.
_ITEM = re.compile(r"'((?:[^'\\]|\\.|'(?=\w))*)'|\"((?:[^\"\\]|\\.)*)\"|([^\s,\[\]()'\"]+)")
_CALL = re.compile(r"\b(?:Decimal|Timestamp|datetime\.\w+|np\.\w+|array|numpy\.\w+)\s*(?=\()|,?\s*dtype=\w+")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?(?:Z|[+-]\d{2}:?\d{2})?")
_LONGEST = 200_000
_GREATEST = 1e30  # a larger number is read as text, because it may not be finite


@lru_cache(maxsize=8_192)
def read_reference(true_answer: str) -> ReferenceAnswer:
    """Parse `true_answer`; its kind is ODD if it cannot be read."""
    text = true_answer.strip()
    if text.casefold() == _NO_ANSWER:
        return ReferenceAnswer(ReferenceKind.NO_ANSWER)
    if text.casefold() in _NOTHING:
        return ReferenceAnswer(ReferenceKind.NOTHING)
    if len(text) > _LONGEST:
        return ReferenceAnswer(ReferenceKind.ODD)
    if not text.startswith("["):
        return _of_values([_value(text)])
    found = _ITEM.finditer(_CALL.sub("", text))
    items = [_value(match[1] or match[2] or match[3], match[3] is not None) for match in found]
    if not items:
        return ReferenceAnswer(ReferenceKind.NOTHING)
    return _of_values(items)


def _value(text: str | None, bare: bool = False) -> Value | None:
    text = (text or "").replace("\\'", "'").replace('\\"', '"').strip()
    if (bare and text in ("None", "nan", "NaN", "null", "NaT")) or not text:
        return None
    if _NUMBER.fullmatch(text) and abs(float(text)) < _GREATEST:
        return Value(text, number=float(text))
    if bare and text in ("True", "False"):
        return Value(text, number=float(text == "True"))
    if _DATE.fullmatch(text):
        dates = find_dates(text)
        if dates:
            return Value(text, date=dates[0])
    return Value(normalise(text))


def _of_values(values: Sequence[Value | None]) -> ReferenceAnswer:
    distinct = tuple(dict.fromkeys(value for value in values if value is not None))
    if len(distinct) > 1:
        return ReferenceAnswer(ReferenceKind.LIST, distinct)
    if not distinct:
        return ReferenceAnswer(ReferenceKind.NULL)
    (value,) = distinct
    if value.number is not None:
        return ReferenceAnswer(
            ReferenceKind.BIT if value.number in (0, 1) else ReferenceKind.NUMBER, distinct
        )
    return ReferenceAnswer(ReferenceKind.DATE if value.date is not None else ReferenceKind.NAME, distinct)
