"""Judge references without an answer: met by saying so, or by 0 if a number was asked for."""

import re

from wardboard.scoring.fhir_agentbench.judge.rules.outcome import Rule, RuleOutcome, right, unsure, wrong
from wardboard.scoring.fhir_agentbench.judge.rules.text.answers import Answer
from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import sentences, words
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion, QuestionKind
from wardboard.scoring.fhir_agentbench.judge.rules.text.references import ReferenceKind
from wardboard.scoring.fhir_agentbench.judge.rules.text.stance import contains_denial
from wardboard.scoring.fhir_agentbench.judge.rules.text.vocabulary import FILLER, VALUE_WORDS
from wardboard.scoring.fhir_agentbench.judge.rules.topic import (
    COMMON,
    names_other_ordinal,
    names_other_thing,
    names_other_year,
)

# "No record was found" is no answer; "it never happened" is an answer, which may be wrong.
_OF_RECORDS = re.compile(
    r"\b(?:found|recorded|records?|available|retrieved|data|information|documented|observations?|"
    r"exists?|listed)\b"
    r"|\bn/a\b|^\W*n\.?a\.?\W*$|^\W*(?:none|null|nothing|no answer)\W*$|\bnot applicable\b",
    re.IGNORECASE,
)

# "None was found since 02/03/2120", "was not given before that day".
_NONE_SINCE = re.compile(
    r"(?:\b(?:no|not|none|never|nothing|without|unable|cannot)\b|n't\b)[^;\n]{0,240}?\b(?:since|before|on|"
    r"in|after|from|"
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
_CLAUSE = re.compile(r"[.;:,](?:\s+|$)|\n|\s-\s|\b(?:but|because|and|as|so|hence|since)\b")
_SHORT = 4  # words
# Words of a denial that name no topic.
_DENIAL_WORDS = frozenset(
    words(
        "not none nothing find did lack contain na never null any such matching specified specific criteria "
        "code request search query return returned evidence indication mention period range between could "
        "medical chart history health information details entries documentation related corresponding "
        "applicable exist exists present isn't aren't wasn't weren't doesn't don't didn't hasn't haven't "
        "hadn't couldn't can't cannot nobody none neither either empty handed absence absent difference "
        "sorry afraid compute "
        "computed comparison compare calculable computable possible narrowed search sought missing lacking "
        "unavailable"
    )
)
_TOTAL = re.compile(r"\b(?:total|sum|amount|volume|dose|dosage|quantity|how much)\b")
_ENTRY = re.compile(r"[\"'](?:coding|period|value[A-Z]\w*|medication[A-Z]\w*)[\"']\s*:")
_FEW_WORDS = 3


def judge_no_answer(kind: ReferenceKind, answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    """Return whether `answer` says that there is no answer."""
    stance = answer.stance
    if answer.is_data:
        # A bundle of nothing has no value.
        is_empty = answer.is_cut or not _ENTRY.search(answer.text)
        return unsure(Rule.RAW_DATA) if is_empty else wrong(Rule.RAW_DATA)
    denies = stance.absent or stance.unable or stance.denies or (stance.explicit and stance.side is False)
    values = [number for number in answer.numbers if number.value != 0]
    # "None was found since 02/03/2120" gives no date.
    dates = [
        date for date in answer.new_dates if stance.retracts or not _only_dates_denial(date.start, answer)
    ]
    if values or dates:
        is_plain = not (denies or stance.hedged or contains_denial(answer.without_ids))
        return wrong(Rule.VALUE_FOR_NOTHING) if is_plain else unsure(Rule.VALUE_FOR_NOTHING)
    if answer.numbers:
        return _judge_zero(kind, answer, question)
    if not denies:
        is_plain = not (stance.hedged or stance.failed or contains_denial(answer.without_ids))
        return wrong(Rule.NO_DENIAL) if is_plain else unsure(Rule.NO_DENIAL)
    # "No, it was ..." names something.
    names_value = (
        stance.explicit
        and not stance.denies
        and question.kind is not QuestionKind.YES_NO
        and len(answer.words) > _FEW_WORDS
    )
    if (
        names_value
        or (stance.explicit and stance.side)
        or _claims_something(answer, question)
        or _UNCHANGED.search(answer.text)
        or _TURNED.search(answer.text)
        or not _is_sure(kind, answer, question)
    ):
        return unsure(Rule.CONTRADICTION)
    return right(Rule.NO_ANSWER_AS_EXPECTED)


def _claims_something(answer: Answer, question: ParsedQuestion) -> bool:
    """Check for a claim beside the denial: "No record found. Warfarin", "it was high"."""
    is_short = len(answer.words) <= _SHORT
    for part in (_SHORT_PART if is_short else _PART).split(answer.without_ids):
        if contains_denial(part) or _IT_IS_NONE.search(part):
            continue
        after = _IT_WAS.search(part)
        words_in_part = words(part[after.end() :] if after else part)
        if not after and len(words_in_part) > _SHORT:
            continue
        if any(_is_informative(word, question, explicit=after is not None) for word in words_in_part):
            return True
    return False


def _is_informative(word: str, question: ParsedQuestion, *, explicit: bool) -> bool:
    if not word.isalpha() or len(word) < 3 or word in question.words | FILLER | COMMON | VALUE_WORDS:
        return False
    return explicit or word in _STATES or not word.endswith(("ed", "ing", "ly"))


def _only_dates_denial(start: int, answer: Answer) -> bool:
    """Check whether the date at `start` only limits a denial: "none since", "none before"."""
    return _NONE_SINCE.search(answer.text[max(0, start - 300) : start]) is not None


def _judge_zero(kind: ReferenceKind, answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    """Judge the answer 0: as a count it means none, but never is not 0 hours ago."""
    stance = answer.stance
    # A sum of nothing is 0; a measured value of 0 is a value.
    is_sum = question.kind is QuestionKind.COUNT or (
        question.kind is QuestionKind.AMOUNT and _TOTAL.search(question.text) is not None
    )
    is_other = kind is not ReferenceKind.NO_ANSWER and names_other_thing(
        answer.words, question, _DENIAL_WORDS
    )
    is_calm = not (stance.hedged or stance.retracts or stance.unable or stance.failed or is_other)
    is_right = is_sum and is_calm and not question.unit and len(answer.numbers) == 1
    return right(Rule.NO_ANSWER_AS_EXPECTED) if is_right else unsure(Rule.VALUE_FOR_NOTHING)


def _is_sure(kind: ReferenceKind, answer: Answer, question: ParsedQuestion) -> bool:
    stance = answer.stance
    if stance.hedged or stance.retracts or stance.failed or answer.is_cut:
        return False
    if (
        question.kind is QuestionKind.YES_NO
        and stance.explicit
        and len(answer.words) > 1
        and question.compares
    ):
        return False  # "No, it was not less" compares existing values
    if stance.contradictory:
        return False
    of_records = _OF_RECORDS.search(answer.text) is not None and not (stance.unable and not stance.denies)
    if kind is ReferenceKind.NO_ANSWER and (
        of_records
        or ((stance.denies or stance.explicit) and question.kind in (QuestionKind.YES_NO, QuestionKind.COUNT))
    ):
        return True
    is_doubtful = stance.ambiguous or stance.contradictory or stance.unable
    # The rubric: a null truth is met by any statement that there is none. It must deny what was asked.
    denying = " ".join(part for part in _CLAUSE.split(answer.without_ids) if contains_denial(part))
    is_other = (
        names_other_thing(words(denying) if denying else answer.words, question, _DENIAL_WORDS)
        or names_other_year(answer, question)
        or names_other_ordinal(answer, question)
    )
    # A denial after something else may be about the something else.
    denies = stance.denies or stance.explicit or (stance.absent and len(sentences(answer.text)) == 1)
    return not is_doubtful and denies and not is_other
