"""Judge numbers: equal after rounding to the nearest whole number. Source: the rubric (judge.py)."""

import re
from itertools import pairwise

from wardboard.scoring.fhir_agentbench.judge.rules.outcome import Rule, RuleOutcome, right, unsure, wrong
from wardboard.scoring.fhir_agentbench.judge.rules.text.answers import Answer
from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import words
from wardboard.scoring.fhir_agentbench.judge.rules.text.numbers import Number, hours_in, rounds_alike
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion, QuestionKind
from wardboard.scoring.fhir_agentbench.judge.rules.text.units import contradicts_unit
from wardboard.scoring.fhir_agentbench.judge.rules.topic import (
    has_other_subject,
    names_other_day,
    names_other_ordinal,
    names_other_year,
)

# Words after a count that do not name the counted thing.
_PLAIN_NOUNS_TEXT = """
time in on of for total at and during since occasion record result observation entry order instance count
distinct different unique separate administration dose event prescription
"""
_PLAIN_NOUNS = frozenset(_PLAIN_NOUNS_TEXT.split())
_RATE = re.compile(r"\s?(?:x|times?)?\s?(?:daily|weekly|hourly|per|a day|a week|each|every)\b", re.I)
_NO_CHANGE = re.compile(
    r"\bno (?:change|difference)\b|\bunchanged\b|\b(?:not|n't) (?:change|differ)\w*|"
    r"\b(?:the same|identical|equal)\b",
    re.I,
)
_ROOM = 0.1  # by which a value may be rounded otherwise
_SCALES = (1000.0, 0.001, 24.0, 1 / 24, 60.0, 1 / 60, 7.0, 1 / 7, 100.0, 0.01)
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


def judge_number(expected: float, answer: Answer, question: ParsedQuestion) -> RuleOutcome:  # noqa: PLR0911 (a rule a line)
    """Return whether `answer` gives the number `expected`, and no other."""
    given = answer.numbers
    if not given:
        stance = answer.stance
        if answer.is_data:
            return unsure(Rule.RAW_DATA)
        if expected == 0 and not (
            question.kind is QuestionKind.AMOUNT and stance.absent and not _NO_CHANGE.search(answer.text)
        ):
            # Having nothing to compute is not a result of 0; having nothing to count is.
            is_none = question.kind is QuestionKind.COUNT and (stance.absent or stance.denies)
            if not is_none or stance.unable or stance.failed or stance.hedged or stance.retracts:
                return unsure(Rule.NO_ANSWER)
            about = {word for word in question.words if len(word) > 3} - {"patient"}
            is_of_topic = stance.denies or about & set(answer.words)
            return right(Rule.NUMBER_EQUAL) if is_of_topic else unsure(Rule.NO_ANSWER)
        if stance.absent or stance.unable or stance.denies:
            return wrong(Rule.NO_ANSWER)
        is_echoed = any(_nearly_matches(expected, number, question) for number in answer.all_numbers)
        is_there = is_echoed or answer.writes(expected) or answer.is_cut
        return unsure(Rule.NUMBER_MISSING) if is_there else wrong(Rule.NUMBER_MISSING)
    if answer.is_data:
        return unsure(Rule.RAW_DATA)
    matching = [number for number in given if _matches(expected, number, question)]
    if len(matching) == len(given):
        return _judge_all_match(expected, given, answer, question)
    if matching:
        return unsure(Rule.SEVERAL_VALUES)
    if expected == 0 and (answer.stance.absent or _NO_CHANGE.search(answer.text)):
        return unsure(Rule.NUMBER_DIFFERS)
    if sum(hours_in(number.after) is not None for number in given) > 1:
        return unsure(Rule.SEVERAL_VALUES)  # "2 days and 5 hours"
    # Labels and echoes of the question are no values, but may be read as such only by mistake.
    is_near = any(_nearly_matches(expected, number, question) for number in (*given, *answer.all_numbers))
    return unsure(Rule.NUMBER_DIFFERS) if is_near or answer.writes(expected) else wrong(Rule.NUMBER_DIFFERS)


def _matches(expected: float, number: Number, question: ParsedQuestion) -> bool:
    value = _in_unit(number, question)
    return rounds_alike(expected, value) and (expected < 0) == (value < 0 or (expected < 0 and value == 0))


def _in_unit(number: Number, question: ParsedQuestion) -> float:
    """Convert the number to the requested unit of time; return it unchanged without one."""
    asked_hours, written_hours = hours_in(question.unit), hours_in(number.after)
    if asked_hours and written_hours and asked_hours != written_hours:
        return number.value * written_hours / asked_hours
    return number.value


def _is_precise(expected: float, number: Number, question: ParsedQuestion) -> bool:
    """Check whether the number equals `expected` to the digits written, or nearly."""
    value = _in_unit(number, question)
    room = max(0.5 * 10.0**-number.digits, min(_ROOM, 0.005 * abs(expected)))
    return abs(expected - value) <= room + 1e-9


def _nearly_matches(expected: float, number: Number, question: ParsedQuestion) -> bool:
    """Check whether another reading of the number, or of its unit, would match."""
    value = _in_unit(number, question)
    if abs(expected - value) < 1 or abs(expected) == abs(value):
        return True
    if any(rounds_alike(expected, other) for other in number.alternatives):
        return True
    if expected == 0:
        return False
    # A list, because it takes one call where a generator takes one for each scale.
    return True in [abs(value * scale - expected) <= 0.005 * abs(expected) for scale in _SCALES]


def _judge_all_match(
    expected: float, given: list[Number], answer: Answer, question: ParsedQuestion
) -> RuleOutcome:
    stance = answer.stance
    if (
        len({number.value for number in given}) > 1
        or names_other_day(answer, question)
        or names_other_year(answer, question)
        or names_other_ordinal(answer, question)
        or has_other_subject(answer, question, given[0].start)
        or _counts_measurements(given, answer, question)
        or _gives_several_things(given, answer)
    ):
        return unsure(Rule.SEVERAL_VALUES)
    is_doubtful = (
        answer.is_cut
        or stance.chooses
        or stance.retracts
        or stance.unable
        or stance.failed
        or (stance.denies and expected != 0)
        or _has_bound(given, answer)
        or _in_question_only(given, answer)
        or _counts_other_things(given, question)
        or any(number.alternatives for number in given)
        or any(contradicts_unit(answer.without_ids, number.end, question.text) for number in given)
        or not all(_is_precise(expected, number, question) for number in given)
    )
    return unsure(Rule.CONTRADICTION) if is_doubtful else right(Rule.NUMBER_EQUAL)


def _counts_measurements(given: list[Number], answer: Answer, question: ParsedQuestion) -> bool:
    """Check whether a number counts days, or times a day, in place of times."""
    if question.kind is not QuestionKind.COUNT:
        return False
    each = any(_RATE.match(answer.without_dates, number.end) for number in given)
    return each or (not question.unit and any(hours_in(number.after) for number in given))


def _gives_several_things(given: list[Number], answer: Answer) -> bool:
    """Check whether a value is given for each of several things: "one in 2151 and one in 2152"."""
    between = [answer.text[first.end : second.start] for first, second in pairwise(given)]
    return any(re.search(r"\band\b|\bplus\b|[,;+\n]", text) for text in between)


def _counts_other_things(given: list[Number], question: ParsedQuestion) -> bool:
    """Check whether the answer counts something that the question does not name: "3 mg"."""
    # Compared by prefix: "prescribed" and "prescriptions" mean the same.
    counted_stems = {word[:5] for word in question.words} | {word[:5] for word in _PLAIN_NOUNS}
    return question.kind is QuestionKind.COUNT and any(
        number.after and number.after[:5] not in counted_stems and not hours_in(number.after)
        for number in given
    )


def _in_question_only(given: list[Number], answer: Answer) -> bool:
    """Check whether every number is also in the question, so that it may be an echo."""
    # Not in its assumption: the digits of the time that is assumed to be now are no echo.
    asked = words(answer.question.text)
    return all(f"{number.value:g}" in asked for number in given)


def _has_bound(given: list[Number], answer: Answer) -> bool:
    """Check whether a number of `given` is a bound or a part of another: "more than 3", "3k"."""
    text = answer.without_dates
    return any(
        _BOUND.search(text[max(0, number.start - 24) : number.start])
        or _SIGN_BEFORE.search(text[max(0, number.start - 5) : number.start])
        or _BOUND_AFTER.match(answer.text, number.end)  # a fraction looks like a date
        or _THOUSANDS.match(text, number.end)
        for number in given
    )
