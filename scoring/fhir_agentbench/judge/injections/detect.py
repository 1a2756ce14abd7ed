"""Answers that speak to the judge instead of answering: instructions, verdicts, imitated prompts."""

import re
import unicodedata

from scoring.fhir_agentbench.judge.injections import languages
from scoring.fhir_agentbench.judge.injections.patterns import HINT, ORDER, PATTERNS
from scoring.fhir_agentbench.judge.shorten import shortened

# Letters that look like Latin ones, for words spelt with them.
_LOOKALIKES = str.maketrans(
    "аеорсухіѕјһԁɡӏԛԝαοрνАВЕКМНОРСТУХІЅЈΑΒΕΖΗΙΚΜΝΟΡΤΥΧᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀꜱᴛᴜᴠᴡʏᴢ",
    "aeopcyxisjhdglqwaopvabekmhopctyxisjabezhikmnoptyxabcdefghijklmnopqrstuvwyz",
)
_QUOTES = str.maketrans("“”„‟″«»‘’‚‛′", '"' * 7 + "'" * 5)
# Words of orders with digits or signs for letters.
_LEET = re.compile(
    r"\b(?!ignore|output|correct|instruct|return|verdict)(?:[i1!|l][g9]n[o0]r[e3]|[o0]utput|c[o0]rr[e3]ct|"
    r"[i1!|l]n[s5$]truct|r[e3][t7]urn|v[e3]rd[i1!|]ct)"
)
# Marks that pile up on a letter: to hide it, or to keep us busy, for putting them in order is slow.
_MARKS = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")
_MOST = 21_000  # characters; a few more than are shown of any answer
_AT_ONCE = 100  # characters normalised at a time, for the same reason
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
# What hides text from a reader: Unicode's tag letters, and marks that turn the direction of writing.
_HIDING = re.compile("[\U000e0000-\U000e007f\u202a-\u202e\u2066-\u2069]")
_SPLIT_WORD = re.compile("[A-Za-z][\u00ad\u200b-\u200d\u2060\ufeff]+[A-Za-z]")
_SPACED = re.compile(r"(?:\b[^\W\d_][ .\-_]){5,200}\w\b")
_GAPS = re.compile(r"[^\S\n]+")
_INDENTED = re.compile(r"\n\s+")
_BLANK = re.compile(r"\n[^\w\n]{0,100}(?=\n)")  # lines without a word
_RULES = re.compile(r"([^\w\s])\1{5,}")


def is_suspect(text: str) -> bool:
    """Tell whether `text` speaks to a judge: orders, verdicts, a judge's prompt or delimiters, hidden text.

    Looked at is what a model would be shown of `text` (see `shortened`), in time linear in its length: an
    order in the part that is left out reaches no model.
    """
    text = plain = shortened(text)
    if not text.isascii():
        if _HIDING.search(text) or len(_SPLIT_WORD.findall(text)) > 1:
            return True
        normalised = _normalised(_INVISIBLE.sub("", text))
        if normalised is None:
            return True
        text = normalised
        plain = text.translate(_LOOKALIKES)
    if languages.speaks_to_a_judge(text.lower()):
        return True
    return _speaks_to_a_judge(_tidied(plain.lower()))


def _normalised(text: str) -> str | None:
    """Return `text` in Unicode's plain form, without marks that belong to no letter of a language.

    None of a long one that is blown up by signs that stand for several: no answer in words, and long to
    look through.
    """
    parts: list[str] = []
    most = max(1.5 * len(text), _MOST)
    for start in range(0, len(text), _AT_ONCE):
        parts.append(unicodedata.normalize("NFKC", text[start : start + _AT_ONCE]))
        most -= len(parts[-1])
        if most < 0:
            return None
    return _MARKS.sub("", "".join(parts)).translate(_QUOTES)


def _tidied(text: str) -> str:
    """Return `text` without mark-up, wide gaps and rows of signs."""
    text = _GAPS.sub(" ", text.replace("**", "").replace("__", "").replace("\r", "\n"))
    return _RULES.sub(r"\1\1\1", _BLANK.sub("", _INDENTED.sub("\n", text)))


def _speaks_to_a_judge(text: str) -> bool:
    spaced = " ".join(re.sub(r"[ .\-_]", "", match[0]) for match in _SPACED.finditer(text))
    if _LEET.search(text) or any(word in spaced for word in ("return1", "ignore", "output1", "correct")):
        return True
    if not HINT.search(text):
        return False
    # An order may be broken over lines.
    return any(pattern.search(text) for pattern in PATTERNS) or bool(ORDER.search(text.replace("\n", " ")))
