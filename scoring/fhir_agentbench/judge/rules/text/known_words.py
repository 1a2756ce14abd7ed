"""Tell whether all of a text can be read: English, and in a short text no word that is not known."""

import re
from collections.abc import Iterable

from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import stem, words
from wardboard.scoring.fhir_agentbench.judge.rules.text.numbers import NUMBER_WORDS
from wardboard.scoring.fhir_agentbench.judge.rules.text.units import UNITS
from wardboard.scoring.fhir_agentbench.judge.rules.text.vocabulary import ORDINARY, VALUE_WORDS

_FEW_WORDS = 6  # of an answer that needs each of its words to be known
_FEWEST_OF_GRAMMAR = 0.12  # share of the words of a longer one
# Share of the words of a longer one without grammar: "Aspirin 81 mg PO daily, senna, heparin".
_MOST_UNKNOWN = 0.34
_READ = 4_000  # characters
# Words of English grammar that are of no other language, or of few.
_GRAMMAR_TEXT = """
the of and was were are has have had been this that these those with from not for there which it its their
they by no none be did does she he you your i my
"""
_GRAMMAR = frozenset(_GRAMMAR_TEXT.split())
_MORE_TEXT = """
yeah yep yup nope nil null nan na affirmative negative false positive incorrect jan feb mar apr jun jul
aug sep sept oct nov dec st nd rd th e t z male female
"""
_KNOWN = (
    ORDINARY
    | VALUE_WORDS
    | UNITS
    | frozenset(words(_MORE_TEXT))
    | {part for word in NUMBER_WORDS for part in word.split("-")}
)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


def find_unknown(text: str, others: Iterable[str]) -> list[str]:
    """Return the words of `text` that are neither the rules' nor among `others`, which are stems."""
    known = frozenset(others)
    return [
        word
        for word in _WORD.findall(text[:_READ])
        if not {word.casefold(), stem(word)} & _KNOWN and stem(word) not in known
    ]


def is_english(text: str) -> bool:
    """Check whether enough words of `text` are of English grammar."""
    found = _WORD.findall(text[:_READ])
    of_grammar = sum(word.casefold() in _GRAMMAR for word in found)
    return of_grammar > 1 and of_grammar >= _FEWEST_OF_GRAMMAR * len(found)


def can_be_read(text: str, others: Iterable[str]) -> bool:
    """Check whether all words of a short `text` are known, and a longer one is English or mostly known."""
    unknown = find_unknown(text, others)
    count = len(_WORD.findall(text[:_READ]))
    return not unknown or (count > _FEW_WORDS and (is_english(text) or len(unknown) <= _MOST_UNKNOWN * count))
