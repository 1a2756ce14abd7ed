"""Dates against dates: the same day, and the same time where it was asked for. Source: section 4."""

import re

from scoring.fhir_agentbench.judge.rules.outcome import Rule, RuleOutcome
from scoring.fhir_agentbench.judge.rules.text.answers import Answer
from scoring.fhir_agentbench.judge.rules.text.dates import WrittenDate, clock_times
from scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion

_BOUND = re.compile(
    r"\b(?:before|after|since|until|till|prior to|later than|earlier than|from|not on|between|"
    r"week of|month of|by)\W{0,3}(?:the\s)?$",
    re.I,
)
# "2110-12-07 (or 8, 9)": other days, whose month is not said again.
_OR_ANOTHER = re.compile(r"\bor\b\W{0,3}(?:(?:on|maybe|perhaps|possibly|the|day)\s){0,3}\d", re.I)
_SHIFTS = (240, 300)  # minutes from Boston's clock, by which MIMIC writes, to Greenwich's


def judge_date(truth: WrittenDate, answer: Answer, question: ParsedQuestion) -> RuleOutcome:  # noqa: PLR0911 (a rule a line)
    """Return what the dates of `answer` say against `truth`."""
    stance = answer.stance
    day_known = any(moment.same_day(truth) for moment in question.moments)
    given = [one for one in answer.moments if one.minute is not None or one in answer.new_moments]
    given = given if given else (answer.moments if not stance.absent else [])
    if not given:
        return _without_dates(truth, answer, day_known)
    doubtful = answer.raw or answer.cut or stance.hedged or stance.unable or stance.turns or stance.denies
    fits = [moment for moment in given if moment.same_day(truth)]
    if not fits:
        return _no_day_fits(truth, given, answer)
    if len(fits) < len(given):
        return RuleOutcome(False, Rule.SEVERAL_VALUES, sure=False)
    apart = [moment.minutes_from(truth) for moment in fits]
    timed = [minutes for minutes in apart if minutes is not None]
    if any(minutes > 1 for minutes in timed):
        every = all(minutes > 1 for minutes in timed)
        shifted = any(m.offset is not None and a in _SHIFTS for m, a in zip(fits, apart, strict=True))
        if question.asks_day and not day_known:
            return RuleOutcome(True, Rule.DATE_EQUAL, sure=False)
        return RuleOutcome(
            False, Rule.TIME_DIFFERS, sure=every and not shifted and (question.asks_time or day_known)
        )
    if not timed and truth.minute and (question.asks_time or day_known):
        return RuleOutcome(False, Rule.TIME_DIFFERS, sure=False)
    doubtful = doubtful or any(moment.year is None or moment.other for moment in fits)
    bounded = any(_BOUND.search(answer.text[max(0, moment.start - 24) : moment.start]) for moment in fits)
    if (
        bounded
        or _OR_ANOTHER.search(answer.undated)
        or stance.unable
        or (stance.denies and not stance.spoken)
    ):
        return RuleOutcome(False, Rule.CONTRADICTION, sure=False)
    return RuleOutcome(True, Rule.DATE_EQUAL, sure=not doubtful)


def _no_day_fits(truth: WrittenDate, given: list[WrittenDate], answer: Answer) -> RuleOutcome:
    swapped = any(
        moment.other and (moment.other == (truth.month, truth.day)) and moment.year in (None, truth.year)
        for moment in given
    )
    # The same moment by Greenwich's clock may fall on the next day.
    shifted = any(moment.offset is not None and moment.minutes_from(truth) in _SHIFTS for moment in given)
    return RuleOutcome(False, Rule.DATE_DIFFERS, sure=not (swapped or shifted or answer.raw))


def _without_dates(truth: WrittenDate, answer: Answer, day_known: bool) -> RuleOutcome:
    if answer.raw:
        return RuleOutcome(False, Rule.RAW_DATA, sure=False)
    stance = answer.stance
    times = clock_times(answer.text)
    if times and truth.minute is not None and not stance.absent:
        fits = [abs(time - truth.minute) <= 1 for time in times]
        if all(fits):
            calm = not (stance.hedged or stance.unable or stance.turns or stance.denies)
            return RuleOutcome(
                day_known or answer.question.asks_time, Rule.DATE_EQUAL, sure=day_known and calm
            )
        return RuleOutcome(False, Rule.TIME_DIFFERS, sure=not any(fits))
    if stance.absent or stance.unable or stance.denies:
        return RuleOutcome(False, Rule.NO_ANSWER)
    return RuleOutcome(False, Rule.DATE_MISSING, sure=not answer.cut)
