"""Find dates as people and programs write them."""

import re
from dataclasses import dataclass
from datetime import date

_MONTH_NAMES = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DIGIT = re.compile(r"\d")
_DAY = re.compile(
    r"(?=[\djfmasond])(?<![\d.])(?:(?P<iso_y>\d{4})[-/.](?P<iso_m>\d{1,2})[-/.](?P<iso_d>\d{1,2})"
    r"|(?P<us_m>\d{1,2})[/-](?P<us_d>\d{1,2})[/-](?P<us_y>\d{4}|\d{2}(?![\d/]))"
    r"|(?P<dot_d>\d{1,2})\.(?P<dot_m>\d{1,2})\.(?P<dot_y>\d{4})"
    r"|(?P<dmy_d>\d{1,2})(?:st|nd|rd|th)?(?:\s+day)?[\s-]+(?:of\s+)?(?P<dmy_m>"
    + _MONTH
    + r")\b\.?,?[\s-]*(?P<dmy_y>\d{4})?"
    r")(?!\d)|\b(?P<mdy_m>"
    + _MONTH
    + r")\b\.?\s+(?:the\s+)?(?P<mdy_d>\d{1,2})(?:st|nd|rd|th)?(?!\d)(?:,?\s+(?:of\s+)?(?P<mdy_y>\d{4})\b)?",
    re.IGNORECASE,
)
_CLOCK = (
    r"(?P<h>\d{1,2}):(?P<min>\d{2})(?::\d{2}(?:[.,]\d{1,9})?)?\s?"
    r"(?P<half>[ap]\.?m\b\.?|in the (?:morning|afternoon|evening)\b)?"
    r"|(?P<h2>\d{1,2})\s?(?P<half2>[ap]\.?m\b\.?)"
    r"|(?P<h3>[01]\d|2[0-3])(?P<min3>[0-5]\d)\s?(?:hours|hrs|h)\b|(?P<h4>[01]?\d|2[0-3])h(?P<min4>[0-5]\d)\b"
)
_CLOCK_HERE = re.compile(_CLOCK, re.IGNORECASE)
_CLOCK_AFTER = re.compile(
    r"(?:T|[\s,(]*(?:at|@|around|approximately|about|with a time of|time:?)?\s*)(?:"
    + _CLOCK
    # Beside a date, four digits are a time.
    + r"|(?P<h5>[01]\d|2[0-3])(?P<min5>[0-5]\d)\b(?![.,:/-]?\d))",
    re.IGNORECASE,
)
_CLOCK_BEFORE = re.compile(r"(?:" + _CLOCK + r")\s?,?\s?(?:on|of)?\s?(?:the\s)?$", re.IGNORECASE)
_ZONE = re.compile(
    r"\s?\(?(?:(?:Z\b|UTC|GMT)\s?(?:[+-]\d{1,2}(?::?\d{2})?)?|[+-]\d{1,2}(?::?\d{2})?)", re.IGNORECASE
)
# Partial dates: not usable as a date, and not numbers either.
_PARTS = re.compile(
    r"\b\d{1,2}/\d{4}\b|\b\d{1,2}/\d{1,2}(?=/| of |/?this|/?last|\b)|\b(?:this|last) (?:month|"
    r"year)/\d{1,2}(?:/\d{1,2})?"
    r"|\b" + _MONTH + r",?\s+(?:of\s+)?\d{4}\b"
    r"|\b(?:in|since|during|of|year|year of|throughout|from|until|before|after|for|"
    r"by) (?:the year )?(?:19|2[01])\d\d\b(?![.,]\d)|\b(?:19|2[01])\d\d(?=-\d\d\b)-\d\d",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """Hold a date found in a text.

    - year: None if it was not written.
    - month, day: from 1.
    - minute: of the day, None if no time was written.
    - has_zone: a time zone is written.
    - swapped: (month, day) in the other order, if both readings are possible.
    - is_us: it is written as the questions write dates, the month first.
    """

    year: int | None
    month: int
    day: int
    minute: int | None = None
    has_zone: bool = False
    swapped: tuple[int, int] | None = None
    start: int = 0
    end: int = 0
    is_us: bool = False

    def same_day(self, expected: "WrittenDate") -> bool:
        """Check whether this is the day of `expected`; a missing year matches every year."""
        return (self.month, self.day) == (expected.month, expected.day) and self.year in (None, expected.year)

    def minutes_from(self, expected: "WrittenDate") -> int | None:
        """Return the minutes between both in local time, None if one has no time or year."""
        if self.minute is None or expected.minute is None or not self.year or not expected.year:
            return None
        days = date(self.year, self.month, self.day).toordinal()
        days -= date(expected.year, expected.month, expected.day).toordinal()
        return abs(days * 1440 + self.minute - expected.minute)


def find_dates(text: str) -> list[WrittenDate]:
    """Return the dates in `text`, in order, each with the time beside it."""
    if not _DIGIT.search(text):
        return []
    found = (_read_date(text, match) for match in _DAY.finditer(text))
    return [written for written in found if written is not None]


def blank_dates(text: str, dates: list[WrittenDate]) -> str:
    """Return `text` with spaces in place of `dates`, times and partial dates."""
    if not _DIGIT.search(text):
        return text
    for written in dates:
        text = text[: written.start] + " " * (written.end - written.start) + text[written.end :]
    return _PARTS.sub(_blank, _CLOCK_HERE.sub(_blank, text))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _read_date(text: str, match: re.Match[str]) -> WrittenDate | None:
    form = str(match.lastgroup).split("_")[0]
    year, month, day = match[f"{form}_y"], match[f"{form}_m"], int(match[f"{form}_d"])
    # The dates of MIMIC-IV are of 2100 and later.
    year = f"21{year}" if year and len(year) == 2 else year
    month = int(month) if month.isdigit() else _MONTH_NAMES.index(month[:3].casefold()) + 1
    swapped = (day, month) if form in ("us", "dot") and max(day, month) <= 12 and day != month else None
    if form == "us" and month > 12 >= day:
        month, day = day, month
    try:
        date(int(year or 2000), month, day)
    except ValueError:
        return None
    minute, has_zone, end = _read_time(text, match.start(), match.end())
    return WrittenDate(
        int(year) if year else None, month, day, minute, has_zone, swapped, match.start(), end, form == "us"
    )


def _read_time(text: str, start: int, end: int) -> tuple[int | None, bool, int]:
    after = _CLOCK_AFTER.match(text, end)
    minute = _minute_of_day(after) if after else None
    if after is not None and minute is not None:
        zone = _ZONE.match(text, after.end())
        return minute, zone is not None, zone.end() if zone else after.end()
    before = _CLOCK_BEFORE.search(text[max(0, end - 60) : start])
    return _minute_of_day(before) if before else None, False, end


def _minute_of_day(match: re.Match[str]) -> int | None:
    groups = match.groupdict()
    hour = int(next(groups[name] for name in ("h", "h2", "h3", "h4", "h5") if groups.get(name)))
    minute = int(next((groups[name] for name in ("min", "min3", "min4", "min5") if groups.get(name)), 0))
    half = (match["half"] or match["half2"] or "").casefold()
    if half and not (half.startswith("in") and hour > 12):
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half.startswith("p") or half.endswith(("noon", "evening")) else 0)
    return hour * 60 + minute if hour < 24 and minute < 60 else None
