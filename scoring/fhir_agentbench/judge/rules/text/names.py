"""Find a name among the words of an answer, in any order of its words, abbreviated or spelt in full."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import WORD, stem, words
from wardboard.scoring.fhir_agentbench.judge.rules.text.vocabulary import synonyms_of

# Words of a name that its other spellings leave out or add.
_LINKS = frozenset(
    words("of the a an and with without for to in on by via or some elsewhere classified not other as due")
)
OPTIONAL = frozenset(words("unspecified nos nec identification"))
_PARENTHESES = re.compile(r"\s*\(([^()]{1,60})\)")
_VOWEL = re.compile(r"[aeiouy]")
_FEWEST_INITIALS = 3
_ALIKE = 0.75
_MOST_ALIKE = 40  # words that are compared by their letters


@dataclass(frozen=True, slots=True)
class Word:
    """Hold a word of a text: its stem, its place, whether it is written as a name, and in capitals only."""

    stem: str
    start: int
    end: int
    is_name: bool
    is_initials: bool = False


def words_in(text: str) -> list[Word]:
    """Return the words of `text`. A capital at the beginning of a sentence makes no name."""
    found = []
    for match in WORD.finditer(text):
        before = text[max(0, match.start() - 3) : match.start()].rstrip(" *_\"'(")
        is_first = not before or before[-1] in ".!?:\n|>#-" or match.start() == 0
        letters = match[0]
        is_name = letters[0].isupper() and (not is_first or (len(letters) > 1 and letters[1:2].isupper()))
        found.append(Word(stem(letters), match.start(), match.end(), is_name, letters.isupper()))
    return found


@lru_cache(maxsize=8_192)
def _variants(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the names that mean the same as `name`, each as its words."""
    variants = list(synonyms_of(name))
    inside = _PARENTHESES.findall(name)
    if inside:
        variants += synonyms_of(_PARENTHESES.sub("", name))
        # "Surgical Intensive Care Unit (SICU)": the abbreviation stands for the whole.
        variants += [
            tuple(words(one)) for one in inside if one.isupper() and 2 < len(one) < 12 and " " not in one
        ]
        variants += [
            tuple(words(one))
            for one in inside
            if len(words(name)) == 2 and len(words(one)) == 1 and len(one) > 4
        ]
    return tuple(dict.fromkeys(variant for variant in variants if variant))


def find_name(
    name: str, given: list[Word], taken: list[tuple[int, int]] | None = None
) -> list[tuple[int, int]]:
    """Return the spans of `given` that are `name`, outside the spans that are `taken`."""
    covered = {index for start, end in taken or [] for index in range(start, end)}
    for match in (_match_exactly, _match_in_any_order):
        for variant in _variants(name):
            stems, places = _spell_out(variant, given, covered)
            spans, index = [], 0
            while index < len(stems):
                end = match(index, variant, stems)
                if end:
                    spans.append((places[index], places[end - 1] + 1))
                index = end or index + 1
            if spans:
                return spans
    return []


def _spell_out(name: tuple[str, ...], given: list[Word], covered: set[int]) -> tuple[list[str], list[int]]:
    """Return the stems of `given`, initials of `name` spelt out ("CHF", "surgical ICU"), and their places."""
    full = [word for word in name if word not in _LINKS and word not in OPTIONAL]
    initials = "".join(word[0] for word in full)
    stems: list[str] = []
    places: list[int] = []
    for index, word in enumerate(given):
        short = word.stem if word.is_initials and word.stem not in name else ""
        at = initials.find(short) if len(short) >= _FEWEST_INITIALS else -1
        parts = full[at : at + len(short)] if at >= 0 else [word.stem]
        stems += [""] if index in covered else parts
        places += [index] * (1 if index in covered else len(parts))
    return stems, places


def _match_exactly(start: int, name: tuple[str, ...], stems: list[str]) -> int:
    end = start + len(name)
    return end if stems[start] == name[0] and tuple(stems[start:end]) == name else 0


def _match_in_any_order(start: int, name: tuple[str, ...], stems: list[str]) -> int:
    """Return where a name that begins at `start` ends: all its words, in any order, and links; 0 for none."""
    wanted = [word for word in name if word not in _LINKS and word not in OPTIONAL]
    if len(wanted) == 1 and len(name) > 1 and OPTIONAL & set(name) and stems[start] == wanted[0]:
        return start + 1
    if len(wanted) < 2 or not _same(stems[start], stems[start + 1 : start + 2], wanted):
        return 0
    left, end = list(wanted), start
    for index in range(start, min(len(stems), start + 2 * len(name) + 4)):
        word = stems[index]
        match = _same(word, stems[index + 1 : index + 2], left)
        if match:
            left.remove(match)
            end = index + 1
            if not left:
                negated = {"with", "without", "no", "not"}
                return end if negated & set(stems[start:end]) <= negated & set(name) | {"with"} else 0
        elif word not in _LINKS and word not in OPTIONAL and word not in name:
            return 0
    return 0


def _same(word: str, after: list[str], wanted: list[str]) -> str:
    """Return the word of `wanted` that `word` is, or whose letter it is: "E. coli"."""
    if word in wanted:
        return word
    if len(word) == 1 and len(wanted) > 1 and wanted[0][:1] == word and after == wanted[1:2]:
        return wanted[0]
    return ""


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
    parts = {word for variant in _variants(name) for word in variant if len(word) > 2}
    for word in given[:_MOST_ALIKE]:
        for part in parts:
            if word.stem == part or (len(word.stem) > 3 and len(part) > 3 and word.stem[:4] == part[:4]):
                return True
            if min(len(word.stem), len(part)) < 5 or word.stem[0] != part[0]:
                continue
            if SequenceMatcher(None, word.stem, part).ratio() >= _ALIKE:
                return True
    return False
