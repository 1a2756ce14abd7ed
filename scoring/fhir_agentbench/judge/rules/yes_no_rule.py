"""Judge yes and no by meaning. Source: the rubric (judge.py); references are 1 or 0 in brackets."""

import re

from wardboard.scoring.fhir_agentbench.judge.rules.contradictions import (
    calls_statement_false,
    is_about_something_else,
    says_yes_and_no,
    side_of_tick,
)
from wardboard.scoring.fhir_agentbench.judge.rules.outcome import Rule, RuleOutcome
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
_CLAUSE = re.compile(r",? or ")
_NOT_SO = re.compile(
    r"\b(?:not|isn't|wasn't|no)\s+(?:\w+\s)?(?:less|lower|smaller|greater|higher|larger|more|bigger)\b", re.I
)
# "Was not normal" denies something that was not asked.
_NOT_WHAT = re.compile(
    r"\b(?:not|no|n't|neg(?:ative)? for)\s(?:been\s|a\s|an\s|any\s|be\s|have\s)*([a-z]+)", re.I
)
_EACH = re.compile(r"\w: ?(?:yes|no)\b.{0,80}\w: ?(?:yes|no)\b", re.I | re.S)
_NO_FIRST = re.compile(r"^\W*(?:no|nope|negative|false|incorrect)\b\W*", re.I)
# What is done to a patient, and names no topic.
ACTS = frozenset(words("prescribed performed given ordered received undergo undergone get done administered"))
_HAPPENED = re.compile(r"\b(?:was|were|has|had|have|did|received|got|underwent|took)\b", re.I)
# "The patient did have it" says yes with stress.
_STRESSED = re.compile(
    r"\b(?:did|does|do)\s(?:indeed\s|in fact\s)?(?:have|receive|undergo|get|take|need|show|experience)\b|"
    r"\bthere (?:is|was) an? (?:record|entry|order|prescription|note) (?:of|for)\b|"
    r"\b(?:records?|charts?|data|resources?|entr(?:y|ies)|results?)\s(?:clearly\s)?(?:confirm|show|document)s?\b",
    re.I,
)
# A comparison in signs is not read: "last > first".
_FORMULA = re.compile(r"[a-z_)\]]\s?[<>]=?\s?[a-z_(]|[=!]=", re.I)
_LONG = 300  # characters


def judge_yes_no(expected: bool, answer: Answer, question: ParsedQuestion) -> RuleOutcome:  # noqa: PLR0911 (a rule a line)
    """Return whether `answer` means yes, if `expected`, or else no."""
    stance = answer.stance
    if answer.is_data:
        # Data in place of an answer mean yes, unless they are about something else.
        return RuleOutcome(expected and not question.compares, Rule.RAW_DATA, sure=False)
    if _FORMULA.search(answer.text):
        return RuleOutcome(False, Rule.UNREADABLE, sure=False)
    contradiction = _judge_contradiction(expected, answer, question)
    if contradiction:
        return contradiction
    if stance.failed and not stance.explicit:
        return RuleOutcome(False, Rule.NO_ANSWER, sure=expected and not stance.ambiguous)
    if not stance.explicit and not (stance.hedged or stance.unable or stance.contradictory):
        at_end = _side_at_end(answer, question)
        if at_end is not None:
            return RuleOutcome(at_end is expected, Rule.CONTRADICTION, sure=False)
    if stance.ambiguous or stance.hedged:
        rule = Rule.CONTRADICTION if stance.ambiguous else Rule.HEDGED
        leans_right = stance.side is expected and not (stance.hedged or stance.contradictory)
        if ", " in question.text and _CLAUSE.search(question.text) and not stance.hedged:
            # "Aspirin: yes; warfarin: no" is a yes to one of them.
            leans_right = (expected and re.search(r"\byes\b", answer.text, re.I) is not None) or leans_right
        return RuleOutcome(leans_right, rule, sure=False)
    if stance.explicit:
        return _outcome_for_side(
            bool(stance.side), expected, sure=not (stance.unable or (stance.absent and stance.side))
        )
    if stance.unable:
        return RuleOutcome(False, Rule.NO_SIDE, sure=expected)
    if question.compares:
        return _judge_comparison(expected, answer, question)
    if stance.denies:
        return _judge_denial(expected, answer, question)
    return _judge_affirmation(expected, answer, question)


def _judge_contradiction(expected: bool, answer: Answer, question: ParsedQuestion) -> RuleOutcome | None:
    """Judge an answer that says both, or takes back what it says; None for others."""
    text, stance = answer.without_ids, answer.stance
    # "Aspirin: yes; warfarin: no" is a yes to one of them.
    several = ", " in question.text and _CLAUSE.search(question.text) is not None
    if says_yes_and_no(text) and not (several and _EACH.search(text)):
        return RuleOutcome(False, Rule.CONTRADICTION, sure=False)
    if calls_statement_false(text):
        is_no = not (expected or stance.denies or stance.ambiguous or stance.hedged)
        return RuleOutcome(is_no, Rule.CONTRADICTION, sure=False)
    if not (stance.explicit and stance.side is False) and is_about_something_else(text, question):
        no = not expected and stance.denies and not (stance.ambiguous or stance.hedged)
        return RuleOutcome(no, Rule.NO_SIDE, sure=False)
    if not expected and _affirms_after_no(answer, question):
        return RuleOutcome(False, Rule.CONTRADICTION, sure=False)
    ticked = side_of_tick(text)
    if ticked is not None and not (stance.explicit and stance.side is ticked and not stance.contradictory):
        denied = stance.denies and ticked
        agrees = ticked is expected and not (denied or stance.hedged or stance.ambiguous)
        return RuleOutcome(agrees, Rule.CONTRADICTION, sure=False)
    return None


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


def _side_at_end(answer: Answer, question: ParsedQuestion) -> bool | None:
    """Return the side of a later sentence if the first does not decide it; None if none does."""
    parts = sentences(answer.without_ids)
    ends = _ENDS.search(parts[-1]) if parts else None
    if ends:
        word = (ends[1] or ends[2] or "").casefold()
        return not ends[4] if ends[3] else word in ("yes", "true", "indeed", "positive", "y", "t")
    if not answer.stance.denies_later or question.compares:
        return None
    topic = question.words - COMMON
    for part in reversed(parts):
        if topic & set(words(part)):
            return not contains_denial(part) or not denies_all_options(part, question)
    return False


def _outcome_for_side(side: bool, expected: bool, *, sure: bool) -> RuleOutcome:
    return RuleOutcome(side is expected, Rule.SAME_SIDE if side is expected else Rule.OTHER_SIDE, sure)


def _judge_comparison(expected: bool, answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    """Judge a comparison: "It is higher" answers no to "is it lower?"."""
    text = answer.text
    less, more, equal = (pattern.search(text) is not None for pattern in (_LESS, _MORE, _EQUAL))
    if equal and not less and not more:
        return _outcome_for_side(False, expected, sure=not answer.stance.denies)
    if less and more and _NOT_SO.search(text):
        # "It is not higher; it is lower".
        rest = _NOT_SO.sub(" ", text)
        less, more = (pattern.search(rest) is not None for pattern in (_LESS, _MORE))
        side = less if question.compares == "less" else more
        return RuleOutcome(less != more and side is expected, Rule.SAME_SIDE, sure=False)
    if less == more:
        # Having nothing to compare is not a no.
        return RuleOutcome(False, Rule.NO_SIDE, sure=expected and answer.stance.absent)
    side = less if question.compares == "less" else more
    if _TURNED.search(text) and not _TURNED.search(question.text):
        return RuleOutcome((not side) is expected, Rule.OTHER_SIDE, sure=False)
    if answer.stance.denies or answer.stance.denies_later:
        absent = re.search(r"\b(?:found|recorded|available|data|records?)\b", text, re.I)
        if absent:
            return RuleOutcome(False, Rule.NO_SIDE, sure=expected)
        side = not side if side else False
    return _outcome_for_side(side, expected, sure=not equal and not answer.stance.denies_later)


def _mentions_topic(answer: Answer, question: ParsedQuestion) -> bool:
    return _RECORD.search(answer.text) is not None or bool((question.words - COMMON) & set(answer.words))


def _judge_denial(expected: bool, answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    """Judge an answer that begins with a denial: a no, unless the rest affirms what was asked."""
    first, *rest = re.split(r"(?<=[.;!])\s|\n", answer.without_ids)
    topic = question.words - COMMON
    affirming = [part for part in rest if not contains_denial(part) and topic & set(words(part))]
    if not denies_all_options(answer.without_ids, question) or (
        affirming and not denies_all_options(first, question)
    ):
        return RuleOutcome(bool(affirming) is expected, Rule.CONTRADICTION, sure=False)
    if ", " in question.text and _CLAUSE.search(question.text) and _affirms_one_option(answer, question):
        return RuleOutcome(expected, Rule.CONTRADICTION, sure=False)
    is_calm = not (affirming and re.search(r"\b(?:all|was|were|is|are|has|had)\b", " ".join(affirming)))
    denied = _NOT_WHAT.search(first)
    is_other_thing = denied is not None and not {stem(denied[1])[:5]} & {
        word[:5] for word in question.words | ORDINARY
    }
    return _outcome_for_side(
        False,
        expected,
        sure=is_calm and not is_other_thing and (expected or _mentions_topic(answer, question)),
    )


def _affirms_one_option(answer: Answer, question: ParsedQuestion) -> bool:
    """Check whether one of "a, b or c" is affirmed: "a was not given, c was given"."""
    first, *parts = re.split(
        r"[,;.\n]\s?(?!\s?(?:or|nor|and|were|was)\b)|\bbut\b", answer.without_ids.lower(), maxsplit=20
    )
    verb = r"\b(?:was|were|is|has|yes|given|found)\b"
    if not contains_denial(first) or not re.search(verb, first):
        return False
    return any(
        not contains_denial(part)
        and re.search(verb, part) is not None
        and count_topic_words(question, words(part)) > 0
        for part in parts
    )


def _names_the_thing(answer: Answer, question: ParsedQuestion) -> bool:
    """Check whether the answer names what the question asks about, and nothing else."""
    named = [word for word in topic_words(question) if word not in ACTS]
    return (
        bool(named)
        and count_topic_words(question, answer.words) >= len(named)
        and not is_off_topic(answer, question)
    )


def _judge_affirmation(expected: bool, answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    """Judge an answer without denial: a yes if it is about what was asked."""
    if any(number.value == 0 for number in answer.numbers):
        return _outcome_for_side(False, expected, sure=len(answer.numbers) == 1)
    question_words = question.words - COMMON
    is_stressed = _STRESSED.search(answer.text) is not None and _names_the_thing(answer, question)
    # Compared by prefix: "admitted" and "admissions" mean the same.
    prefixes = {word[:5] for word in answer.words}
    shared = sum(word[:5] in prefixes for word in question_words)
    if names_other_year(answer, question):
        return RuleOutcome(False, Rule.NO_SIDE, sure=False)
    if topic_words(question) and not count_topic_words(question, answer.words):
        return RuleOutcome(
            expected and shared > 0 and not is_off_topic(answer, question), Rule.NO_SIDE, sure=False
        )
    if _LIMITED.search(answer.text) and not _LIMITED.search(question.text):
        return RuleOutcome(not expected, Rule.OTHER_SIDE, sure=False)
    # A long list without a yes may be about something else.
    is_full = shared >= 2 and shared * 3 >= min(len(question_words), 9)
    sure = (is_full or is_stressed) and len(answer.text) < _LONG
    if not shared:
        return RuleOutcome(expected and not topic_words(question), Rule.NO_SIDE, sure=False)
    return _outcome_for_side(True, expected, sure=sure)
