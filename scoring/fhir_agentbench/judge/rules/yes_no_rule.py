"""Judge yes and no by meaning. Source: the rubric (judge.py); references are 1 or 0 in brackets."""

import re

from wardboard.scoring.fhir_agentbench.judge.rules.no_answer_rule import DENIAL_WORDS
from wardboard.scoring.fhir_agentbench.judge.rules.outcome import Rule, RuleOutcome, right, unsure, wrong
from wardboard.scoring.fhir_agentbench.judge.rules.text.answers import Answer
from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import words
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion
from wardboard.scoring.fhir_agentbench.judge.rules.text.stance import contains_denial
from wardboard.scoring.fhir_agentbench.judge.rules.text.vocabulary import ORDINARY
from wardboard.scoring.fhir_agentbench.judge.rules.topic import COMMON, topic_words

_COMPARES = re.compile(
    r"\b(?:less|lower|smaller|below|fewer|decreas\w*|dropp\w*|declin\w*|fell|greater|higher|larger|more than|"
    r"above|bigger|increas\w*|ros[ei]\w*|exceed\w*|equal|same|identical|unchanged|no change|no difference|"
    r"did not change)\b",
    re.I,
)
_RECORD = re.compile(r"\b(?:records?|recorded|none|never|nothing|found)\b", re.I)
# What is denied of one of several is not denied of all.
_ALL = re.compile(r"\b(?:neither|none|nothing|any|either|these|those|such|them|or)\b", re.I)
_NO_FIRST = re.compile(r"^\W*(?:no|nope|negative|false|incorrect)\b\W*", re.I)
_HAPPENED = re.compile(r"\b(?:was|were|has|had|have|did|received|got|underwent|took)\b", re.I)
_YES = frozenset(words("yes yeah yep yup affirmative correct true indeed positive 1"))
_NO = frozenset(words("no nope negative false untrue incorrect 0"))
# Ordinary words that limit, or turn round, what is said.
_TURNING = frozenset(words("only wrong before prior doubt another other hold held longer excluded empty"))
_PLAIN = (ORDINARY | DENIAL_WORDS | _YES | _NO) - _TURNING


def judge_yes_no(expected: bool, answer: Answer, question: ParsedQuestion) -> RuleOutcome:  # noqa: PLR0911 (a rule a line)
    """Return whether `answer` means yes, if `expected`, or else no."""
    stance = answer.stance
    if answer.is_data:
        return unsure(Rule.RAW_DATA)
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
        # One that found nothing to compare is not a no. Others stay open.
        is_none = stance.absent and "ever" not in answer.question.words
        is_none = is_none and not _COMPARES.search(answer.text)
        return wrong(Rule.NO_ANSWER) if is_none else unsure(Rule.NO_SIDE)
    if stance.denies:
        # It is a no, unless the rest affirms what was asked.
        first, *rest = re.split(r"(?<=[.;!])\s|\n", answer.without_ids)
        topic = question.words - COMMON
        affirming = [part for part in rest if not contains_denial(part) and topic & set(words(part))]
        if (
            affirming
            or (" or " in question.text and not _ALL.search(first))
            or not (
                (not rest and _RECORD.search(first)) or (topic_words(question) or topic) & set(words(first))
            )
        ):
            return unsure(Rule.CONTRADICTION)
        return _outcome_for_side(False, expected)
    # A sentence without a yes may be about something else.
    return unsure(Rule.NO_SIDE)


def _contradicts_itself(answer: Answer, question: ParsedQuestion) -> bool:
    """Check whether an answer may say both, take back what it says, or be about something else."""
    stance, given = answer.stance, set(answer.words)
    if given & _YES and given & _NO:
        return True
    if any(word not in _PLAIN and word not in question.words and word[0].isalpha() for word in given):
        return True
    if stance.explicit:
        # "No. Senna was given daily."
        rest = _NO_FIRST.sub("", answer.without_ids)
        return stance.side is False and _HAPPENED.search(rest) is not None and not contains_denial(rest)
    return stance.denies_later and not question.compares


def _outcome_for_side(side: bool, expected: bool) -> RuleOutcome:
    return right(Rule.SAME_SIDE) if side is expected else wrong(Rule.OTHER_SIDE)
