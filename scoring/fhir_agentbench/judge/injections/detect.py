"""Detect answers that address the judge: instructions, verdicts, imitated prompts."""

import base64
import re
import unicodedata
from collections.abc import Iterator

from wardboard.scoring.fhir_agentbench.judge.injections import languages
from wardboard.scoring.fhir_agentbench.judge.injections.patterns import HINT, ORDER, PATTERNS
from wardboard.scoring.fhir_agentbench.judge.shorten import shorten

# Letters that look like Latin ones, used to disguise words.
_LOOKALIKES = str.maketrans(
    "аеорсухіѕјһԁɡӏԛԝαοрνАВЕКМНОРСТУХІЅЈΑΒΕΖΗΙΚΜΝΟΡΤΥΧᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀꜱᴛᴜᴠᴡʏᴢ",
    "aeopcyxisjhdglqwaopvabekmhopctyxisjabezhikmnoptyxabcdefghijklmnopqrstuvwyz",
)
_QUOTES = str.maketrans("“”„‟″«»‘’‚‛′", '"' * 7 + "'" * 5)
# Words of instructions spelt with digits or symbols for letters.
_LEET = re.compile(
    r"\b(?!ignore|output|correct|instruct|return|verdict)(?:[i1!|l][g9]n[o0]r[e3]|[o0]utput|c[o0]rr[e3]ct|"
    r"[i1!|l]n[s5$]truct|r[e3][t7]urn|v[e3]rd[i1!|]ct)"
)
# Combining marks stacked on a letter: they hide it, and normalising their order is slow.
_MARKS = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")
_MOST_CHARACTERS = 21_000  # slightly more than a shortened answer has
_CHUNK = 100  # characters normalised at a time, because many marks at once are slow
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
# Characters that hide text from a reader: Unicode tag letters, and controls of the writing direction.
_HIDING = re.compile("[\U000e0000-\U000e007f\u202a-\u202e\u2066-\u2069]")
_SPLIT_WORD = re.compile("[A-Za-z][\u00ad\u200b-\u200d\u2060\ufeff]+[A-Za-z]")
_BASE64 = re.compile("[A-Za-z0-9+/_-]{10,}={0,2}")
_SPACED = re.compile(r"(?:\b[^\W\d_][ .\-_]){5,200}\w\b")
_GAPS = re.compile(r"[^\S\n]+")
_INDENTED = re.compile(r"\n\s+")
_BLANK = re.compile(r"\n[^\w\n]{0,100}(?=\n)")  # lines without a word
_RULES = re.compile(r"([^\w\s])\1{5,}")


def is_suspect(text: str) -> bool:
    """Check whether `text` addresses a judge: instructions, verdicts, delimiters, hidden text.

    Only the part that a model would see is checked (see `shorten`), in time linear in its length. Text that
    is written in Base64 is decoded first. Only known forms are found: other wordings, languages and
    encodings pass.
    """
    text = shorten(text)
    return _addresses_judge(text) or any(_addresses_judge(hidden) for hidden in _decoded(text))


def _addresses_judge(text: str) -> bool:
    latin = text
    if not text.isascii():
        if _HIDING.search(text) or len(_SPLIT_WORD.findall(text)) > 1:
            return True
        normalised = _normalise(_INVISIBLE.sub("", text))
        if normalised is None:
            return True
        text = normalised
        latin = text.translate(_LOOKALIKES)
    if languages.addresses_judge(text.lower()):
        return True
    return _addresses_judge_in_english(_tidy(latin.lower()))


def _decoded(text: str) -> Iterator[str]:
    """Yield the texts that are written in Base64 within `text`."""
    for run in _BASE64.findall(text):
        try:
            yield base64.b64decode(
                run.rstrip("=") + "=" * (-len(run.rstrip("=")) % 4), altchars=b"-_"
            ).decode()
        except ValueError:
            # Not Base64 of a text, as most long words and ids are not.
            continue


def _normalise(text: str) -> str | None:
    """Return `text` in Unicode's NFKC form, without combining marks and with plain quotes.

    None if it grows too long, because characters expand to many: no real answer does, and searching it
    would be slow.
    """
    parts: list[str] = []
    characters_left = max(1.5 * len(text), _MOST_CHARACTERS)
    for start in range(0, len(text), _CHUNK):
        parts.append(unicodedata.normalize("NFKC", text[start : start + _CHUNK]))
        characters_left -= len(parts[-1])
        if characters_left < 0:
            return None
    return _MARKS.sub("", "".join(parts)).translate(_QUOTES)


def _tidy(text: str) -> str:
    """Return `text` without mark-up, wide gaps and rows of repeated symbols."""
    text = _GAPS.sub(" ", text.replace("**", "").replace("__", "").replace("\r", "\n"))
    return _RULES.sub(r"\1\1\1", _BLANK.sub("", _INDENTED.sub("\n", text)))


def _addresses_judge_in_english(text: str) -> bool:
    joined = " ".join(re.sub(r"[ .\-_]", "", match[0]) for match in _SPACED.finditer(text))
    if _LEET.search(text) or any(word in joined for word in ("return1", "ignore", "output1", "correct")):
        return True
    if not HINT.search(text):
        return False
    # An instruction may continue on another line.
    return any(pattern.search(text) for pattern in PATTERNS) or bool(ORDER.search(text.replace("\n", " ")))
