"""Decide an answer: what is marked as the answer is judged alone, else all of it."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from wardboard.scoring.fhir_agentbench.judge.rules.marks import MOST_MARKED, Marked, clean, find_marked
from wardboard.scoring.fhir_agentbench.judge.rules.outcome import Rule, RuleOutcome, unsure, wrong
from wardboard.scoring.fhir_agentbench.judge.rules.text.answers import Answer, without_ids
from wardboard.scoring.fhir_agentbench.judge.rules.text.known_words import (
    can_be_read,
    find_unknown,
    is_english,
)
from wardboard.scoring.fhir_agentbench.judge.rules.text.names import find_name, words_in
from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import words
from wardboard.scoring.fhir_agentbench.judge.rules.text.numbers import rounds_alike
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion, QuestionKind
from wardboard.scoring.fhir_agentbench.judge.rules.text.references import ReferenceAnswer, ReferenceKind
from wardboard.scoring.fhir_agentbench.judge.rules.text.stance import contains_denial
from wardboard.scoring.fhir_agentbench.judge.rules.text.vocabulary import synonyms_of
from wardboard.scoring.reading import no_answers

Apply = Callable[[ReferenceAnswer, Answer, ParsedQuestion], RuleOutcome]

_NONE = (ReferenceKind.NO_ANSWER, ReferenceKind.NOTHING, ReferenceKind.NULL)
_SIDES = (*_NONE, ReferenceKind.BIT)  # whose answers affirm or deny
# By which a text is rejected because something is not in it, as it would be if it were not read.
_MISSING = (Rule.NUMBER_MISSING, Rule.DATE_MISSING, Rule.NO_SIDE, Rule.NO_DENIAL, Rule.NAME_DIFFERS)
_TAKES_BACK = re.compile(
    r"\b(?:wait|actually|correction|however|but|instead|rather|on second thought|scratch|i mean|or else|"
    r"not quite|"
    r"wrong|mistake\w*|drop\w*|exclud\w*|left out|(?:not|n't) (?:count|includ\w+)|incorrect|alternatively|"
    r"retract\w*|disregard|should (?:be|have been)|no longer)\b",
    re.I,
)
_ASIDE = re.compile(
    r"^[\W_]*(?:note|notes|source|sources|reason\w*|evidence|method\w*|disclaimer|caveat|please|let me|"
    r"confidence|"
    r"reference\w*|explanation|details?|rationale|basis|based|this|these|i |would you|limitation\w*|steps?|"
    r"how|details|supporting|context|calculation|justification)\b",
    re.I,
)
# That something else may be the answer.
_DOUBTS = re.compile(r"\b(?:or|may|might|could|possibly|perhaps|maybe|likely|correct|yes|no)\b", re.I)
_DIGIT = re.compile(r"\d")
# At the end, after a stop or on a line of its own.
_MOST_BEFORE = 100  # characters between that and its first word
_NOTE = re.compile(
    rf"(?:(?<=[.;!?])\s|\n)[\s\d.*_(>-]{{0,{_MOST_BEFORE}}}+"
    r"((?:please )?(?:note(?: that|:)|disclaimer|caveat|n\.?b\.)[^\n]*)\Z",
    re.I,
)
_FIRST = re.compile(r"(?<=[\w)%\"'*\]])[.;]\s+(?=[A-Z(\"*])|\n|\s[—–]\s|\s\(")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_SETS_ASIDE = re.compile(
    r"\b(?:not|never|wrong|except|before|instead|rather|other|without|excluding|previous\w*|earlier|no)\b|n't\b",
    re.I,
)


def decide(text: str, reference: ReferenceAnswer, question: ParsedQuestion, apply: Apply) -> RuleOutcome:  # noqa: PLR0911 (a rule a line)
    """Return the outcome for the answer `text`, by the rules that `apply` applies to a text."""
    text = _without_note(clean(text))
    marked = None if no_answers.is_printed_error(text) else find_marked(text, _kind_of(reference, question))
    if marked and len(marked.answers) > MOST_MARKED:
        return unsure(Rule.CONTRADICTION)
    marked = Marked((text,)) if no_answers.is_null(text) else marked
    if marked and any(map(no_answers.is_null, marked.answers)):
        if reference.kind not in _NONE:
            return wrong(Rule.NO_ANSWER)
        marked = replace(
            marked, answers=tuple("none" if no_answers.is_null(one) else one for one in marked.answers)
        )
    named = marked if marked and marked.is_named else None
    claim = named.answers[0] if named and len(named.answers) == 1 else text
    if _is_no_answer(claim, text, reference, question):
        return wrong(Rule.NO_ANSWER)
    known = question.words | _words_of(reference)
    answer = Answer(claim, question)
    is_prose = is_english(without_ids(text)) and can_be_read(without_ids(text), known)
    if not (is_prose or answer.is_data or can_be_read(answer.without_ids, known)):
        return unsure(Rule.UNREADABLE)

    def holds_value(part: str) -> bool:
        other = Answer(part, question)
        is_date = any(value.date is not None for value in reference.values)
        return bool(other.dates if is_date else other.numbers)

    def judge(part: str) -> RuleOutcome:
        return apply(reference, Answer(part, question), question)

    if named:
        outcomes = [_judge_claim(one, judge, reference, holds_value) for one in named.answers]
        outcome = outcomes[-1]
        if len({one.correct for one in outcomes}) > 1 or _is_taken_back(named, outcome, judge):
            return unsure(Rule.CONTRADICTION)
    else:
        outcome = judge(text)
        if outcome.correct is None and marked:
            outcome = _judge_shown(marked.answers[0], text, judge) or outcome
    if outcome.correct is False and no_answers.reports_failure(claim):
        # A caveat makes nothing wrong.
        outcome = (
            outcome if judge(no_answers.without_failures(claim)).correct is False else unsure(outcome.rule)
        )
    if outcome.correct is False and outcome.rule in _MISSING:
        is_name = reference.kind in (ReferenceKind.NAME, ReferenceKind.LIST)
        if not (is_name and is_prose) and find_unknown(answer.without_ids, known):
            return unsure(outcome.rule)
    return outcome


def _without_note(text: str) -> str:
    """Return a text without the note at its end: "70. Note that only structured data was searched."."""
    note = _NOTE.search(text, max(0, text.rfind("\n") - _MOST_BEFORE))
    is_harmless = note and not any(sign.search(note[1]) for sign in (_TAKES_BACK, _DOUBTS, _DIGIT))
    return text[: note.start()] if note and is_harmless else text


def _is_no_answer(claim: str, text: str, reference: ReferenceAnswer, question: ParsedQuestion) -> bool:
    """Check whether a claim is blank, or reports a failure and has none of the values of the reference."""
    if no_answers.is_printed_error(claim):
        return True
    if no_answers.is_blank(claim):
        return not (reference.kind in _NONE and no_answers.says_none_was_found(text))
    if not no_answers.is_no_answer(claim):
        return False
    if reference.kind in _NONE:
        return True
    answer = Answer(claim, question)
    if reference.kind is ReferenceKind.BIT and answer.stance.explicit:
        return False
    return not any(
        any(rounds_alike(value.number, number.value) for number in answer.numbers)
        if value.number is not None
        else any(value.date.same_day(date) for date in answer.dates)
        if value.date is not None
        else find_name(value.text, words_in(answer.without_ids))
        for value in reference.values
    )


def _kind_of(reference: ReferenceAnswer, question: ParsedQuestion) -> QuestionKind:
    """Return the kind of value that the reference is; of the question, where it has none or is 0 or 1."""
    if reference.kind in _SIDES or not reference.values:
        return question.kind
    if all(value.number is not None for value in reference.values):
        return QuestionKind.AMOUNT
    return (
        QuestionKind.WHEN if all(value.date is not None for value in reference.values) else QuestionKind.THING
    )


@lru_cache(maxsize=4_096)
def _words_of(reference: ReferenceAnswer) -> frozenset[str]:
    names = [value.text for value in reference.values]
    return frozenset(
        word for name in names for known in ((words(name)), *synonyms_of(name)) for word in known
    )


def _judge_claim(
    claim: str,
    judge: Callable[[str], RuleOutcome],
    reference: ReferenceAnswer,
    holds_value: Callable[[str], bool],
) -> RuleOutcome:
    """Judge a claim, or the value that it begins with where all of it is not decided.

    holds_value: whether a text has a value of the kind of the reference, which may be another candidate.
    """
    outcome = judge(claim)
    if outcome.correct is not None or reference.kind in (*_SIDES, ReferenceKind.LIST):
        return outcome
    first, *rest = _FIRST.split(claim, maxsplit=1)
    if rest and not (_TAKES_BACK.search(rest[0]) or _DOUBTS.search(rest[0]) or holds_value(rest[0])):
        shorter = judge(first)
        return shorter if shorter.correct else outcome
    return outcome


def _is_taken_back(marked: Marked, outcome: RuleOutcome, judge: Callable[[str], RuleOutcome]) -> bool:
    """Check whether the text after a claim answers otherwise."""
    is_yes = outcome.rule is Rule.SAME_SIDE and not contains_denial(marked.answers[-1])
    for sentence in _SENTENCE.split(marked.after):
        if _DOUBTS.search(sentence) and _DIGIT.search(sentence):
            return True
        if not re.search(r"\w", sentence) or _ASIDE.search(sentence):
            continue
        if _TAKES_BACK.search(sentence):
            return True
        if is_yes and contains_denial(sentence):
            return True
        other = judge(sentence)
        if (
            outcome.correct is not None
            and other.correct is (not outcome.correct)
            and other.rule not in _MISSING
        ):
            return True
    return False


def _judge_shown(shown: str, text: str, judge: Callable[[str], RuleOutcome]) -> RuleOutcome | None:
    """Return the outcome of a part that stands out if it is right, and its sentence does not set it aside."""
    sentence = next((one for one in _SENTENCE.split(text) if shown in one), text)
    outcome = judge(shown)
    return outcome if outcome.correct and not _SETS_ASIDE.search(sentence.replace(shown, "")) else None
