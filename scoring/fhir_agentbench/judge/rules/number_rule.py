"""Numbers against numbers: equal after rounding to the nearest whole number. Source: section 4."""

import re
from itertools import pairwise

from scoring.fhir_agentbench.judge.rules.bounds import bounded
from scoring.fhir_agentbench.judge.rules.outcome import Rule, RuleOutcome
from scoring.fhir_agentbench.judge.rules.refusals import found_none, knows_not, tells_of_failure
from scoring.fhir_agentbench.judge.rules.text.answers import Answer
from scoring.fhir_agentbench.judge.rules.text.numbers import (
    NUMBER_WORDS,
    Number,
    hours_in,
    rounded_alike,
)
from scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion, QuestionKind
from scoring.fhir_agentbench.judge.rules.text.stance import denies_in
from scoring.fhir_agentbench.judge.rules.topic import strays

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
# Beside the sum of the other numbers.
_SUM_BEFORE = re.compile(
    r"(?:\b(?:total|totals|sum|altogether|overall|together|combined)\b|=)[^\d.;,\n]{0,24}$", re.I
)
_SUM_AFTER = re.compile(r"\s?(?:\w+\s){0,2}?(?:in total|total|altogether|overall|in all|combined)\b", re.I)
_MOST_PARTS = 12
_MOST_IN_A_FALL = 3  # numbers: from, to and by
# What may be counted without the question's own word for it.
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
# What comes after it counts, where several numbers are given.
_END_RESULT = re.compile(
    r"\b(?:(?:result|answer|difference|change|count)\b[^\d\n]{0,20}?\b(?:is|was|of)|total|so|therefore|thus|"
    r"only(?=\s\d))\b",
    re.I,
)
_FEW_WORDS = 8
_SCALES = (1000.0, 0.001, 24.0, 1 / 24, 60.0, 1 / 60, 7.0, 1 / 7, 100.0, 0.01)


def judge_number(truth: float, answer: Answer, question: ParsedQuestion) -> RuleOutcome:  # noqa: PLR0911 (a rule a line)
    """Return what the numbers of `answer` say against `truth`."""
    given = answer.numbers
    stance = answer.stance
    if not given:
        return _without_numbers(truth, answer, question)
    fits = [number for number in given if _agrees(truth, number, question)]
    if len(fits) == len(given) and not _only_numbers(answer):
        return _all_fit(truth, given, answer, question)
    if _only_numbers(answer) and not _is_sum(truth, given, fits, answer):
        return RuleOutcome(False, Rule.SEVERAL_VALUES, sure=not fits)
    if fits:
        return _some_fit(truth, given, fits, answer)
    if truth == 0 and _NO_CHANGE.search(answer.text) and len({number.value for number in given}) == 1:
        return RuleOutcome(True, Rule.NUMBER_EQUAL, sure=False)
    near = any(_near(truth, number, question) for number in given)
    if truth == 0 and stance.absent and not answer.raw:
        after = answer.text[max(number.end for number in given) :]
        return RuleOutcome(not stance.turns and denies_in(after), Rule.NUMBER_EQUAL, sure=False)
    if truth < 0 and any(rounded_alike(-truth, number.value) for number in given):
        if not _is_the_fall(truth, given, answer):
            return RuleOutcome(False, Rule.SEVERAL_VALUES, sure=False)
        fell = _FALL.search(answer.text) is not None and not _RISE.search(answer.text)
        return RuleOutcome(fell, Rule.NUMBER_EQUAL, sure=False)
    return RuleOutcome(False, Rule.NUMBER_DIFFERS, sure=not near and not answer.raw)


def _is_the_fall(truth: float, given: list[Number], answer: Answer) -> bool:
    """Tell whether the fall is the only number, or the only one after "by": "from 8 to 5, by 3"."""
    by = [number for number in given if number.before == "by"]
    named = by if len(by) == 1 and len(given) <= _MOST_IN_A_FALL else given
    return all(rounded_alike(-truth, number.value) for number in named)


def _agrees(truth: float, number: Number, question: ParsedQuestion) -> bool:
    value = _in_unit(number, question)
    return rounded_alike(truth, value) and (truth < 0) == (value < 0 or (truth < 0 and value == 0))


def _in_unit(number: Number, question: ParsedQuestion) -> float:
    """Return the number in the unit of time that was asked for; others have no unit to compare."""
    asked, written = hours_in(question.unit), hours_in(number.after)
    if asked and written and asked != written:
        return number.value * written / asked
    return number.value


def _precise(truth: float, number: Number, question: ParsedQuestion) -> bool:
    """Tell whether the number is the truth to as many digits as were written."""
    value = _in_unit(number, question)
    return abs(truth - value) <= 0.5 * 10.0**-number.digits + 1e-9 or abs(truth - value) <= 0.005 * abs(truth)


def _near(truth: float, number: Number, question: ParsedQuestion) -> bool:
    """Tell whether another reading of the number, or of its unit, would fit."""
    value = _in_unit(number, question)
    if abs(truth - value) < 1 or abs(truth) == abs(value):
        return True
    if any(rounded_alike(truth, other) for other in number.others):
        return True
    return truth != 0 and any(abs(value * scale - truth) <= 0.005 * abs(truth) for scale in _SCALES)


def _without_numbers(truth: float, answer: Answer, question: ParsedQuestion) -> RuleOutcome:  # noqa: PLR0911 (a rule a line)
    stance = answer.stance
    if answer.raw:
        return RuleOutcome(False, Rule.RAW_DATA, sure=False)
    refuses = knows_not(answer.text) or (tells_of_failure(answer.text) and not found_none(answer.text))
    if truth == 0 and refuses:
        # Who does not know has not counted none.
        return RuleOutcome(False, Rule.NO_ANSWER, sure=len(answer.words) <= _FEW_WORDS)
    if truth == 0 and question.asks is QuestionKind.COUNT:
        if stance.unable or stance.broken or stance.hedged or stance.turns:
            return RuleOutcome(stance.absent and not stance.broken, Rule.NO_ANSWER, sure=False)
        if stance.absent or stance.denies:
            about = {word for word in question.words if len(word) > 3} - {"patient"}
            said = re.search(r"\b(?:no|none|never|zero|nothing|found)\b", answer.text, re.I) is not None
            return RuleOutcome(True, Rule.NUMBER_EQUAL, sure=said or bool(about & set(answer.words)))
    if (
        truth == 0
        and _NO_CHANGE.search(answer.text)
        and not (stance.unable or stance.hedged or stance.broken)
    ):
        return RuleOutcome(True, Rule.NUMBER_EQUAL, sure=False)
    if truth == 0:
        # Nothing to work out is not a result of nothing.
        return RuleOutcome(False, Rule.NO_ANSWER, sure=False)
    if stance.absent or stance.unable or stance.denies:
        return RuleOutcome(False, Rule.NO_ANSWER)
    echoed = any(rounded_alike(truth, number.value) for number in answer.all_numbers)
    return RuleOutcome(False, Rule.NUMBER_MISSING, sure=not echoed and not answer.cut)


def _all_fit(truth: float, given: list[Number], answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    stance = answer.stance
    values = {number.value for number in given}
    precise = all(_precise(truth, number, question) for number in given)
    doubtful = (
        answer.raw
        or answer.cut
        or stance.hedged
        or stance.turns
        or stance.unable
        or (stance.denies and truth != 0)
        or _in_question_only(given, answer)
        or _counts_others(given, question)
        or any(number.others for number in given)
    )
    if len(values) > 1 and (len(values) > 2 or not precise or _CHOICE.search(answer.text)):
        return RuleOutcome(False, Rule.SEVERAL_VALUES, sure=False)
    if strays(answer, question) or _of_them(given, answer, question) or _of_each(given, answer):
        return RuleOutcome(False, Rule.SEVERAL_VALUES, sure=False)
    if question.asks is QuestionKind.COUNT and any(number.after in _NO_COUNTS for number in given):
        return RuleOutcome(False, Rule.NUMBER_DIFFERS, sure=False)
    if (stance.denies and truth != 0) or stance.unable or stance.broken or bounded(given, answer):
        return RuleOutcome(False, Rule.CONTRADICTION, sure=False)
    return RuleOutcome(True, Rule.NUMBER_EQUAL, sure=precise and not doubtful)


def _of_them(given: list[Number], answer: Answer, question: ParsedQuestion) -> bool:
    """Tell whether a number counts measurements where a measurement is asked for, or days for times."""
    if question.asks is QuestionKind.COUNT:
        each = any(_RATE.match(answer.undated, number.end) for number in given)
        return each or (not question.unit and any(hours_in(number.after) for number in given))
    return any(_OF_THEM.match(answer.undated, number.end) for number in given)


def _of_each(given: list[Number], answer: Answer) -> bool:
    """Tell whether one value is given for several things: "one in 2151 and one in 2152"."""
    between = [answer.text[one.end : other.start] for one, other in pairwise(given)]
    return any(re.search(r"\band\b|\bplus\b|[,;+\n]", text) for text in between)


def _counts_others(given: list[Number], question: ParsedQuestion) -> bool:
    """Tell whether something is counted that the question does not name."""
    known = question.words | _PLAIN_NOUNS
    return question.asks is QuestionKind.COUNT and any(
        number.after and number.after not in known and not hours_in(number.after) for number in given
    )


def _in_question_only(given: list[Number], answer: Answer) -> bool:
    """Tell whether every number stands in the question too, so that it may be an echo."""
    return all(f"{number.value:g}" in answer.question.words for number in given)


def _only_numbers(answer: Answer) -> bool:
    """Tell whether the answer is a bare list of several numbers: no number is given for the one."""
    return len({number.value for number in answer.numbers}) > 1 and all(
        word[0].isdigit() or word in ("and", "or") or word in NUMBER_WORDS for word in answer.words
    )


def _is_sum(truth: float, given: list[Number], fits: list[Number], answer: Answer) -> bool:
    """Tell whether the one number that fits is called the sum of all others: "2 and 1, 3 in total"."""
    rest = [number.value for number in given if number not in fits]
    if len(fits) != 1 or not 1 < len(rest) < _MOST_PARTS or min(rest) < 0:
        return False
    text, (fit,) = answer.undated, fits
    named = _SUM_BEFORE.search(text[max(0, fit.start - 48) : fit.start]) or _SUM_AFTER.match(text, fit.end)
    return named is not None and abs(sum(rest) - truth) < 0.5


def _some_fit(truth: float, given: list[Number], fits: list[Number], answer: Answer) -> RuleOutcome:
    """Several values: never surely right, unless the others are the parts that the true one is made of."""
    stance = answer.stance
    rest = [number.value for number in given if number not in fits]
    ends = max((found.end() for found in _END_RESULT.finditer(answer.undated)), default=0)
    if ends and len({number.value for number in given if number.start >= ends}) == 1:
        calm = not (stance.hedged or answer.raw or _CHOICE.search(answer.text))
        return RuleOutcome(given[-1] in fits and calm, Rule.SEVERAL_VALUES, sure=False)
    choice = _CHOICE.search(answer.text) is not None or _RANGE.search(answer.text) is not None
    if choice or stance.hedged or stance.turns or stance.denies or answer.raw:
        return RuleOutcome(False, Rule.SEVERAL_VALUES, sure=False)
    if _is_sum(truth, given, fits, answer):
        return RuleOutcome(True, Rule.NUMBER_EQUAL)
    asked = answer.question.words
    named = fits[0].after in asked and not any(
        number.after in asked or number.after in ("", fits[0].after) for number in given if number not in fits
    )
    return RuleOutcome(named and len(rest) <= 3, Rule.SEVERAL_VALUES, sure=False)
