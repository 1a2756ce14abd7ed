"""Yes and no, by meaning. Source: section 4 (yes/no references are 1/0 in brackets)."""

import re

from scoring.fhir_agentbench.judge.rules.answers import Answer
from scoring.fhir_agentbench.judge.rules.findings import Finding, Why
from scoring.fhir_agentbench.judge.rules.questions import Question

_LESS = re.compile(r"\b(?:less|lower|smaller|below|fewer|decreas\w*|dropp\w*|declin\w*|fell)\b", re.I)
_MORE = re.compile(
    r"\b(?:greater|higher|larger|more than|above|bigger|increas\w*|ros[ei]\w*|exceed\w*)\b",
    re.I,
)
_RECORD = re.compile(r"\b(?:records?|recorded|none|never|nothing|found)\b", re.I)
_EQUAL = re.compile(r"\b(?:equal|same|identical|unchanged|no change|no difference|did not change)\b", re.I)
_LONG = 300  # characters
_COMMON = frozenset(
    [
        "a",
        "an",
        "the",
        "is",
        "are",
        "was",
        "were",
        "has",
        "have",
        "had",
        "did",
        "do",
        "does",
        "been",
        "be",
        "patient",
        "in",
        "on",
        "of",
        "to",
        "for",
        "at",
        "since",
        "this",
        "last",
        "first",
        "any",
        "there",
        "their",
        "with",
        "by",
        "and",
        "or",
        "hospital",
        "year",
        "month",
        "visit",
        "encounter",
        "current",
    ]
)


def judge_side(truth: bool, answer: Answer, question: Question) -> Finding:  # noqa: PLR0911 (a rule a line)
    """Return whether `answer` says yes (where `truth`) or no."""
    stance = answer.stance
    if answer.raw:
        # Data for an answer means that there is some, or that it was found for something else.
        return Finding(truth and not question.compares, Why.RAW_DATA, sure=False)
    if stance.broken and not stance.spoken:
        return Finding(False, Why.NO_ANSWER, sure=truth and not stance.clashes)
    if stance.clashes or stance.hedged:
        why = Why.CONTRADICTION if stance.clashes else Why.HEDGED
        lean = stance.side is truth and not (stance.hedged or stance.both)
        return Finding(lean, why, sure=False)
    if stance.spoken:
        return _said(bool(stance.side), truth, sure=not (stance.unable or (stance.absent and stance.side)))
    if stance.unable:
        return Finding(False, Why.NO_SIDE, sure=truth)
    if question.compares:
        return _compared(truth, answer, question)
    if stance.denies:
        return _said(False, truth, sure=truth or _speaks_of_it(answer, question))
    return _affirmed(truth, answer, question)


def _said(side: bool, truth: bool, *, sure: bool) -> Finding:
    return Finding(side is truth, Why.SAME_SIDE if side is truth else Why.OTHER_SIDE, sure)


def _compared(truth: bool, answer: Answer, question: Question) -> Finding:
    """ "It is higher" says no to "is it lower?"."""
    text = answer.text
    less, more, equal = (pattern.search(text) is not None for pattern in (_LESS, _MORE, _EQUAL))
    if equal and not less and not more:
        return _said(False, truth, sure=not answer.stance.denies)
    if less == more:
        # Nothing to compare is not a no.
        return Finding(False, Why.NO_SIDE, sure=truth and answer.stance.absent)
    side = less if question.compares == "less" else more
    if answer.stance.denies:
        absent = re.search(r"\b(?:found|recorded|available|data|records?)\b", text, re.I)
        if absent:
            return Finding(False, Why.NO_SIDE, sure=truth)
        side = not side if side else False
    return _said(side, truth, sure=not equal)


def _speaks_of_it(answer: Answer, question: Question) -> bool:
    return _RECORD.search(answer.text) is not None or bool((question.words - _COMMON) & set(answer.words))


def _affirmed(truth: bool, answer: Answer, question: Question) -> Finding:
    """Nothing is denied: a yes, if it speaks of what was asked."""
    if any(number.value == 0 for number in answer.numbers):
        return _said(False, truth, sure=len(answer.numbers) == 1)
    asked = question.words - _COMMON
    # By their beginnings: "admitted" and "admissions" are of one thing.
    said = {word[:5] for word in answer.words}
    shared = sum(word[:5] in said for word in asked)
    # A long list without a yes may be of something else.
    sure = shared >= 2 and shared * 3 >= min(len(asked), 9) and len(answer.text) < _LONG
    return _said(True, truth, sure=sure) if shared else Finding(False, Why.NO_SIDE, sure=False)
