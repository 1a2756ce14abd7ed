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
from wardboard.scoring.reading.no_answers import says_none_was_found

# "None was found since 02/03/2120", "was not given before that day".
_NONE_SINCE = re.compile(
    r"(?:\b(?:no|not|none|never|nothing|without|unable|cannot)\b|n't\b)[^;\n]{0,240}?\b(?:since|before|on|"
    r"in|after|from|during|prior to|until|of|for|by|at|between|is|to|and|or|the|dated?)\b[^;\n]{0,60}$",
    re.I,
)
_TURNED = re.compile(
    r"\b(?:other than|except|only|but|closest|although|though|however|rather|(?:un)?changed?)\b|\bat first\b",
    re.I,
)
_PART = re.compile(r"[.;:!?](?:\s+|$)|\n|,\s(?=(?:it|they|he|she|which)\b)|\bbut\b")
_CLAUSE = re.compile(r"[.;:,](?:\s+|$)|\n|\s-\s|\b(?:but|because|and|as|so|hence|since)\b")
_SHORT = 4  # words
# Words of a denial that name no topic.
_DENIAL_WORDS_TEXT = """
not none nothing find did lack contain na never null any such matching specified specific criteria code
request search query return returned evidence indication mention period range between could medical chart
history health information details entries documentation related corresponding applicable exist exists
present isn't aren't wasn't weren't doesn't don't didn't hasn't haven't hadn't couldn't can't cannot nobody
none neither either empty handed absence absent difference sorry afraid compute computed comparison compare
calculable computable possible narrowed search sought missing lacking unavailable
"""
DENIAL_WORDS = frozenset(words(_DENIAL_WORDS_TEXT))
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
        date
        for date in answer.new_dates
        if stance.retracts or not _NONE_SINCE.search(answer.text[max(0, date.start - 300) : date.start])
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
        or _TURNED.search(answer.text)
        or not _is_sure(kind, answer, question)
        # What declines denies, too.
        or not says_none_was_found(answer.text)
    ):
        return unsure(Rule.CONTRADICTION)
    return right(Rule.NO_ANSWER_AS_EXPECTED)


def _claims_something(answer: Answer, question: ParsedQuestion) -> bool:
    """Check for a short claim beside the denial: "No record found. Warfarin"."""
    return any(
        len(given) <= _SHORT and any(_is_informative(word, question) for word in given)
        for given in (words(part) for part in _PART.split(answer.without_ids) if not contains_denial(part))
    )


def _is_informative(word: str, question: ParsedQuestion) -> bool:
    known = question.words | FILLER | COMMON | VALUE_WORDS
    return word.isalpha() and len(word) > 2 and word not in known and not word.endswith(("ing", "ly"))


def _judge_zero(kind: ReferenceKind, answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    """Judge the answer 0: as a count it means none, but never is not 0 hours ago."""
    stance = answer.stance
    # A sum of nothing is 0; a measured value of 0 is a value.
    is_sum = question.kind is QuestionKind.COUNT or (
        question.kind is QuestionKind.AMOUNT and _TOTAL.search(question.text) is not None
    )
    is_other = kind is not ReferenceKind.NO_ANSWER and names_other_thing(answer.words, question, DENIAL_WORDS)
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
    if kind is ReferenceKind.NO_ANSWER and stance.denies:
        return True
    is_doubtful = stance.ambiguous or stance.contradictory or stance.unable
    # The rubric: a null truth is met by any statement that there is none. It must deny what was asked.
    denying = " ".join(part for part in _CLAUSE.split(answer.without_ids) if contains_denial(part))
    is_other = (
        names_other_thing(words(denying) if denying else answer.words, question, DENIAL_WORDS)
        or names_other_year(answer, question)
        or names_other_ordinal(answer, question)
    )
    # A denial after something else may be about the something else.
    denies = stance.denies or stance.explicit or (stance.absent and len(sentences(answer.text)) == 1)
    return not is_doubtful and denies and not is_other
