"""Check whether an answer is about the question's topic, or another thing or year."""

import re

from wardboard.scoring.fhir_agentbench.judge.rules.text.answers import Answer
from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import words
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion
from wardboard.scoring.fhir_agentbench.judge.rules.text.vocabulary import FILLER, ORDINARY, VALUE_WORDS

_COMMON_TEXT = """
a an the is are was were has have had did do does been be patient in on of to for at since this last first any
there their with by and or hospital year month visit encounter current assume anything something ever thing
"""
# Words of every question, which name no topic.
COMMON = frozenset(words(_COMMON_TEXT))
_ASKING = frozenset(
    words(
        "how many much often times number count distinct different highest lowest total passed could please"
        " calculate compute show give provide tell length duration minimum maximum average"
    )
)
_YEAR = re.compile(r"(?<![\d.,-])(?:19|2[01])\d\d(?![\d.,]\d)")
# An open-ended question can be answered with years other than its own.
_OPEN = re.compile(r"\b(?:since|after|from|before|until|ago|between|prior)\b")


def topic_words(question: ParsedQuestion) -> frozenset[str]:
    """Return the words that name the question's topic: "sodium", "heart", "aspirin"."""
    return frozenset(
        word for word in question.words - COMMON - FILLER - _ASKING if word[0].isalpha() and len(word) > 1
    )


def names_other_year(answer: Answer, question: ParsedQuestion) -> bool:
    """Check whether the answer names years, none of them the question's."""
    question_years = set(_YEAR.findall(question.text))
    answer_years = set(_YEAR.findall(answer.without_ids)) if question_years else set()
    if not answer_years or answer_years & question_years:
        return False
    if not _OPEN.search(question.text):
        return True
    return question.text.find("since") >= 0 and max(answer_years) < min(question_years)


def names_other_day(answer: Answer, question: ParsedQuestion) -> bool:
    """Check whether the answer gives days, none of them the single day of the question."""
    if len(question.dates) != 1 or _OPEN.search(question.text):
        return False
    dated = [date for date in answer.dates if date.year]
    return bool(dated) and not any(date.same_day(question.dates[0]) for date in dated)


_NAMED_FIRST = 60  # words; an answer names its topic early


def names_other_thing(
    given: list[str], question: ParsedQuestion, harmless: frozenset[str] = frozenset()
) -> bool:
    """Check whether the words `given` are of another topic. harmless: words that name none."""
    expected_words = topic_words(question)
    if not (expected_words or harmless):
        return False
    prefixes = {word[:5] for word in given}
    if expected_words and all(word[:5] in prefixes for word in expected_words):
        return False
    return bool(_unexplained(given[:_NAMED_FIRST], question, harmless))


def _unexplained(given: list[str], question: ParsedQuestion, harmless: frozenset[str]) -> list[str]:
    prefixes = {word[:5] for word in question.words}
    return [
        word
        for word in given
        if word[0].isalpha()
        and len(word) > 2
        and not word.endswith(("ly", "ed", "ing"))
        and word not in ORDINARY | VALUE_WORDS | question.words | harmless
        and not (len(word) > 4 and word[:5] in prefixes)
    ]
