"""Judge numbers: equal after rounding to the nearest whole number. Source: the rubric (judge.py)."""

import re
from itertools import pairwise

from wardboard.scoring.fhir_agentbench.judge.rules.bounds import has_bound
from wardboard.scoring.fhir_agentbench.judge.rules.outcome import Rule, RuleOutcome
from wardboard.scoring.fhir_agentbench.judge.rules.refusals import (
    declines_to_answer,
    reports_failure,
    reports_no_records,
)
from wardboard.scoring.fhir_agentbench.judge.rules.text.answers import Answer
from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import words
from wardboard.scoring.fhir_agentbench.judge.rules.text.numbers import (
    NUMBER_WORDS,
    Number,
    hours_in,
    rounds_alike,
)
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion, QuestionKind
from wardboard.scoring.fhir_agentbench.judge.rules.text.stance import contains_denial
from wardboard.scoring.fhir_agentbench.judge.rules.text.units import contradicts_unit
from wardboard.scoring.fhir_agentbench.judge.rules.topic import (
    has_other_subject,
    names_other_day,
    names_other_ordinal,
    names_other_year,
)

_FALL = re.compile(
    r"\b(?:decreas\w*|lower\w*|less|drop\w*|fell|fall\w*|reduc\w*|declin\w*|down|minus|negative|smaller|loss|lost|"
    r"decline)\b",
    re.I,
)
_RISE = re.compile(r"\b(?:increas\w*|rose|rise\w*|higher|up by)\b", re.I)
_CHOICE = re.compile(
    r"\b(?:or|either|one of|whichever|between|ranging|range|any of|maybe|perhaps|possibly|"
    r"alternatively)\b",
    re.I,
)
# Words beside a number that is the sum of the others.
_SUM_BEFORE = re.compile(
    r"(?:\b(?:total|totals|sum|altogether|overall|together|combined)\b|=)[^\d.;,\n]{0,24}$", re.I
)
_SUM_AFTER = re.compile(r"\s?(?:\w+\s){0,2}?(?:in total|total|altogether|overall|in all|combined)\b", re.I)
_MOST_PARTS = 12
_MOST_IN_A_DECREASE = 3  # numbers: from, to and by
# Words after a count that do not name the counted thing.
_PLAIN_NOUNS = frozenset(
    [
        "time",
        "in",
        "on",
        "of",
        "for",
        "total",
        "at",
        "and",
        "during",
        "since",
        "occasion",
        "record",
        "result",
        "observation",
        "entry",
        "order",
        "instance",
        "count",
        "distinct",
        "different",
        "unique",
        "separate",
        "administration",
        "dose",
        "event",
        "prescription",
    ]
)
_RANGE = re.compile(r"\d\s?(?:-|to|~|\.\.+)\s?\d")
# "88 heart rate observations" counts them.
_OF_THEM = re.compile(
    r"\s(?:[a-z]+\s){0,3}(?:observations|measurements|records|readings|entries|results|"
    r"resources|patients)\b",
    re.I,
)
_RATE = re.compile(r"\s?(?:x|times?)?\s?(?:daily|weekly|hourly|per|a day|a week|each|every)\b", re.I)
_NO_COUNTS = frozenset(
    ("mg", "mcg", "ml", "kg", "g", "%", "hundred", "thousand", "million", "dozen", "patient")
)
_NO_CHANGE = re.compile(
    r"\bno (?:change|difference)\b|\bunchanged\b|\b(?:not|n't) (?:change|differ)\w*|"
    r"\b(?:the same|identical|equal)\b",
    re.I,
)
# If several numbers are given, those after one of these phrases count.
_END_RESULT = re.compile(
    r"\b(?:(?:result|answer|difference|change|count)\b[^\d\n]{0,20}?\b(?:is|was|of)|total|so|therefore|thus|"
    r"only(?=\s\d))\b",
    re.I,
)
_WRONG_VALUE = re.compile(
    r"\b(?:wrong|incorrect|false|mistaken|invalid|outdated|obsolete)\s(?:value|number|answer|count|figure|result)",
    re.I,
)
_SAYS_NONE = re.compile(r"\b(?:no|none|never|zero|nothing|found|not one)\b", re.I)
_FEW_WORDS = 8
_ROOM = 0.1  # by which a value may be rounded otherwise
_SCALES = (1000.0, 0.001, 24.0, 1 / 24, 60.0, 1 / 60, 7.0, 1 / 7, 100.0, 0.01)


def judge_number(expected: float, answer: Answer, question: ParsedQuestion) -> RuleOutcome:  # noqa: PLR0911 (a rule a line)
    given = answer.numbers
    stance = answer.stance
    if not given:
        return _judge_without_numbers(expected, answer, question)
    matching = [number for number in given if _matches(expected, number, question)]
    if len(matching) == len(given) and not _only_numbers(answer):
        return _judge_all_match(expected, given, answer, question)
    if _only_numbers(answer) and not _is_sum(expected, given, matching, answer):
        return RuleOutcome(False, Rule.SEVERAL_VALUES, sure=not matching)
    if matching:
        return _judge_some_match(expected, given, matching, answer)
    if expected == 0 and _NO_CHANGE.search(answer.text) and len({number.value for number in given}) == 1:
        return RuleOutcome(True, Rule.NUMBER_EQUAL, sure=False)
    is_near = any(_nearly_matches(expected, number, question) for number in given)
    if expected == 0 and stance.absent and not answer.is_data:
        after = answer.text[max(number.end for number in given) :]
        return RuleOutcome(not stance.retracts and contains_denial(after), Rule.NUMBER_EQUAL, sure=False)
    if expected < 0 and any(rounds_alike(-expected, number.value) for number in given):
        if not _is_decrease(expected, given, answer):
            return RuleOutcome(False, Rule.SEVERAL_VALUES, sure=False)
        is_decrease = _FALL.search(answer.text) is not None and not _RISE.search(answer.text)
        is_plain = len(given) == 1 and not (
            stance.denies or stance.unable or stance.chooses or has_bound(given, answer)
        )
        return RuleOutcome(
            is_decrease,
            Rule.NUMBER_EQUAL,
            sure=is_decrease and is_plain and _is_precise(-expected, given[0], question),
        )
    return RuleOutcome(False, Rule.NUMBER_DIFFERS, sure=not is_near and not answer.is_data)


def _is_decrease(expected: float, given: list[Number], answer: Answer) -> bool:
    """Check whether the decrease is the only number, or only one after "by": "8 to 5, by 3"."""
    by = [number for number in given if number.before == "by"]
    is_named = by if len(by) == 1 and len(given) <= _MOST_IN_A_DECREASE else given
    return all(rounds_alike(-expected, number.value) for number in is_named)


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
    room = 0.005 * abs(expected)
    # A list, because it takes one call where a generator takes one for each scale.
    return True in [abs(value * scale - expected) <= room for scale in _SCALES]


def _judge_without_numbers(expected: float, answer: Answer, question: ParsedQuestion) -> RuleOutcome:  # noqa: PLR0911 (a rule a line)
    stance = answer.stance
    if answer.is_data:
        return RuleOutcome(False, Rule.RAW_DATA, sure=False)
    is_refusal = declines_to_answer(answer.text) or (
        reports_failure(answer.text) and not reports_no_records(answer.text)
    )
    if expected == 0 and is_refusal:
        # Not knowing is not a count of zero.
        return RuleOutcome(False, Rule.NO_ANSWER, sure=len(answer.words) <= _FEW_WORDS)
    if expected == 0 and question.kind is QuestionKind.COUNT:
        if stance.unable or stance.failed or stance.hedged or stance.retracts:
            return RuleOutcome(stance.absent and not stance.failed, Rule.NO_ANSWER, sure=False)
        if stance.absent or stance.denies:
            about = {word for word in question.words if len(word) > 3} - {"patient"}
            says_none = _SAYS_NONE.search(answer.text) is not None
            return RuleOutcome(True, Rule.NUMBER_EQUAL, sure=says_none or bool(about & set(answer.words)))
    if (
        expected == 0
        and _NO_CHANGE.search(answer.text)
        and not (stance.unable or stance.hedged or stance.failed)
    ):
        return RuleOutcome(True, Rule.NUMBER_EQUAL, sure=False)
    if expected == 0:
        # Having nothing to compute is not a result of 0.
        return RuleOutcome(False, Rule.NO_ANSWER, sure=False)
    if stance.absent or stance.unable or stance.denies:
        return RuleOutcome(False, Rule.NO_ANSWER)
    is_echoed = any(rounds_alike(expected, number.value) for number in answer.all_numbers)
    return RuleOutcome(False, Rule.NUMBER_MISSING, sure=not is_echoed and not answer.is_cut)


def _judge_all_match(
    expected: float, given: list[Number], answer: Answer, question: ParsedQuestion
) -> RuleOutcome:
    stance = answer.stance
    values = {number.value for number in given}
    is_precise = all(_is_precise(expected, number, question) for number in given)
    is_doubtful = (
        answer.is_data
        or answer.is_cut
        or stance.chooses
        or stance.retracts
        or stance.unable
        or _WRONG_VALUE.search(answer.text) is not None
        or (stance.denies and expected != 0)
        or _in_question_only(given, answer)
        or _counts_other_things(given, question)
        or any(number.alternatives for number in given)
        or any(contradicts_unit(answer.without_ids, number.end, question.text) for number in given)
    )
    if len(values) > 1 and (len(values) > 2 or not is_precise or _CHOICE.search(answer.text)):
        return RuleOutcome(False, Rule.SEVERAL_VALUES, sure=False)
    if (
        names_other_day(answer, question)
        or names_other_year(answer, question)
        or names_other_ordinal(answer, question)
        or has_other_subject(answer, question, given[0].start)
        or _counts_measurements(given, answer, question)
        or _gives_several_things(given, answer)
    ):
        return RuleOutcome(False, Rule.SEVERAL_VALUES, sure=False)
    if question.kind is QuestionKind.COUNT and any(number.after in _NO_COUNTS for number in given):
        return RuleOutcome(False, Rule.NUMBER_DIFFERS, sure=False)
    if (stance.denies and expected != 0) or stance.unable or stance.failed or has_bound(given, answer):
        return RuleOutcome(False, Rule.CONTRADICTION, sure=False)
    return RuleOutcome(True, Rule.NUMBER_EQUAL, sure=is_precise and not is_doubtful)


def _counts_measurements(given: list[Number], answer: Answer, question: ParsedQuestion) -> bool:
    """Check whether a number counts measurements, not their value, or days, not times."""
    if question.kind is QuestionKind.COUNT:
        each = any(_RATE.match(answer.without_dates, number.end) for number in given)
        return each or (not question.unit and any(hours_in(number.after) for number in given))
    return any(_OF_THEM.match(answer.without_dates, number.end) for number in given)


def _gives_several_things(given: list[Number], answer: Answer) -> bool:
    """Check whether a value is given for each of several things: "one in 2151 and one in 2152"."""
    between = [answer.text[first.end : second.start] for first, second in pairwise(given)]
    return any(re.search(r"\band\b|\bplus\b|[,;+\n]", text) for text in between)


def _counts_other_things(given: list[Number], question: ParsedQuestion) -> bool:
    """Check whether the answer counts something that the question does not name."""
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


def _only_numbers(answer: Answer) -> bool:
    """Check whether the answer is only a list of several different numbers."""
    return len({number.value for number in answer.numbers}) > 1 and all(
        word[0].isdigit() or word in ("and", "or") or word in NUMBER_WORDS for word in answer.words
    )


def _is_sum(expected: float, given: list[Number], matching: list[Number], answer: Answer) -> bool:
    """Check whether the only matching number is called the sum: "2 and 1, 3 in total"."""
    if len(matching) != 1:
        return False
    rest = [number.value for number in given if number not in matching]
    if not 1 < len(rest) < _MOST_PARTS or min(rest) < 0:
        return False
    text, (match_,) = answer.without_dates, matching
    is_named = _SUM_BEFORE.search(text[max(0, match_.start - 48) : match_.start]) or _SUM_AFTER.match(
        text, match_.end
    )
    return is_named is not None and abs(sum(rest) - expected) < 0.5


def _judge_some_match(
    expected: float, given: list[Number], matching: list[Number], answer: Answer
) -> RuleOutcome:
    """Judge several values: never surely right, unless the others add up to the expected one."""
    stance = answer.stance
    # A set: there may be thousands of each.
    matches = set(matching)
    others = [number for number in given if number not in matches]
    ends = max((match.end() for match in _END_RESULT.finditer(answer.without_dates)), default=0)
    if ends and len({number.value for number in given if number.start >= ends}) == 1:
        is_calm = not (stance.hedged or answer.is_data or _CHOICE.search(answer.text))
        return RuleOutcome(given[-1] in matching and is_calm, Rule.SEVERAL_VALUES, sure=False)
    is_choice = _CHOICE.search(answer.text) is not None or _RANGE.search(answer.text) is not None
    if is_choice or stance.hedged or stance.retracts or stance.denies or answer.is_data:
        return RuleOutcome(False, Rule.SEVERAL_VALUES, sure=False)
    if _is_sum(expected, given, matching, answer):
        return RuleOutcome(True, Rule.NUMBER_EQUAL)
    question_words = answer.question.words
    is_named = matching[0].after in question_words and not any(
        number.after in question_words or number.after in ("", matching[0].after) for number in others
    )
    return RuleOutcome(is_named and len(others) <= 3, Rule.SEVERAL_VALUES, sure=False)
