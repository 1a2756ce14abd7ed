"""Normalise text: quotes, dashes, spaces and mark-up in one form, and word stems."""

import re
from functools import lru_cache

from wardboard.scoring.reading.problems import nfkc

MOST_CHARACTERS = 4_000  # of an answer that are read; one in words is far shorter

_PLAIN = {
    **dict.fromkeys(map(ord, "‘’‚‛′`"), "'"),
    **dict.fromkeys(map(ord, "“”„‟″"), '"'),
    **dict.fromkeys(map(ord, "‐‑‒–—―−"), "-"),
    **dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"), None),
    **{ord(raised): f"^{digit}" for digit, raised in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    ord("×"): "x",
    ord("、"): ", ",
    ord("≈"): "about ",
}
_THIN_SPACE = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")
# A ">" before a number does not mark a quotation.
_MARKUP = re.compile(r"\*\*|__|~~|^#{1,6} |^>(?!=|\s?\d)|```\w*", re.MULTILINE)
_MINUS = re.compile(r"\b(?:minus|negative) (?=\d)", re.I)
# The power of ten in a unit, which is no part of the value: "7.5 x10^3/uL".
_UNIT_POWER = re.compile(r"(?<=\d)(?:\s?[xX*]\s?|\s)10(?:\^|\*\*?|[eE])\d{1,2}\s?/\s?(?=[a-zA-Zµμ])")
WORD = re.compile(r"[^\W_]+(?:[.'%][^\W_]+)*%?")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")


def normalise(text: str) -> str:
    """Return the beginning of `text`, normalised."""
    text = _THIN_SPACE.sub("", text[:MOST_CHARACTERS]).translate(_PLAIN)
    text = nfkc(text).replace("\r\n", "\n").replace("\r", "\n")
    text = _UNIT_POWER.sub(" /", text)
    return _MARKUP.sub("", _MINUS.sub("-", text)).strip()


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return `word` in lower case, without its possessive and plural."""
    word = word.casefold().removesuffix("'s").replace("'", "")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def words(text: str) -> list[str]:
    """Return the stems of the words and figures of `text`, in order."""
    return [stem(word) for word in WORD.findall(text)]


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of `text`."""
    return [part for part in _SENTENCE.split(text) if part.strip()]
