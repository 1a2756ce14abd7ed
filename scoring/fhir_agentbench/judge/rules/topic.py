"""Whether an answer speaks of what was asked, or of another thing, year or turn."""

import re

from scoring.fhir_agentbench.judge.rules.text.answers import Answer
from scoring.fhir_agentbench.judge.rules.text.normalise import words
from scoring.fhir_agentbench.judge.rules.text.numbers import NUMBER_WORDS
from scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion, QuestionKind
from scoring.fhir_agentbench.judge.rules.text.vocabulary import FILLER

_COMMON_TEXT = """
a an the is are was were has have had did do does been be patient in on of to for at since this last first any
there their with by and or hospital year month visit encounter current assume anything something ever thing
"""
# Of every question, so that they name nothing.
COMMON = frozenset(words(_COMMON_TEXT))
_ASKING = frozenset(
    words(
        "how many much often times number count distinct different highest lowest total passed could please"
        " calculate compute show give provide tell length duration minimum maximum average"
    )
)
_YEAR = re.compile(r"(?<![\d.,-])(?:19|2[01])\d\d(?![\d.,]\d)")
# A question that is open to one side is met by other years than its own.
_OPEN = re.compile(r"\b(?:since|after|from|before|until|ago|between|prior)\b")
_TURNS = re.compile(
    r"\b(?:second|2nd|third|3rd|fourth|4th|fifth|5th|previous|prior|penultimate|next)(?!-to)\b", re.I
)
_OPTIONS = re.compile(r"([^,?]{1,120}),\s([^?]{1,300}?),?\sor\s([^?]{1,120})")
_ANY = re.compile(r"\b(?:neither|none|nothing|any of|either|these|those|such|them)\b", re.I)
_PLAIN_TEXT = """
mg ml kg cm mmhg bpm insp min minute beat breath percent unit inch lb lbs pound kilogram gram liter mmol meq
dl iu cell ul total sum times occasion calculated computed approximately about roughly exactly equal equals
therefore thus hence so count counted distinct different unique separate instance entry order match matching
matched after checking reviewing all resources we examined searched checked found reviewed analysis step
applied filter filtered recorded done happened occurred peaked lasted amounted came reached showed stood
observed value reading them stay administration occurrence
"""
# Words that go with a value of anything.
PLAIN = frozenset(words(_PLAIN_TEXT)) | {part for word in NUMBER_WORDS for part in word.split("-")}


def names(question: ParsedQuestion) -> frozenset[str]:
    """Return the words by which the question names its thing: "sodium", "heart", "aspirin"."""
    return frozenset(
        word for word in question.words - COMMON - FILLER - _ASKING if word[0].isalpha() and len(word) > 1
    )


def said_of(question: ParsedQuestion, given: list[str]) -> int:
    """Return how many of the words that name the thing are in `given`, by their beginnings."""
    said = {word[:5] for word in given}
    return sum(word[:5] in said for word in names(question))


def strays(answer: Answer, question: ParsedQuestion) -> bool:
    """Tell whether the answer may speak of another year, turn or thing than the question."""
    if _other_day(answer, question):
        return True
    return other_year(answer, question) or other_turn(answer, question) or _other_thing(answer, question)


def other_year(answer: Answer, question: ParsedQuestion) -> bool:
    """Tell whether years are named, and none is the question's."""
    asked = set(_YEAR.findall(question.text))
    given = set(_YEAR.findall(answer.masked)) if asked else set()
    if not given or given & asked:
        return False
    if not _OPEN.search(question.text):
        return True
    return question.text.find("since") >= 0 and max(given) < min(asked)


def _other_day(answer: Answer, question: ParsedQuestion) -> bool:
    """Tell whether days are given, and none is the one day that the question is about."""
    if len(question.moments) != 1 or _OPEN.search(question.text):
        return False
    dated = [moment for moment in answer.moments if moment.year]
    return bool(dated) and not any(moment.same_day(question.moments[0]) for moment in dated)


def other_turn(answer: Answer, question: ParsedQuestion) -> bool:
    """Tell whether "the second" is named where the question asks for no second."""
    return any(found[0].casefold() not in question.text for found in _TURNS.finditer(answer.text))


_NAMED_FIRST = 60  # words; what an answer is of is said early


def _other_thing(answer: Answer, question: ParsedQuestion) -> bool:
    asked = names(question)
    if not asked or said_of(question, answer.words) == len(asked):
        return False
    return any(
        word[0].isalpha()
        and len(word) > 2
        and not word.endswith("ly")
        and word not in FILLER | PLAIN | question.words
        for word in answer.words[:_NAMED_FIRST]
    )


def denies_all(text: str, question: ParsedQuestion) -> bool:
    """Tell whether a denial in `text` is of every one of "a, b or c" that the question names."""
    found = _OPTIONS.search(question.text) if " or " in question.text else None
    if question.asks is not QuestionKind.SIDE or not found or _ANY.search(text):
        return True
    said = {word[:5] for word in words(text)}
    options = [option for group in found.groups() for option in group.split(",")]
    named = [
        {word[:5] for word in words(option) if word.isalpha() and word not in FILLER | COMMON}
        for option in options
    ]
    return all(one & said for one in named if one)
