"""References that say that there is no answer: met by saying so, or by 0 to a question about a number."""

import re

from scoring.fhir_agentbench.judge.rules.outcome import Rule, RuleOutcome
from scoring.fhir_agentbench.judge.rules.refusals import found_none, tells_of_failure
from scoring.fhir_agentbench.judge.rules.text.answers import Answer
from scoring.fhir_agentbench.judge.rules.text.normalise import stem, words
from scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion, QuestionKind
from scoring.fhir_agentbench.judge.rules.text.references import ReferenceKind
from scoring.fhir_agentbench.judge.rules.text.stance import denies_in
from scoring.fhir_agentbench.judge.rules.text.vocabulary import FILLER
from scoring.fhir_agentbench.judge.rules.topic import COMMON, PLAIN

# That no record was found is no answer; that something never happened is one, which may be a wrong one.
_OF_RECORDS = re.compile(
    r"\b(?:found|recorded|records?|available|retrieved|data|information|documented|observations?|"
    r"exists?|listed)\b"
    r"|\bn/a\b|^\W*(?:none|null|nothing|no answer)\W*$|\bnot applicable\b",
    re.IGNORECASE,
)

# "None was found since 02/03/2120", "was not given before that day".
_NONE_SINCE = re.compile(
    r"(?:\b(?:no|not|none|never|nothing|without|unable|cannot)\b|n't\b)[^;\n]{0,240}?\b(?:since|before|on|in|after|from|"
    r"during|prior to|until|of|for|by|at|between|is|to|and|or|the|dated?)\b[^;\n]{0,60}$",
    re.I,
)
_TURNED = re.compile(
    r"\b(?:other than|except|only|but|closest|although|though|however|rather)\b|\bat first\b", re.I
)
_UNCHANGED = re.compile(r"\bunchanged\b|\b(?:not|n't) (?:been )?chang\w+", re.I)
_PART = re.compile(r"[.;:!?](?:\s+|$)|\n|,\s(?=(?:it|they|he|she|which)\b)|\bbut\b")
_SHORT_PART = re.compile(
    r"(?:[.;:,!?](?:\s+|$)|\()|\n|\bbut\b|\b(?:n/a|null|none|empty|missing|unknown)\b", re.I
)
_IT_IS_NONE = re.compile(
    r"\b(?:n/a|unable|unknown|null|missing|empty|unclear|not)\b|^\W*(?:please|note|try|check)\b", re.I
)
_IT_WAS = re.compile(
    r"^\W*(?:(?:but|though|and|so)\s)?(?:it|they|he|she|which) (?:was|were|is|are|had|has|took|got)\b", re.I
)
_STATES = frozenset(("elevated", "increased", "decreased", "raised", "lowered", "reduced"))
_SHORT = 4  # words
_NAME = re.compile(r"\b[A-Z][\w-]+")
_FEW_WORDS = 40


def judge_nothing(kind: ReferenceKind, answer: Answer, question: ParsedQuestion) -> RuleOutcome:  # noqa: PLR0911 (a rule a line)
    """Return whether `answer` says that there is none."""
    stance = answer.stance
    if answer.raw:
        return RuleOutcome(False, Rule.RAW_DATA, sure=not answer.cut)
    if not answer.words:
        return RuleOutcome(True, Rule.NO_ANSWER_AS_EXPECTED, sure=False)
    denies = stance.absent or stance.unable or stance.denies or (stance.spoken and stance.side is False)
    values = [number for number in answer.numbers if number.value != 0]
    zeros = len(answer.numbers) - len(values)
    # "None was found since 02/03/2120" gives no date.
    dates = [one for one in answer.new_moments if stance.turns or not _excused(one.start, answer)]
    counted = values and not dates and question.asks not in (QuestionKind.COUNT, QuestionKind.AMOUNT)
    if counted and denies_in(answer.masked[max(number.end for number in values) :]):
        # "I looked at 12 orders, and none was for it".
        return RuleOutcome(not _names_another(answer, question), Rule.CONTRADICTION, sure=False)
    if values or dates:
        return RuleOutcome(False, Rule.VALUE_FOR_NOTHING, sure=not denies and not stance.hedged)
    if zeros:
        return _zero(kind, answer, question)
    if tells_of_failure(answer.text):
        # That something broke is no statement of none.
        none = found_none(answer.text) and not _claims(answer, question)
        return RuleOutcome(none, Rule.NO_ANSWER, sure=False)
    if denies and _claims(answer, question):
        return RuleOutcome(False, Rule.CONTRADICTION, sure=False)
    if not denies:
        quiet = not stance.hedged and not stance.broken
        return RuleOutcome(False, Rule.VALUE_FOR_NOTHING, sure=quiet)
    # "No, it was ..." names something.
    named = (
        stance.spoken
        and not stance.denies
        and question.asks is not QuestionKind.SIDE
        and len(answer.words) > 3
    )
    if stance.spoken and (stance.side or named):
        return RuleOutcome(False, Rule.CONTRADICTION, sure=False)
    if _UNCHANGED.search(answer.text) and not stance.unable:
        return RuleOutcome(False, Rule.VALUE_FOR_NOTHING, sure=False)
    if _TURNED.search(answer.text):
        return RuleOutcome(not _names_another(answer, question), Rule.CONTRADICTION, sure=False)
    return RuleOutcome(True, Rule.NO_ANSWER_AS_EXPECTED, sure=_surely_none(kind, answer, question))


def _claims(answer: Answer, question: ParsedQuestion) -> bool:
    """Tell whether something is claimed beside the denial: "No record found. Warfarin", "it was high"."""
    short = len(answer.words) <= _SHORT
    for part in (_SHORT_PART if short else _PART).split(answer.masked):
        if denies_in(part) or _IT_IS_NONE.search(part):
            continue
        after = _IT_WAS.search(part)
        told = words(part[after.end() :] if after else part)
        if not after and len(told) > _SHORT:
            continue
        if any(_says_something(word, question, spoken=after is not None) for word in told):
            return True
    return False


def _says_something(word: str, question: ParsedQuestion, *, spoken: bool) -> bool:
    if not word.isalpha() or len(word) < 3 or word in question.words | FILLER | COMMON | PLAIN:
        return False
    return spoken or word in _STATES or not word.endswith(("ed", "ing", "ly"))


def _excused(start: int, answer: Answer) -> bool:
    """Tell whether the date at `start` only says since or before when there is none."""
    return _NONE_SINCE.search(answer.text[max(0, start - 300) : start]) is not None


def _names_another(answer: Answer, question: ParsedQuestion) -> bool:
    """Tell whether a name or a yes follows where the answer turns: "but then I found Heparin"."""
    turned = _TURNED.search(answer.text)
    if not turned or answer.text[turned.start() :].count(" ") > _FEW_WORDS:
        return False
    after = answer.text[turned.end() :]
    # Of "although none was found, it is Heparin", the end.
    after = re.split(r"[,;:]|\bthen\b", after)[-1] if denies_in(after) else after
    given = [] if denies_in(after) else [stem(word) for word in _NAME.findall(after)]
    return any((word not in question.words and word not in FILLER) or word == "yes" for word in given)


def _zero(kind: ReferenceKind, answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    """0 of something is none of it; but nothing is 0 hours ago that never was."""
    if question.unit or question.asks not in (QuestionKind.COUNT, QuestionKind.AMOUNT):
        return RuleOutcome(False, Rule.VALUE_FOR_NOTHING, sure=False)
    calm = not (answer.stance.hedged or answer.stance.turns)
    counted = kind is ReferenceKind.NO_ANSWER and question.asks is QuestionKind.COUNT and calm
    return RuleOutcome(True, Rule.NO_ANSWER_AS_EXPECTED, sure=counted)


def _surely_none(kind: ReferenceKind, answer: Answer, question: ParsedQuestion) -> bool:
    stance = answer.stance
    if stance.hedged or stance.turns or stance.broken or answer.cut:
        return False
    if question.asks is QuestionKind.SIDE and stance.spoken and len(answer.words) > 1 and question.compares:
        return False  # "No, it was not less" compares what there is
    of_records = _OF_RECORDS.search(answer.text) is not None and not (stance.unable and not stance.denies)
    if kind is ReferenceKind.NO_ANSWER:
        return of_records or (
            (stance.denies or stance.spoken) and question.asks in (QuestionKind.SIDE, QuestionKind.COUNT)
        )
    # Where something has to be worked out from records, judges agree that none were found means none.
    return of_records and stance.absent and (question.asks in (QuestionKind.SIDE, QuestionKind.COUNT))
