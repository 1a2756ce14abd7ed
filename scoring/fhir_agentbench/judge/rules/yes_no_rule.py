"""Judge yes and no by meaning. Source: the rubric (judge.py); references are 1 or 0 in brackets."""

import re

from wardboard.scoring.fhir_agentbench.judge.rules.contradictions import (
    calls_statement_false,
    is_about_something_else,
    says_yes_and_no,
)
from wardboard.scoring.fhir_agentbench.judge.rules.outcome import Rule, RuleOutcome, right, unsure, wrong
from wardboard.scoring.fhir_agentbench.judge.rules.text.answers import Answer
from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import sentences, stem, words
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion
from wardboard.scoring.fhir_agentbench.judge.rules.text.stance import contains_denial
from wardboard.scoring.fhir_agentbench.judge.rules.text.vocabulary import ORDINARY
from wardboard.scoring.fhir_agentbench.judge.rules.topic import (
    COMMON,
    topic_words,
)

_COMPARES = re.compile(
    r"\b(?:less|lower|smaller|below|fewer|decreas\w*|dropp\w*|declin\w*|fell|greater|higher|larger|more than|"
    r"above|bigger|increas\w*|ros[ei]\w*|exceed\w*|equal|same|identical|unchanged|no change|no difference|"
    r"did not change)\b",
    re.I,
)
_RECORD = re.compile(r"\b(?:records?|recorded|none|never|nothing|found)\b", re.I)
# What is denied of one of several is not denied of all.
_ALL = re.compile(r"\b(?:neither|none|nothing|any|either|these|those|such|them|or)\b", re.I)
_LIMITED = re.compile(r"\b(?:only|before|prior to|empty|excluded)\b|\?\s*no\b", re.I)
# A yes or no at the end of a sentence that does not begin with one.
_ENDS = re.compile(
    r"\b(?:answer|result|conclusion)(?: is|:)\s*(yes|no|true|false)\b|"
    r"(?:^|[:,?=])\s*(yes|no|true|false|indeed|negative|positive|n|y|f|t)\W*$|"
    r"\b(?:patient|this|it) (did|has|was|had|happened)( not)?(?: happen\w*)?\W*$",
    re.I,
)
# "Was not normal" denies something that was not asked.
_NOT_WHAT = re.compile(
    r"\b(?:not|no|n't|neg(?:ative)? for)\s(?:been\s|a\s|an\s|any\s|be\s|have\s)*([a-z]+)", re.I
)
_NO_FIRST = re.compile(r"^\W*(?:no|nope|negative|false|incorrect)\b\W*", re.I)
_HAPPENED = re.compile(r"\b(?:was|were|has|had|have|did|received|got|underwent|took)\b", re.I)
# A comparison in signs is not read: "last > first".
_FORMULA = re.compile(r"[a-z_)\]]\s?[<>]=?\s?[a-z_(]|[=!]=", re.I)


def judge_yes_no(expected: bool, answer: Answer, question: ParsedQuestion) -> RuleOutcome:  # noqa: PLR0911 (a rule a line)
    """Return whether `answer` means yes, if `expected`, or else no."""
    stance = answer.stance
    if answer.is_data:
        return unsure(Rule.RAW_DATA)
    if _FORMULA.search(answer.text):
        return unsure(Rule.UNREADABLE)
    if _contradicts_itself(answer, question):
        return unsure(Rule.CONTRADICTION)
    if stance.ambiguous or stance.hedged or (stance.failed and not stance.explicit):
        return unsure(Rule.HEDGED)
    if stance.explicit:
        is_unclear = stance.unable or (stance.absent and stance.side)
        return unsure(Rule.CONTRADICTION) if is_unclear else _outcome_for_side(bool(stance.side), expected)
    if stance.unable:
        return wrong(Rule.NO_SIDE)
    if question.compares:
        return _judge_comparison(answer)
    if stance.denies:
        return _judge_denial(expected, answer, question)
    # A sentence without a yes may be about something else.
    return unsure(Rule.NO_SIDE)


def _contradicts_itself(answer: Answer, question: ParsedQuestion) -> bool:
    """Check whether an answer may say both, take back what it says, or be about something else."""
    text, stance = answer.without_ids, answer.stance
    if says_yes_and_no(text) or calls_statement_false(text) or _affirms_after_no(answer, question):
        return True
    if not (stance.explicit and stance.side is False) and is_about_something_else(text, question):
        return True
    if stance.explicit:
        return False
    # A later sentence that decides, or denies.
    parts = sentences(text)
    return bool(parts and _ENDS.search(parts[-1])) or (stance.denies_later and not question.compares)


def _affirms_after_no(answer: Answer, question: ParsedQuestion) -> bool:
    """Check whether "No." is followed by the thing itself: "No. Aspirin was given daily."."""
    stance = answer.stance
    if not stance.explicit or stance.side or question.compares:
        return False
    rest = _NO_FIRST.sub("", answer.without_ids)
    denies = stance.denies or stance.denies_later or _LIMITED.search(rest)
    return not denies and _HAPPENED.search(rest) is not None


def _outcome_for_side(side: bool, expected: bool) -> RuleOutcome:
    return right(Rule.SAME_SIDE) if side is expected else wrong(Rule.OTHER_SIDE)


def _judge_comparison(answer: Answer) -> RuleOutcome:
    """Reject a comparison that found nothing to compare, which is not a no. Others stay open."""
    is_none = answer.stance.absent and "ever" not in answer.question.words
    is_none = is_none and not _COMPARES.search(answer.text)
    return wrong(Rule.NO_ANSWER) if is_none else unsure(Rule.NO_SIDE)


def _judge_denial(expected: bool, answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    """Judge an answer that begins with a denial: a no, unless the rest affirms what was asked."""
    first, *rest = re.split(r"(?<=[.;!])\s|\n", answer.without_ids)
    topic = question.words - COMMON
    affirming = [part for part in rest if not contains_denial(part) and topic & set(words(part))]
    denied = _NOT_WHAT.search(first)
    is_other_thing = denied is not None and not {stem(denied[1])[:5]} & {
        word[:5] for word in question.words | ORDINARY
    }
    if (
        is_other_thing
        or affirming
        or (" or " in question.text and not _ALL.search(first))
        or not ((not rest and _RECORD.search(first)) or (topic_words(question) or topic) & set(words(first)))
    ):
        return unsure(Rule.CONTRADICTION)
    return _outcome_for_side(False, expected)
