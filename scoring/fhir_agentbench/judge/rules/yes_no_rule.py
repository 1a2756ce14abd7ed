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
    count_topic_words,
    denies_all_options,
    is_off_topic,
    names_other_year,
    topic_words,
)

_LESS = re.compile(r"\b(?:less|lower|smaller|below|fewer|decreas\w*|dropp\w*|declin\w*|fell)\b", re.I)
_MORE = re.compile(
    r"\b(?:greater|higher|larger|more than|above|bigger|increas\w*|ros[ei]\w*|exceed\w*)\b",
    re.I,
)
_RECORD = re.compile(r"\b(?:records?|recorded|none|never|nothing|found)\b", re.I)
_EQUAL = re.compile(r"\b(?:equal|same|identical|unchanged|no change|no difference|did not change)\b", re.I)
# "The first was higher" compares in the reverse direction.
_TURNED = re.compile(
    r"\b(?:first|earlier|earliest|previous|second[- ]to[- ]last|initial|baseline)\b"
    r"(?:(?!\b(?:last|latest|it)\b)[^.;]){0,80}\b(?:less|lower|smaller|below|"
    r"fewer|greater|higher|larger|above|bigger|exceed\w*)\b",
    re.I,
)
_LIMITED = re.compile(r"\b(?:only|before|prior to|empty|excluded)\b|\?\s*no\b", re.I)
# A yes or no at the end of a sentence that does not begin with one.
_ENDS = re.compile(
    r"\b(?:answer|result|conclusion)(?: is|:)\s*(yes|no|true|false)\b|"
    r"(?:^|[:,?=])\s*(yes|no|true|false|indeed|negative|positive|n|y|f|t)\W*$|"
    r"\b(?:patient|this|it) (did|has|was|had|happened)( not)?(?: happen\w*)?\W*$",
    re.I,
)
_CLAUSE = re.compile(r", [^?]* or ")
_SEVERAL = re.compile(r"[;.]\s+\w|\bbut\b|,\s(?:and |while )?[^,]{1,40}\s(?:was|were|is)\b")
# "Was not normal" denies something that was not asked.
_NOT_WHAT = re.compile(
    r"\b(?:not|no|n't|neg(?:ative)? for)\s(?:been\s|a\s|an\s|any\s|be\s|have\s)*([a-z]+)", re.I
)
_NO_FIRST = re.compile(r"^\W*(?:no|nope|negative|false|incorrect)\b\W*", re.I)
_HAPPENED = re.compile(r"\b(?:was|were|has|had|have|did|received|got|underwent|took)\b", re.I)
# A comparison in signs is not read: "last > first".
_FORMULA = re.compile(r"[a-z_)\]]\s?[<>]=?\s?[a-z_(]|[=!]=", re.I)
_ABSENT = re.compile(r"\b(?:found|recorded|available|data|records?)\b", re.I)
_LONG = 300  # characters


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
        return _judge_comparison(expected, answer, question)
    if stance.denies:
        return _judge_denial(expected, answer, question)
    return _judge_affirmation(expected, answer, question)


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
    if stance.denies or stance.denies_later or not _HAPPENED.search(rest) or _LIMITED.search(rest):
        return False
    topic = topic_words(question)
    return (
        bool(topic)
        and count_topic_words(question, words(rest)) == len(topic)
        and not is_off_topic(answer, question)
    )


def _outcome_for_side(side: bool, expected: bool) -> RuleOutcome:
    return right(Rule.SAME_SIDE) if side is expected else wrong(Rule.OTHER_SIDE)


def _judge_comparison(expected: bool, answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    """Judge a comparison: "It is higher" answers no to "is it lower?"."""
    text, stance = answer.text, answer.stance
    less, more, equal = (pattern.search(text) is not None for pattern in (_LESS, _MORE, _EQUAL))
    if less == more:
        if equal and not less and not stance.denies:
            return _outcome_for_side(False, expected)
        # Having nothing to compare is not a no.
        is_none = stance.absent and not less and "ever" not in question.words
        return wrong(Rule.NO_ANSWER) if is_none else unsure(Rule.NO_SIDE)
    side = less if question.compares == "less" else more
    if equal or stance.denies_later or (_TURNED.search(text) and not _TURNED.search(question.text)):
        return unsure(Rule.CONTRADICTION)
    if stance.denies:
        # "It was not higher" does not say that it was lower.
        return (
            _outcome_for_side(False, expected) if side and not _ABSENT.search(text) else unsure(Rule.NO_SIDE)
        )
    return _outcome_for_side(side, expected)


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
        or not denies_all_options(answer.without_ids, question)
        or (_CLAUSE.search(question.text) and _SEVERAL.search(answer.without_ids))
        or not ((not rest and _RECORD.search(first)) or (topic_words(question) or topic) & set(words(first)))
    ):
        return unsure(Rule.CONTRADICTION)
    return _outcome_for_side(False, expected)


def _judge_affirmation(expected: bool, answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    """Judge an answer without denial: a yes if it is about what was asked."""
    if any(number.value == 0 for number in answer.numbers):
        return _outcome_for_side(False, expected) if len(answer.numbers) == 1 else unsure(Rule.NO_SIDE)
    if names_other_year(answer, question) or (
        _LIMITED.search(answer.text) and not _LIMITED.search(question.text)
    ):
        return unsure(Rule.NO_SIDE)
    topic = topic_words(question)
    if topic and not count_topic_words(question, answer.words):
        return unsure(Rule.NO_SIDE)
    question_words = question.words - COMMON
    # Compared by prefix: "admitted" and "admissions" mean the same.
    prefixes = {word[:5] for word in answer.words}
    shared = sum(word[:5] in prefixes for word in question_words)
    is_full = shared >= 2 and shared * 3 >= min(len(question_words), 9)
    # A long list without a yes may be about something else.
    if not shared or not is_full or len(answer.text) >= _LONG:
        return unsure(Rule.NO_SIDE)
    return _outcome_for_side(True, expected)
