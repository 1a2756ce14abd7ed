"""Yes and no, by meaning. Source: section 4 (yes/no references are 1/0 in brackets)."""

import re

from scoring.fhir_agentbench.judge.rules.contradictions import (
    never_came_to_be,
    says_both,
    says_false_that,
    side_of_mark,
)
from scoring.fhir_agentbench.judge.rules.outcome import Rule, RuleOutcome
from scoring.fhir_agentbench.judge.rules.text.answers import Answer
from scoring.fhir_agentbench.judge.rules.text.normalise import sentences, stem, words
from scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion
from scoring.fhir_agentbench.judge.rules.text.stance import denies_in
from scoring.fhir_agentbench.judge.rules.text.vocabulary import FILLER
from scoring.fhir_agentbench.judge.rules.topic import COMMON, denies_all, names, other_year, said_of, strays

_LESS = re.compile(r"\b(?:less|lower|smaller|below|fewer|decreas\w*|dropp\w*|declin\w*|fell)\b", re.I)
_MORE = re.compile(
    r"\b(?:greater|higher|larger|more than|above|bigger|increas\w*|ros[ei]\w*|exceed\w*)\b",
    re.I,
)
_RECORD = re.compile(r"\b(?:records?|recorded|none|never|nothing|found)\b", re.I)
_EQUAL = re.compile(r"\b(?:equal|same|identical|unchanged|no change|no difference|did not change)\b", re.I)
# "The first was higher" is said from the other end.
_TURNED = re.compile(
    r"\b(?:first|earlier|earliest|previous|second[- ]to[- ]last|initial|baseline)\b"
    r"(?:(?!\b(?:last|latest|it)\b)[^.;]){0,80}\b(?:less|lower|smaller|below|"
    r"fewer|greater|higher|larger|above|bigger|exceed\w*)\b",
    re.I,
)
_LIMITED = re.compile(r"\b(?:only|before|prior to|empty|excluded)\b|\?\s*no\b", re.I)
# Said where a sentence does not begin with yes or no.
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
# "Was not normal" denies nothing that was asked.
_NOT_WHAT = re.compile(r"\b(?:not|no|n't)\s(?:been\s|a\s|an\s|any\s|be\s|have\s)*([a-z]+)", re.I)
_EACH = re.compile(r"\w: ?(?:yes|no)\b.{0,80}\w: ?(?:yes|no)\b", re.I | re.S)
_NO_FIRST = re.compile(r"^\W*(?:no|nope|negative|false|incorrect)\b\W*", re.I)
_HAPPENED = re.compile(r"\b(?:was|were|has|had|have|did|received|got|underwent|took)\b", re.I)
_LONG = 300  # characters


def judge_side(truth: bool, answer: Answer, question: ParsedQuestion) -> RuleOutcome:  # noqa: PLR0911 (a rule a line)
    """Return whether `answer` says yes (where `truth`) or no."""
    stance = answer.stance
    if answer.raw:
        # Data for an answer means that there is some, or that it was found for something else.
        return RuleOutcome(truth and not question.compares, Rule.RAW_DATA, sure=False)
    contrary = _contrary(truth, answer, question)
    if contrary:
        return contrary
    if stance.broken and not stance.spoken:
        return RuleOutcome(False, Rule.NO_ANSWER, sure=truth and not stance.clashes)
    if not stance.spoken and not (stance.hedged or stance.unable or stance.both):
        at_end = _side_at_end(answer, question)
        if at_end is not None:
            return RuleOutcome(at_end is truth, Rule.CONTRADICTION, sure=False)
    if stance.clashes or stance.hedged:
        why = Rule.CONTRADICTION if stance.clashes else Rule.HEDGED
        lean = stance.side is truth and not (stance.hedged or stance.both)
        if ", " in question.text and _CLAUSE.search(question.text) and not stance.hedged:
            # "Aspirin: yes; warfarin: no" is a yes to one of them.
            lean = (truth and re.search(r"\byes\b", answer.text, re.I) is not None) or lean
        return RuleOutcome(lean, why, sure=False)
    if stance.spoken:
        return _said(bool(stance.side), truth, sure=not (stance.unable or (stance.absent and stance.side)))
    if stance.unable:
        return RuleOutcome(False, Rule.NO_SIDE, sure=truth)
    if question.compares:
        return _compared(truth, answer, question)
    if stance.denies:
        return _denied(truth, answer, question)
    return _affirmed(truth, answer, question)


def _contrary(truth: bool, answer: Answer, question: ParsedQuestion) -> RuleOutcome | None:
    """Return what is said of an answer that says both, or that takes its own side back; None of others."""
    text, stance = answer.masked, answer.stance
    # "Aspirin: yes; warfarin: no" is a yes to one of them.
    several = ", " in question.text and _CLAUSE.search(question.text) is not None
    if says_both(text) and not (several and _EACH.search(text)):
        return RuleOutcome(False, Rule.CONTRADICTION, sure=False)
    if says_false_that(text):
        plain = not (truth or stance.denies or stance.clashes or stance.hedged)
        return RuleOutcome(plain, Rule.CONTRADICTION, sure=False)
    if not (stance.spoken and stance.side is False) and never_came_to_be(text, question):
        no = not truth and stance.denies and not (stance.clashes or stance.hedged)
        return RuleOutcome(no, Rule.NO_SIDE, sure=False)
    if not truth and _affirms_after_no(answer, question):
        return RuleOutcome(False, Rule.CONTRADICTION, sure=False)
    marked = side_of_mark(text)
    if marked is not None:
        denied = stance.denies and marked
        fits = marked is truth and not (denied or stance.hedged or stance.clashes)
        return RuleOutcome(fits, Rule.CONTRADICTION, sure=False)
    return None


def _affirms_after_no(answer: Answer, question: ParsedQuestion) -> bool:
    """Tell whether "No." is followed by the very thing: "No. Aspirin was given daily."."""
    stance = answer.stance
    if not stance.spoken or stance.side or question.compares:
        return False
    rest = _NO_FIRST.sub("", answer.masked)
    if stance.denies or stance.later or not _HAPPENED.search(rest) or _LIMITED.search(rest):
        return False
    asked = names(question)
    return bool(asked) and said_of(question, words(rest)) == len(asked) and not strays(answer, question)


def _side_at_end(answer: Answer, question: ParsedQuestion) -> bool | None:
    """Return what a later sentence says where the first does not settle it, None where none does."""
    parts = sentences(answer.masked)
    ends = _ENDS.search(parts[-1]) if parts else None
    if ends:
        word = (ends[1] or ends[2] or "").casefold()
        return not ends[4] if ends[3] else word in ("yes", "true", "indeed", "positive", "y", "t")
    if not answer.stance.later or question.compares:
        return None
    about = question.words - COMMON
    for part in reversed(parts):
        if about & set(words(part)):
            return not denies_in(part) or not denies_all(part, question)
    return False


def _said(side: bool, truth: bool, *, sure: bool) -> RuleOutcome:
    return RuleOutcome(side is truth, Rule.SAME_SIDE if side is truth else Rule.OTHER_SIDE, sure)


def _compared(truth: bool, answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    """ "It is higher" says no to "is it lower?"."""
    text = answer.text
    less, more, equal = (pattern.search(text) is not None for pattern in (_LESS, _MORE, _EQUAL))
    if equal and not less and not more:
        return _said(False, truth, sure=not answer.stance.denies)
    if less and more and _NOT_SO.search(text):
        # "It is not higher; it is lower".
        rest = _NOT_SO.sub(" ", text)
        less, more = (pattern.search(rest) is not None for pattern in (_LESS, _MORE))
        side = less if question.compares == "less" else more
        return RuleOutcome(less != more and side is truth, Rule.SAME_SIDE, sure=False)
    if less == more:
        # Nothing to compare is not a no.
        return RuleOutcome(False, Rule.NO_SIDE, sure=truth and answer.stance.absent)
    side = less if question.compares == "less" else more
    if _TURNED.search(text) and not _TURNED.search(question.text):
        return RuleOutcome((not side) is truth, Rule.OTHER_SIDE, sure=False)
    if answer.stance.denies or answer.stance.later:
        absent = re.search(r"\b(?:found|recorded|available|data|records?)\b", text, re.I)
        if absent:
            return RuleOutcome(False, Rule.NO_SIDE, sure=truth)
        side = not side if side else False
    return _said(side, truth, sure=not equal and not answer.stance.later)


def _speaks_of_it(answer: Answer, question: ParsedQuestion) -> bool:
    return _RECORD.search(answer.text) is not None or bool((question.words - COMMON) & set(answer.words))


def _denied(truth: bool, answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    """The first sentence denies: a no, unless it leaves out what is then affirmed."""
    first, *rest = re.split(r"(?<=[.;!])\s|\n", answer.masked)
    about = question.words - COMMON
    later = [part for part in rest if not denies_in(part) and about & set(words(part))]
    if not denies_all(answer.masked, question) or (later and not denies_all(first, question)):
        return RuleOutcome(bool(later) is truth, Rule.CONTRADICTION, sure=False)
    if ", " in question.text and _CLAUSE.search(question.text) and _affirms_one(answer, question):
        return RuleOutcome(truth, Rule.CONTRADICTION, sure=False)
    calm = not (later and re.search(r"\b(?:all|was|were|is|are|has|had)\b", " ".join(later)))
    denied = _NOT_WHAT.search(first)
    other = denied is not None and not {stem(denied[1])[:5]} & {word[:5] for word in question.words | FILLER}
    return _said(False, truth, sure=calm and not other and (truth or _speaks_of_it(answer, question)))


def _affirms_one(answer: Answer, question: ParsedQuestion) -> bool:
    """Tell whether of "a, b or c" one is affirmed: "a was not given, c was given"."""
    first, *parts = re.split(
        r"[,;.\n]\s?(?!\s?(?:or|nor|and|were|was)\b)|\bbut\b", answer.masked.lower(), maxsplit=20
    )
    verb = r"\b(?:was|were|is|has|yes|given|found)\b"
    if not denies_in(first) or not re.search(verb, first):
        return False
    return any(
        not denies_in(part) and re.search(verb, part) is not None and said_of(question, words(part)) > 0
        for part in parts
    )


def _affirmed(truth: bool, answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    """Nothing is denied: a yes, if it speaks of what was asked."""
    if any(number.value == 0 for number in answer.numbers):
        return _said(False, truth, sure=len(answer.numbers) == 1)
    asked = question.words - COMMON
    # By their beginnings: "admitted" and "admissions" are of one thing.
    said = {word[:5] for word in answer.words}
    shared = sum(word[:5] in said for word in asked)
    if other_year(answer, question):
        return RuleOutcome(False, Rule.NO_SIDE, sure=False)
    if names(question) and not said_of(question, answer.words):
        return RuleOutcome(truth and shared > 0 and not strays(answer, question), Rule.NO_SIDE, sure=False)
    if _LIMITED.search(answer.text) and not _LIMITED.search(question.text):
        return RuleOutcome(not truth, Rule.OTHER_SIDE, sure=False)
    # A long list without a yes may be of something else.
    sure = shared >= 2 and shared * 3 >= min(len(asked), 9) and len(answer.text) < _LONG
    if not shared:
        return RuleOutcome(truth and not names(question), Rule.NO_SIDE, sure=False)
    return _said(True, truth, sure=sure)
