"""Judge dates: the same day, and the same time if it was asked for. Source: the rubric (judge.py)."""

import re

from wardboard.scoring.fhir_agentbench.judge.rules.outcome import Rule, RuleOutcome, right, unsure, wrong
from wardboard.scoring.fhir_agentbench.judge.rules.text.answers import Answer
from wardboard.scoring.fhir_agentbench.judge.rules.text.dates import WrittenDate
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion

_BOUND = re.compile(
    r"\b(?:before|after|since|until|till|prior to|later than|earlier than|from|not on|between|"
    r"week of|month of|by|not|never|wrong \w+ is|other than|anything but)\W{0,3}(?:the\s)?$",
    re.I,
)
# Of a date, also in words.
_DIGIT = re.compile(r"\d|\b(?:first|second|third|\w+teenth|\w+tieth|\w+[a-z]th)\b")
_HALF_A_DAY = 720  # minutes by which the same moment may differ in two time zones


def judge_date(expected: WrittenDate, answer: Answer, question: ParsedQuestion) -> RuleOutcome:  # noqa: PLR0911 (a rule a line)
    """Return whether `answer` gives the day of `expected` and, where asked for, the time."""
    stance = answer.stance
    is_day_known = any(written.same_day(expected) for written in question.dates)
    given = [written for written in answer.dates if written.minute is not None or written in answer.new_dates]
    given = given if given else (answer.dates if not stance.absent else [])
    if answer.is_data:
        return unsure(Rule.RAW_DATA)
    if not given:
        return _without_dates(answer)
    same_day = [written for written in given if written.same_day(expected)]
    if not same_day:
        return unsure(Rule.DATE_DIFFERS) if _may_be_meant(expected, given) else wrong(Rule.DATE_DIFFERS)
    if len(same_day) < len(given):
        return unsure(Rule.SEVERAL_VALUES)
    asks_time = question.wants_time or is_day_known
    apart = [minutes for written in same_day if (minutes := written.minutes_from(expected)) is not None]
    if any(minutes > 1 for minutes in apart):
        # In another time zone it may be the same moment.
        has_zone = any(written.has_zone for written in same_day)
        is_wrong = all(minutes > 1 for minutes in apart) and asks_time and not has_zone
        return wrong(Rule.TIME_DIFFERS) if is_wrong else unsure(Rule.TIME_DIFFERS)
    if not apart and expected.minute and asks_time:
        return unsure(Rule.TIME_DIFFERS)
    year = str(expected.year)
    is_in_year = year in answer.text or year in question.text
    is_doubtful = (
        answer.is_cut
        or stance.doubts
        or any(
            (written.year is None and not is_in_year)
            or (written.swapped and not written.is_us)
            or _BOUND.search(answer.text[max(0, written.start - 24) : written.start])
            for written in same_day
        )
    )
    return unsure(Rule.CONTRADICTION) if is_doubtful else right(Rule.DATE_EQUAL)


def _may_be_meant(expected: WrittenDate, given: list[WrittenDate]) -> bool:
    """Check whether the day is `expected` with day and month swapped, or in another time zone."""
    return any(
        (written.has_zone and (written.minutes_from(expected) or 0) <= _HALF_A_DAY)
        or (written.swapped == (expected.month, expected.day) and written.year in (None, expected.year))
        for written in given
    )


def _without_dates(answer: Answer) -> RuleOutcome:
    stance = answer.stance
    if stance.absent or stance.unable or stance.denies:
        return wrong(Rule.NO_ANSWER)
    # A digit may be of a date that is written in a way that is not read.
    may_be_date = _DIGIT.search(answer.without_ids) is not None
    return unsure(Rule.DATE_MISSING) if answer.is_cut or may_be_date else wrong(Rule.DATE_MISSING)
