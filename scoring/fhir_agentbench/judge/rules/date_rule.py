"""Judge dates: the same day, and the same time if it was asked for. Source: the rubric (judge.py)."""

import re

from wardboard.scoring.fhir_agentbench.judge.rules.outcome import Rule, RuleOutcome
from wardboard.scoring.fhir_agentbench.judge.rules.text.answers import Answer
from wardboard.scoring.fhir_agentbench.judge.rules.text.dates import WrittenDate, clock_times
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion

_BOUND = re.compile(
    r"\b(?:before|after|since|until|till|prior to|later than|earlier than|from|not on|between|"
    r"week of|month of|by|not|never|wrong \w+ is|other than|anything but)\W{0,3}(?:the\s)?$",
    re.I,
)
# "2110-12-07 (or 8, 9)": other days, without the month.
_OR_ANOTHER = re.compile(r"\bor\b\W{0,3}(?:(?:on|maybe|perhaps|possibly|the|day)\s){0,3}\d", re.I)
_SHIFTS = (240, 300)  # minutes between UTC and Boston, whose local time MIMIC uses


def judge_date(expected: WrittenDate, answer: Answer, question: ParsedQuestion) -> RuleOutcome:  # noqa: PLR0911 (a rule a line)
    stance = answer.stance
    day_known = any(written.same_day(expected) for written in question.dates)
    given = [written for written in answer.dates if written.minute is not None or written in answer.new_dates]
    given = given if given else (answer.dates if not stance.absent else [])
    if not given:
        return _without_dates(expected, answer, day_known)
    doubtful = (
        answer.is_data or answer.is_cut or stance.chooses or stance.unable or stance.retracts or stance.denies
    )
    same_day_dates = [written for written in given if written.same_day(expected)]
    if not same_day_dates:
        return _no_day_fits(expected, given, answer)
    if len(same_day_dates) < len(given):
        return RuleOutcome(False, Rule.SEVERAL_VALUES, sure=False)
    minutes_apart = [written.minutes_from(expected) for written in same_day_dates]
    known_minutes = [minutes for minutes in minutes_apart if minutes is not None]
    if any(minutes > 1 for minutes in known_minutes):
        all_differ = all(minutes > 1 for minutes in known_minutes)
        is_shifted = any(
            written.offset is not None and minutes in _SHIFTS
            for written, minutes in zip(same_day_dates, minutes_apart, strict=True)
        )
        if question.wants_day and not day_known:
            return RuleOutcome(True, Rule.DATE_EQUAL, sure=False)
        return RuleOutcome(
            False,
            Rule.TIME_DIFFERS,
            sure=all_differ and not is_shifted and (question.wants_time or day_known),
        )
    if not known_minutes and expected.minute and (question.wants_time or day_known):
        return RuleOutcome(False, Rule.TIME_DIFFERS, sure=False)
    year = str(expected.year)
    is_in_year = year in answer.text or year in question.text
    doubtful = doubtful or any(
        (written.year is None and not is_in_year) or (written.swapped and not written.is_us)
        for written in same_day_dates
    )
    is_bounded = any(
        _BOUND.search(answer.text[max(0, written.start - 24) : written.start]) for written in same_day_dates
    )
    if (
        is_bounded
        or _OR_ANOTHER.search(answer.without_dates)
        or stance.unable
        or (stance.denies and not stance.explicit)
    ):
        return RuleOutcome(False, Rule.CONTRADICTION, sure=False)
    return RuleOutcome(True, Rule.DATE_EQUAL, sure=not doubtful)


def _no_day_fits(expected: WrittenDate, given: list[WrittenDate], answer: Answer) -> RuleOutcome:
    swapped = any(
        written.swapped
        and (written.swapped == (expected.month, expected.day))
        and written.year in (None, expected.year)
        for written in given
    )
    # The same moment in UTC may fall on the next day.
    is_shifted = any(
        written.offset is not None and written.minutes_from(expected) in _SHIFTS for written in given
    )
    return RuleOutcome(False, Rule.DATE_DIFFERS, sure=not (swapped or is_shifted or answer.is_data))


def _without_dates(expected: WrittenDate, answer: Answer, day_known: bool) -> RuleOutcome:
    if answer.is_data:
        return RuleOutcome(False, Rule.RAW_DATA, sure=False)
    stance = answer.stance
    times = clock_times(answer.text)
    if times and expected.minute is not None and not stance.absent:
        same_day_dates = [abs(time - expected.minute) <= 1 for time in times]
        if all(same_day_dates):
            calm = not (stance.hedged or stance.unable or stance.retracts or stance.denies)
            return RuleOutcome(
                day_known or answer.question.wants_time, Rule.DATE_EQUAL, sure=day_known and calm
            )
        return RuleOutcome(False, Rule.TIME_DIFFERS, sure=not any(same_day_dates))
    if stance.absent or stance.unable or stance.denies:
        return RuleOutcome(False, Rule.NO_ANSWER)
    # A digit may be of a date that is written in a way that is not read.
    has_digit = (
        re.search(r"\d|\b(?:first|second|third|\w+teenth|\w+tieth|\w+[a-z]th)\b", answer.without_ids)
        is not None
    )
    return RuleOutcome(False, Rule.DATE_MISSING, sure=not (answer.is_cut or has_digit))
