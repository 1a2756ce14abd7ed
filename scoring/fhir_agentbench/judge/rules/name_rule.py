"""Judge names and lists: complete, and without any that was not asked for.

Source: the rubric (judge.py).
"""

import re

from wardboard.scoring.fhir_agentbench.judge.rules.outcome import Rule, RuleOutcome, right, unsure, wrong
from wardboard.scoring.fhir_agentbench.judge.rules.text.answers import Answer
from wardboard.scoring.fhir_agentbench.judge.rules.text.names import (
    OPTIONAL,
    Word,
    find_name,
    may_abbreviate,
    may_be_spelt_otherwise,
    words_in,
)
from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import words
from wardboard.scoring.fhir_agentbench.judge.rules.text.numbers import Number, find_numbers
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion
from wardboard.scoring.fhir_agentbench.judge.rules.text.references import Value
from wardboard.scoring.fhir_agentbench.judge.rules.text.units import contradicts_unit
from wardboard.scoring.fhir_agentbench.judge.rules.text.vocabulary import (
    FILLER,
    NAME_PARTS,
    ORDINARY,
    synonyms_of,
)
from wardboard.scoring.fhir_agentbench.judge.rules.topic import names_other_ordinal

# Ordinary words that set aside or limit what is named beside them, or say that there is more.
_LIMITING_TEXT = """
from before after previous prior only include including except exclude excluded but not no never none neither
nor other another apart unless until wrong incorrect more some several many few further instead rather than
either or between if once skipped dropped drop left leaving omitted without previously others unlike
"""
_QUIET = (ORDINARY | OPTIONAL) - frozenset(words(_LIMITING_TEXT))
# A number that is an item of a list.
_FIGURE = re.compile(r"(?:^|[,;\n]|\band\b)\s*\d+(?:\.\d+)?\s*(?=[,;\n]|$)")
_SCALES = (1000.0, 0.001, 100.0, 0.01)
# A question that asks for two values in an order.
_PAIR = re.compile(
    r"\b(?:first|minimum|lowest|smallest|systolic|earliest|last|maximum|highest|largest|diastolic|"
    r"latest)\b[^?]{0,40}?\band\b(?: the)? "
    r"(?:first|minimum|lowest|smallest|systolic|earliest|last|maximum|highest|largest|diastolic|latest)\b"
)
_MOST_WORDS = 2_000  # words of an answer that are compared with those of a reference


# Where the names of a reference are among the words of an answer.
_Spans = list[tuple[int, int]]


def judge_name(value: Value, answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    """Return whether `answer` gives the one name `value`."""
    if answer.is_data:
        return _judge_data((value,), answer, question)
    stance = answer.stance
    given = words_in(answer.without_ids)[:_MOST_WORDS]
    spans = find_name(value.text, given)
    if not spans:
        return _judge_unnamed(value, given, answer, question)
    if _has_other_sign(value.text, answer.text):
        return unsure(Rule.CONTRADICTION)
    if _names_another(given, spans, answer.without_ids, question):
        return unsure(Rule.LIST_EXTRA)
    is_echo = all(word in question.words for word in synonyms_of(value.text)[0])
    is_doubtful = stance.unable or stance.retracts or (stance.hedged and stance.chooses)
    if is_echo or is_doubtful or answer.is_cut:
        return unsure(Rule.HEDGED)
    return right(Rule.NAME_EQUAL)


def judge_list(values: tuple[Value, ...], answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    """Return whether `answer` gives all of `values` and nothing else."""
    if answer.is_data:
        return _judge_data(values, answer, question)
    stance = answer.stance
    names = [value for value in values if value.number is None and value.date is None]
    missing, has_extra = _compare_figures(values, answer)
    given = words_in(answer.without_ids)[:_MOST_WORDS]
    found: _Spans = []
    is_partial = False
    # Longer values first, so that "Saline Flush" does not also count as "Saline".
    for value in sorted(names, key=lambda value: -len(value.text)):
        spans = find_name(value.text, given, found)
        found += spans
        if not spans:
            missing += 1
            is_partial = is_partial or _may_be_named(value, given, question)
    if missing:
        is_unread = is_partial or answer.is_cut or _is_written(values, answer.original)
        return unsure(Rule.LIST_SHORT) if is_unread else wrong(Rule.LIST_SHORT)
    if stance.doubts or stance.denies_later:
        return unsure(Rule.HEDGED)
    if (
        has_extra
        or _is_turned_round(values, answer, question)
        or (
            names
            and (_FIGURE.search(answer.text) or _names_another(given, found, answer.without_ids, question))
        )
        or answer.is_cut
        or (names and names_other_ordinal(answer, question))
    ):
        return unsure(Rule.LIST_EXTRA)
    return right(Rule.LIST_COMPLETE)


def _judge_data(values: tuple[Value, ...], answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    """Judge printed data: wrong where a value is not in them, neither as it is nor in other words."""
    given = words_in(answer.text)
    is_in = all(
        (f"{value.number:g}" if value.number is not None else value.text.casefold())
        in answer.original.casefold()
        or (value.number is None and value.date is None and _may_be_named(value, given, question))
        for value in values
    )
    return unsure(Rule.RAW_DATA) if is_in or answer.is_cut else wrong(Rule.RAW_DATA)


def _is_turned_round(values: tuple[Value, ...], answer: Answer, question: ParsedQuestion) -> bool:
    """Check whether two values that the question asks for in an order are given in the other."""
    numbers = [value.number for value in values if value.number is not None]
    if len(numbers) != 2 or len(values) != 2 or not _PAIR.search(question.text):
        return False
    given = [one for one in answer.numbers if any(_is_near(number, one) for number in numbers)]
    return len(given) > 1 and not _is_near(numbers[0], given[0])


def _compare_figures(values: tuple[Value, ...], answer: Answer) -> tuple[int, bool]:
    """Return how many numbers and dates of `values` an answer lacks, and whether it has others."""
    numbers = [value.number for value in values if value.number is not None]
    dates = [value.date for value in values if value.date is not None]
    given = answer.numbers if numbers else []
    missing = sum(not any(_is_near(number, one) for one in given) for number in numbers)
    extra = any(not any(_is_near(number, one) for number in numbers) for one in given)
    extra = extra or any(contradicts_unit(answer.without_ids, one.end, answer.question.text) for one in given)
    written = answer.dates if dates else []
    for date in dates:
        fits = [one for one in written if one.same_day(date)]
        missing += not fits
        # A time of day, if given, must be the same.
        extra = extra or (bool(fits) and all((one.minutes_from(date) or 0) > 1 for one in fits))
    extra = extra or any(
        not any(one.same_day(date) for date in dates) for one in written if one in answer.new_dates
    )
    return missing, extra


def _is_near(expected: float, given: Number) -> bool:
    """Check whether a number of a list equals `expected` to the digits written."""
    room = min(0.5, 0.5 * 10.0**-given.digits) + 1e-9
    return any(abs(expected - value) <= room for value in (given.value, *given.alternatives))


def _is_written(values: tuple[Value, ...], text: str) -> bool:
    """Check whether the numbers of `values` are in `text` in some way that may not have been read."""
    numbers = [value.number for value in values if value.number is not None]
    if not numbers:
        return False
    given = [one.value * scale for one in find_numbers(text) for scale in _SCALES]
    return all(
        re.search(rf"(?<!\d){re.escape(f'{abs(number):g}')}", text)
        or any(abs(abs(one) - abs(number)) <= 0.005 * abs(number) for one in given[:_MOST_WORDS])
        for number in numbers
    )


def _may_be_named(value: Value, given: list[Word], question: ParsedQuestion) -> bool:
    """Check whether a part, an abbreviation or another spelling of a name is among the words."""
    distinctive = [word for word in given if word.stem not in question.words and word.stem not in FILLER]
    return may_abbreviate(value.text, given) or may_be_spelt_otherwise(value.text, distinctive)


def _names_another(given: list[Word], spans: _Spans, text: str, question: ParsedQuestion) -> bool:
    """Check whether words beside the names may be another name, set it aside, or make it a longer one."""
    covered = {index for start, end in spans for index in range(start, end)}
    # "Emergency Department Observation" is a longer name.
    return any(
        end < len(given)
        and given[end].stem in NAME_PARTS - question.words
        and not text[given[end - 1].end : given[end].start].strip(" -")
        for _, end in spans
    ) or any(
        word.stem not in _QUIET and word.stem not in question.words and not word.stem[0].isdigit()
        for index, word in enumerate(given)
        if index not in covered
    )


def _has_other_sign(name: str, text: str) -> bool:
    """Check whether the name ends in + or -, and the answer does not."""
    if name[-1:] not in ("+", "-") or name in text:
        return False
    stem_ = name[:-1].strip()
    return re.search(re.escape(stem_) + r"\s?" + re.escape(name[-1]), text, re.I) is None


def _judge_unnamed(value: Value, given: list[Word], answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    stance = answer.stance
    if answer.is_cut or _may_be_named(value, given, question):
        return unsure(Rule.NAME_PART)
    return wrong(Rule.NO_ANSWER if stance.absent or stance.unable or stance.denies else Rule.NAME_DIFFERS)
