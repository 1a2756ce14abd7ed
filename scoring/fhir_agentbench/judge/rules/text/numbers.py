"""Find numbers as people and programs write them."""

import math
import re
from dataclasses import dataclass

_UNITS_TEXT = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen
"""
_TENS_TEXT = "twenty thirty forty fifty sixty seventy eighty ninety"
_UNITS, _TENS = _UNITS_TEXT.split(), _TENS_TEXT.split()
_WORDS: dict[str, float] = {word: value for value, word in enumerate(_UNITS)}
_WORDS |= {word: 10 * value for value, word in enumerate(_TENS, start=2)}
_WORDS |= {f"{ten}-{unit}": _WORDS[ten] + _WORDS[unit] for ten in _TENS for unit in _UNITS[1:10]}
_WORDS |= {"a-single": 1, "once": 1, "twice": 2, "thrice": 3}
NUMBER_WORDS = frozenset(_WORDS)
_TEN_WORDS = "|".join(_TENS)
_SPOKEN = re.compile(
    r"\b(?!ones\b)(?P<word>(?:"
    + _TEN_WORDS
    + r")(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?|"
    + "|".join(sorted(_UNITS, key=len, reverse=True))
    + r"|once|twice|thrice|a single)(?:(?<!x)s|(?<=x)es)?\b(?!-(?:third|half|quarter))",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?<![\w.,/^-])(?P<sign>[-+])?\s?(?P<body>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d+"
    r"|\d{1,3}(?: \d{3})+(?:\.\d+)?(?!\d)|\d+,\d{1,2}(?![\d,])|\d*\.\d+|\d+\.?)"
    r"(?P<power>[eE][-+]?\d{1,3}\b|\s?x\s?10\s?\^?\s?[-+]?\d{1,2}\b)?(?![\d^])",
)
_GERMAN = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+")
_WITH_COMMA = re.compile(r"\d+,\d{1,2}")
_THOUSANDS = re.compile(r"\d{1,3}\.\d{3}")
_AFTER = re.compile(r"[\s-]*(%|[^\W\d_]+)")
_BEFORE = re.compile(r"([^\W\d_]+)[\s:(]*$")
_NO_COUNT_TEXT = "no any this that each the which last first latest newest only other another next not"
_NO_COUNT = frozenset(_NO_COUNT_TEXT.split())
_PRONOUNS = frozenset(("these", "those", "all", "both", "other", "remaining"))
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")

_GREATEST_POWER = 30  # of ten; no measurement exceeds it

_HOURS = {"minute": 1 / 60, "min": 1 / 60, "hour": 1.0, "hr": 1.0, "h": 1.0, "day": 24.0, "week": 168.0}
_HOURS |= {"d": 24.0, "hrs": 1.0, "mins": 1 / 60, "wk": 168.0, "month": 730.5, "year": 8766.0}


@dataclass(frozen=True, slots=True)
class Number:
    """Hold a number found in a text.

    - digits: how many were written after the decimal point.
    - before, after: the words beside it in lower case, `after` in the singular; "" for none.
    - alternatives: other readings, such as 1234 for a German `1.234`.
    """

    value: float
    digits: int
    before: str
    after: str
    start: int
    end: int
    alternatives: tuple[float, ...] = ()


def find_numbers(text: str) -> list[Number]:
    """Return the numbers in `text` in order, in digits or in words up to ninety-nine."""
    counts = (match for match in _NUMBER.finditer(text) if not _ORDINAL.match(text, match.end()))
    numbers = [number for match in counts if (number := _read_number(text, match)) is not None]
    for match in _SPOKEN.finditer(text):
        value = _WORDS[match["word"].casefold().replace(" ", "-")]
        before, after = _words_beside(text, match.start(), match.end())
        if before in _PRONOUNS:
            continue  # "these four"
        # "one of them", "this one", "no one" and "not once" are not counts.
        if not (
            value == 1
            and (after == "of" or before in _NO_COUNT or (before == "even" and match[0].casefold() == "once"))
        ):
            numbers.append(Number(value, 0, before, after, match.start(), match.end()))
    return sorted(numbers, key=lambda number: number.start)


def hours_in(unit: str) -> float | None:
    """Return the hours in one `unit` of time, None for other words."""
    return _HOURS.get(unit)


def rounds_alike(first: float, second: float) -> bool:
    """Check whether both round to the same integer, a half either way. Source: the rubric (judge.py)."""
    if not (math.isfinite(first) and math.isfinite(second)):
        return False
    return round(first) == round(second) or math.floor(first + 0.5) == math.floor(second + 0.5)


def _words_beside(text: str, start: int, end: int) -> tuple[str, str]:
    after = _AFTER.match(text, end)
    before = _BEFORE.search(text[max(0, start - 24) : start])
    return (
        before[1].casefold() if before else "",
        _singular(after[1].casefold()) if after else "",
    )


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 2 and word.endswith("s") and not word.endswith("ss") else word


def _read_number(text: str, match: re.Match[str]) -> Number | None:
    body, alternatives = match["body"].rstrip("."), []
    if _GERMAN.fullmatch(body):
        digits_text = body.replace(".", "").replace(",", ".")
    elif " " in body:
        digits_text = body.replace(" ", "")
        alternatives = [float(part) for part in body.split(" ")]
    elif _WITH_COMMA.fullmatch(body):
        digits_text = body.replace(",", ".")
        alternatives = [float(part) for part in body.split(",")]
    else:
        digits_text = body.replace(",", "")
        if _THOUSANDS.fullmatch(body):
            alternatives = [float(body.replace(".", ""))]
    if len(digits_text) > 30:
        return None
    value = float(digits_text) * (-1.0 if match["sign"] == "-" else 1.0)
    power = match["power"]
    if power:
        exponent = int(re.sub(r"^(?:[eE]|\s?x\s?10\s?\^?\s?)", "", power).replace(" ", "") or 0)
        if abs(exponent) > _GREATEST_POWER:
            return None
        value *= 10.0**exponent
    before, after = _words_beside(text, match.start("body"), match.end())
    digits = len(digits_text.partition(".")[2]) if not power else 9
    start = match.start("sign") if match["sign"] else match.start("body")
    return Number(value, digits, before, after, start, match.end(), tuple(alternatives))
