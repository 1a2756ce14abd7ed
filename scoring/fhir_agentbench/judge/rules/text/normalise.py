"""Normalise text: quotes, dashes, spaces and mark-up in one form, and word stems."""

import re
import unicodedata
from functools import lru_cache

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
# A fraction after a whole number: "12½" is 12.5.
_FRACTIONS = {"½": ".5", "¼": ".25", "¾": ".75"}
_FRACTION = re.compile(r"(?<=\d)\s?[½¼¾]")
_MINUS = re.compile(r"\b(?:minus|negative) (?=\d)", re.I)
# Headings without content.
_HEADING = re.compile(
    r"^\W*(?:(?:the|my)\s)?(?:final |short )?(?:answer|result|summary|conclusion|response|finding|analysis)s?"
    r"[ :]{0,3}\n\s*",
    re.IGNORECASE,
)
# The head of a table, and the numbers of its rows.
_TABLE = re.compile(r"^\|(?P<first>[^|\n]{0,40})\|[^\n]{0,400}\n\|[ :|-]{3,200}\|[ ]*\n", re.MULTILINE)
_ROW = re.compile(r"^\|\s?#?\d{1,3}\s?\|", re.MULTILINE)
_BOXED = re.compile(r"\$?\\boxed\{([^{}]{0,400})\}\$?")
# The power of ten in a unit, which is no part of the value: "7.5 x10^3/uL".
_UNIT_POWER = re.compile(r"(?<=\d)(?:\s?[xX*]\s?|\s)10(?:\^|\*\*?|[eE])\d{1,2}\s?/\s?(?=[a-zA-Zµμ])")
_LEAD_IN = re.compile(
    r"^\W*(?:(?:so|thus|therefore|hence),?\s+)?(?:the\s+|my\s+)?(?:final\s+|short\s+)?(?:answer|result)"
    r"(?:\s+to (?:the|this|your) question)?(?:\s+is)?\s*(?:[:=]|-(?!\s?\d))\s*",
    re.IGNORECASE,
)
_ACCORDING = re.compile(
    r"^\W*(?:based on|according to|from|per)(?: (?:the|my|this|these|your|available|retrieved|provided|given|"
    r"fhir|medical|patient's|patient|data|database|records?|resources?|search|results?|information|analysis|"
    r"queried|query|system|all|of|in)){1,9}\s?[,:]\s*",
    re.IGNORECASE,
)
WORD = re.compile(r"[^\W_]+(?:[.'%][^\W_]+)*%?")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")


def normalise(text: str) -> str:
    """Return the beginning of `text`, normalised, without lead-ins: "The final answer is:"."""
    text = _THIN_SPACE.sub("", text[:MOST_CHARACTERS]).translate(_PLAIN)
    text = _FRACTION.sub(lambda match: _FRACTIONS[match[0].strip()], text)
    text = unicodedata.normalize("NFKC", text).replace("\r\n", "\n").replace("\r", "\n")
    text = _UNIT_POWER.sub(" /", text)
    text = _MINUS.sub("-", text)
    text = _BOXED.sub(r"\1", _MARKUP.sub("", text)).strip()
    for opening in (_LEAD_IN, _HEADING, _ACCORDING):
        text = opening.sub("", text, count=1).strip()
    if "|" in text:
        text = _table_body(text)
    return text


def _table_body(text: str) -> str:
    head = _TABLE.search(text)
    if not head:
        return text
    numbered = head["first"].strip().casefold() in ("#", "no", "no.", "nr", "index", "row")
    return (_ROW.sub("|", text) if numbered else text).replace(head[0], "", 1).strip()


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
