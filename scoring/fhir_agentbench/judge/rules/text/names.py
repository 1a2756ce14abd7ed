"""Find a name among the words of an answer, and what may be another way to write it."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import WORD, stem, words
from wardboard.scoring.fhir_agentbench.judge.rules.text.vocabulary import synonyms_of

OPTIONAL = frozenset(words("unspecified nos nec identification"))
_VOWEL = re.compile(r"[aeiouy]")
_ALIKE = 0.75
_MOST_ALIKE = 40  # words that are compared by their letters


@dataclass(frozen=True, slots=True)
class Word:
    """Hold a word of a text: its stem, its place, and whether it is written as a name."""

    stem: str
    start: int
    end: int
    is_name: bool


def words_in(text: str) -> list[Word]:
    """Return the words of `text`. A capital at the beginning of a sentence makes no name."""
    found = []
    for match in WORD.finditer(text):
        before = text[max(0, match.start() - 3) : match.start()].rstrip(" *_\"'(")
        is_first = not before or before[-1] in ".!?:\n|>#-" or match.start() == 0
        letters = match[0]
        is_name = letters[0].isupper() and (not is_first or (len(letters) > 1 and letters[1:2].isupper()))
        found.append(Word(stem(letters), match.start(), match.end(), is_name))
    return found


def find_name(
    name: str, given: list[Word], taken: list[tuple[int, int]] | None = None
) -> list[tuple[int, int]]:
    """Return the spans of `given` that are `name`, outside the spans that are `taken`."""
    covered = {index for start, end in taken or [] for index in range(start, end)}
    stems = ["" if index in covered else word.stem for index, word in enumerate(given)]
    for variant in synonyms_of(name):
        size = len(variant)
        starts = (index for index in range(len(stems)) if tuple(stems[index : index + size]) == variant)
        spans = [(start, start + size) for start in starts]
        if spans:
            return spans
    return []


def may_abbreviate(name: str, given: list[Word]) -> bool:
    """Check whether a short word of `given` may stand for `name` or a word of it: "HTN", "cipro"."""
    parts = words(name)
    initials = "".join(word[0] for word in parts)
    for word in given:
        letters = word.stem
        if not letters.isalnum() or not 2 <= len(letters) <= 8 or letters.isdigit():
            continue
        if len(initials) > 1 and (letters == initials or (len(letters) > 2 and letters in initials)):
            return True
        if any(len(part) > len(letters) >= 3 and part.startswith(letters) for part in parts):
            return True
        if (
            (word.is_name or not _VOWEL.search(letters))
            and len(letters) <= 6
            and any(_is_within(letters, part) for part in (*parts, "".join(parts)))
        ):
            return True
    return False


def _is_within(letters: str, word: str) -> bool:
    """Check whether the letters are in `word` in this order, the first first."""
    if word[:1] != letters[:1]:
        return False
    rest = iter(word)
    return all(letter in rest for letter in letters)


def may_be_spelt_otherwise(name: str, given: list[Word]) -> bool:
    """Check whether a word of `given` is like a word of `name`, as "Aspirina" is like "Aspirin"."""
    parts = {word for variant in synonyms_of(name) for word in variant if len(word) > 2}
    for word in given[:_MOST_ALIKE]:
        for part in parts:
            if word.stem == part or (len(word.stem) > 3 and len(part) > 3 and word.stem[:4] == part[:4]):
                return True
            if min(len(word.stem), len(part)) < 5 or word.stem[0] != part[0]:
                continue
            if SequenceMatcher(None, word.stem, part).ratio() >= _ALIKE:
                return True
    return False
