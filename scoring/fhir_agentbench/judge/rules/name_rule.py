"""Judge names and lists: complete, and without any that was not asked for.

Source: the rubric (judge.py).
"""

import re
from dataclasses import dataclass

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
from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import sentences
from wardboard.scoring.fhir_agentbench.judge.rules.text.numbers import Number, find_numbers
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion
from wardboard.scoring.fhir_agentbench.judge.rules.text.references import Value
from wardboard.scoring.fhir_agentbench.judge.rules.text.stance import contains_denial
from wardboard.scoring.fhir_agentbench.judge.rules.text.units import contradicts_unit
from wardboard.scoring.fhir_agentbench.judge.rules.text.vocabulary import (
    FILLER,
    NAME_PARTS,
    ORDINARY,
    RIVALS,
    synonyms_of,
)
from wardboard.scoring.fhir_agentbench.judge.rules.topic import names_other_ordinal

_FROM = re.compile(
    r"\b(?:from|before|previously|prior to|formerly|not|replac\w+|instead of|rather than|unlike|(?:anything|"
    r"everything|all) but)\W{0,3}(?:the\s)?$",
    re.I,
)
# A limit that holds for one item, or for the whole answer: "Senna only on the second visit".
_EXCEPTION = re.compile(
    r"\b(?:only (?:on|in|at|during|for|from|before|after|when|if|until|once|the)|except\w*|"
    r"exclud\w+|but not|apart from|other than|unless|not (?:on|in|at|during)|until|limited to|wrong|"
    r"incorrect)\b",
    re.I,
)
_PARENTHESES = re.compile(
    r"(?<=\w)[*_\"']{0,3}\s-\s[^\n]{0,200}(?=\n)|(?<=\n)[^\n-]{2,60}:(?=\n)|\([^()\n]{0,200}\)|"
    r"\[[^\[\]\n]{0,200}\]|;\s(?:sensitive|resistant|status)\b[^\n]{0,200}"
)
_OTHERS = re.compile(
    r"\b(?:others|etc|among other|(?:\d+|some|several|many|a few) (?:more|other|further|additional)|and "
    r"more|and so on|including|e\.g)\b",
    re.I,
)
_IS = re.compile(r"(?:\b(?:is|was|are|were|be|namely|called|answer)|[:=])\s(?:the |an? )?[\"'*]{0,3}$", re.I)
_JOINT = re.compile(r"[\s,;/+&|*_\"'()-]*(?:(?:and|plus|with|or|then)\b[\s\"'*]*)?(?:the |an? )?", re.I)
# A number that is an item of a list.
_FIGURE = re.compile(r"(?:^|[,;\n]|\band\b)\s*\d+(?:\.\d+)?\s*(?=[,;\n]|$)")
_CHOICE = re.compile(r"\b(?:either|one of|whichever|any of|between|or)\b", re.I)
_SCALES = (1000.0, 0.001, 100.0, 0.01)
_LEFT_OUT = re.compile(
    r"\b(?:not (?:included|counted|listed)|left out|leaving out|omit\w*|exclud\w*|skipp\w*|dropp\w+|"
    r"discard\w*|except)\b",
    re.I,
)
# A question that asks for two values in an order.
_PAIR = re.compile(
    r"\b(?:first|minimum|lowest|smallest|systolic|earliest|last|maximum|highest|largest|diastolic|"
    r"latest)\b[^?]{0,40}?\band\b(?: the)? "
    r"(?:first|minimum|lowest|smallest|systolic|earliest|last|maximum|highest|largest|diastolic|latest)\b"
)
_MOST_WORDS = 2_000  # words of an answer that are compared with those of a reference


@dataclass(frozen=True, slots=True)
class _Found:
    """Hold where the names of a reference are: spans of `given`, and the words outside them."""

    given: list[Word]
    spans: list[tuple[int, int]]

    def outside(self) -> list[Word]:
        covered = {index for start, end in self.spans for index in range(start, end)}
        return [word for index, word in enumerate(self.given) if index not in covered]


def judge_name(value: Value, answer: Answer, question: ParsedQuestion) -> RuleOutcome:  # noqa: PLR0911 (a rule a line)
    """Return whether `answer` gives the one name `value`."""
    if answer.is_data:
        return _judge_data((value,), answer, question)
    stance = answer.stance
    given = words_in(answer.without_ids)[:_MOST_WORDS]
    found = _Found(given, find_name(value.text, given))
    if not found.spans:
        return _judge_unnamed(value, given, answer, question)
    plain = [word.stem for word in found.outside()]
    rivals = RIVALS.get(synonyms_of(value.text)[0], frozenset())
    if any(_has_run(rival, plain) for rival in rivals):
        return unsure(Rule.SEVERAL_VALUES)
    if stance.denies and _denies_beside(found, answer.without_ids):
        return unsure(Rule.CONTRADICTION)
    if _is_previous_place(found, answer.without_ids) or _has_other_sign(value.text, answer.text):
        return unsure(Rule.CONTRADICTION)
    if _names_another(found, answer.without_ids, question):
        return unsure(Rule.LIST_EXTRA)
    is_echo = all(word in question.words for word in synonyms_of(value.text)[0])
    is_doubtful = stance.unable or stance.retracts or (stance.hedged and stance.chooses)
    if is_echo or is_doubtful or answer.is_cut or _has_exception(answer, question):
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
    found = _Found(given, [])
    is_partial = False
    # Longer values first, so that "Saline Flush" does not also count as "Saline".
    for value in sorted(names, key=lambda value: -len(value.text)):
        spans = find_name(value.text, given, found.spans)
        found.spans.extend(spans)
        if not spans:
            missing += 1
            is_partial = is_partial or _may_be_named(value, given, question)
    if missing:
        is_unread = is_partial or answer.is_cut or _is_written(values, answer.original)
        return unsure(Rule.LIST_SHORT) if is_unread else wrong(Rule.LIST_SHORT)
    denies = _denies_beside(found, answer.without_ids)
    chooses = stance.chooses and _CHOICE.search(_text_beside(found, answer.without_ids)) is not None
    if stance.unable or denies or chooses or (names and stance.retracts):
        return unsure(Rule.HEDGED)
    if (
        has_extra
        or _OTHERS.search(answer.text)
        or _LEFT_OUT.search(answer.text)
        or _is_turned_round(values, answer, question)
        or (names and (_FIGURE.search(answer.text) or _names_another(found, answer.without_ids, question)))
        or answer.is_cut
        or _has_exception(answer, question)
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


def _denies_beside(found: _Found, text: str) -> bool:
    """Check whether `text` denies something outside the names, which may be "not elsewhere classified"."""
    return contains_denial(_text_beside(found, text))


def _text_beside(found: _Found, text: str) -> str:
    for start, end in found.spans:
        first, last = found.given[start].start, found.given[end - 1].end
        text = f"{text[:first]}{'x' * (last - first)}{text[last:]}"
    return text


def _is_turned_round(values: tuple[Value, ...], answer: Answer, question: ParsedQuestion) -> bool:
    """Check whether two values that the question asks for in an order are given in the other."""
    numbers = [value.number for value in values if value.number is not None]
    if len(numbers) != 2 or len(values) != 2 or not _PAIR.search(question.text):
        return False
    given = [one for one in answer.numbers if any(_is_near(number, one) for number in numbers)]
    return len(given) > 1 and not _is_near(numbers[0], given[0])


def _has_exception(answer: Answer, question: ParsedQuestion) -> bool:
    """Check whether the answer limits what it names in a way that the question does not."""
    return any(match[0].casefold() not in question.text for match in _EXCEPTION.finditer(answer.text))


def _compare_figures(values: tuple[Value, ...], answer: Answer) -> tuple[int, bool]:
    """Return how many numbers and dates of `values` are missing, and whether there are others."""
    numbers = [value.number for value in values if value.number is not None]
    dates = [value.date for value in values if value.date is not None]
    given = _without_count(answer.numbers, numbers) if numbers else []
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


def _without_count(given: list[Number], expected: list[float]) -> list[Number]:
    """Return the numbers without one that only says how many there are: "three values: 5, 8 and 10"."""
    counts = [
        one
        for one in given
        if one.value == len(given) - 1 and not any(_is_near(number, one) for number in expected)
    ]
    return [one for one in given if one not in counts[:1]] if len(given) > 2 else given


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


def unexplained(given: list[Word], question: ParsedQuestion) -> list[Word]:
    """Return the words that are neither in the question nor usual in sentences about a patient."""
    return [
        word
        for word in given
        if word.stem not in FILLER | OPTIONAL
        and word.stem not in question.words
        and not word.stem[0].isdigit()
    ]


def _names_another(found: _Found, text: str, question: ParsedQuestion) -> bool:
    """Check whether words beside the names may be another name, or make one of them a longer one.

    In the only sentence of an answer, about one name, a word that is joined to nothing may say more about it.
    """
    is_alone = len(found.spans) == 1 and len(sentences(text)) == 1
    bare = _PARENTHESES.sub(lambda match: " " * len(match[0]), text)
    if _may_continue(found, bare, question):
        return True
    return any(
        word.stem not in ORDINARY
        and bare[word.start : word.end].strip()
        and (not is_alone or word.is_name or _is_joined(word, found, bare))
        for word in unexplained(found.outside(), question)
    )


def _is_joined(word: Word, found: _Found, text: str) -> bool:
    """Check whether `word` follows "is", or stands beside a name or is joined to one: "and", a comma."""
    if _IS.search(text[max(0, word.start - 16) : word.start]):
        return True
    spans = [(found.given[start].start, found.given[end - 1].end) for start, end in found.spans]
    return any(
        _JOINT.fullmatch(text[end : word.start] if word.start >= end else text[word.end : start])
        for start, end in spans
    )


def _may_continue(found: _Found, text: str, question: ParsedQuestion) -> bool:
    """Check whether the name may be a part of a longer one: "Emergency Department Observation"."""
    for start, end in found.spans:
        if end < len(found.given):
            after = found.given[end]
            is_next = text[after.start : after.end].strip() and not text[
                found.given[end - 1].end : after.start
            ].strip(" -")
            if (
                is_next
                and after.stem not in question.words
                and (after.stem in NAME_PARTS or (after.is_name and after.stem not in FILLER))
            ):
                return True
        if start > 0:
            before = found.given[start - 1]
            is_next = not text[before.end : found.given[start].start].strip(" -")
            if (
                is_next
                and before.stem not in ORDINARY | OPTIONAL | question.words
                and not before.stem[0].isdigit()
            ):
                return True
    return False


def _has_run(name: tuple[str, ...], given: list[str]) -> bool:
    size = len(name)
    return any(tuple(given[index : index + size]) == name for index in range(len(given)))


def _is_previous_place(found: _Found, text: str) -> bool:
    """Check whether the name is a previous place: "from Medicine to Surgery"."""
    starts = [found.given[start].start for start, _ in found.spans]
    return any(_FROM.search(text[max(0, start - 24) : start]) for start in starts)


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
    is_denial = stance.absent or stance.unable or stance.denies
    return wrong(Rule.NO_ANSWER if is_denial else Rule.NAME_DIFFERS)
