"""Check whether an answer is about the question's topic, or another thing, year or ordinal."""

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
_ASKING_TEXT = """
how many much often times number count distinct different highest lowest total passed could please calculate
compute show give provide tell length duration minimum maximum average
"""
_ASKING = frozenset(words(_ASKING_TEXT))
_YEAR = re.compile(r"(?<![\d.,-])(?:19|2[01])\d\d(?![\d.,]\d)")
# An open-ended question can be answered with years other than its own.
_OPEN = re.compile(r"\b(?:since|after|from|before|until|ago|between|prior)\b")
_TURNS = re.compile(
    r"\b(?:second|2nd|third|3rd|fourth|4th|fifth|5th|previous|prior|penultimate|next)(?!-to)\b", re.I
)
_NAMED_FIRST = 60  # words; an answer names its topic early
# Where the subject of a sentence begins anew.
_CLAUSE = re.compile(r"[.;:!?\n,(]|\b(?:and|but|so|that|which|while|where|whereas|with)\b", re.I)
_LINK = re.compile(
    r"\b(?:of|for|with|in|on|at|from|by|during|as|was|were|is|are|had|has|to|than|under|over)\b", re.I
)


def topic_words(question: ParsedQuestion) -> frozenset[str]:
    """Return the words that name the question's topic: "sodium", "heart", "aspirin"."""
    return frozenset(
        word for word in question.words - COMMON - FILLER - _ASKING if word[0].isalpha() and len(word) > 1
    )


def count_topic_words(question: ParsedQuestion, words_given: list[str]) -> int:
    """Count the topic words whose first five letters begin a word of `words_given`."""
    prefixes = {word[:5] for word in words_given}
    return sum(word[:5] in prefixes for word in topic_words(question))


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


def names_other_ordinal(answer: Answer, question: ParsedQuestion) -> bool:
    """Check whether the answer has an ordinal such as "the second" that is not in the question."""
    return any(match[0].casefold() not in question.text for match in _TURNS.finditer(answer.text))


def names_other_thing(
    given: list[str], question: ParsedQuestion, harmless: frozenset[str] = frozenset()
) -> bool:
    """Check whether the words `given` are of another topic. harmless: words that name none."""
    expected_words = topic_words(question)
    if not (expected_words or harmless):
        return False
    if expected_words and count_topic_words(question, given) == len(expected_words):
        return False
    return bool(_unexplained(given[:_NAMED_FIRST], question, harmless))


def has_other_subject(answer: Answer, question: ParsedQuestion, position: int) -> bool:
    """Check whether the words that lead to the value at `position` name another thing than asked for."""
    lead = answer.without_ids[:position].rstrip(" :=(-")
    for phrase in reversed(_LINK.split(_CLAUSE.split(lead)[-1])):
        if _unexplained(words(phrase), question, VALUE_WORDS):
            return True
        if count_topic_words(question, words(phrase)):
            return False
    return False


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
