"""Detect answers that address the judge: instructions, verdicts, imitated prompts."""

import base64
import re
from collections.abc import Iterator

from wardboard.scoring.fhir_agentbench.judge.injections.patterns import ORDER, PATTERNS, WEAK
from wardboard.scoring.fhir_agentbench.judge.shorten import shorten
from wardboard.scoring.reading.problems import nfkc

# Letters that look like Latin ones, used to disguise words, and quotes.
_LOOKALIKES = str.maketrans(
    "аеорсухіѕјһԁɡӏԛԝαοрνАВЕКМНОРСТУХІЅЈΑΒΕΖΗΙΚΜΝΟΡΤΥΧᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀꜱᴛᴜᴠᴡʏᴢ“”„‟″«»‘’‚‛′",
    "aeopcyxisjhdglqwaopvabekmhopctyxisjabezhikmnoptyxabcdefghijklmnopqrstuvwyz" + '"' * 7 + "'" * 5,
)
# Words of instructions spelt with digits or symbols for letters, or with gaps between the letters.
_LEET = re.compile(
    r"\b(?!ignore|output|correct|instruct|return|verdict)(?:[i1!|l][g9]n[o0]r[e3]|[o0]utput|c[o0]rr[e3]ct|"
    r"[i1!|l]n[s5$]truct|r[e3][t7]urn|v[e3]rd[i1!|]ct)"
)
_SPACED = re.compile(r"(?:\b[^\W\d_][ .\-_]){5,200}\w\b")
_ORDERS = ("return1", "ignore", "output1", "correct")
# Combining marks stacked on a letter: they hide it.
_MARKS = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")
_MOST_CHARACTERS = 21_000  # slightly more than a shortened answer has
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
# Unicode's tag letters, and controls of the writing direction, hide text from a reader.
_HIDING = re.compile("[\U000e0000-\U000e007f\u202a-\u202e\u2066-\u2069]")
_SPLIT_WORD = re.compile("[A-Za-z][\u00ad\u200b-\u200d\u2060\ufeff]+[A-Za-z]")
_BASE64 = re.compile("[A-Za-z0-9+/_-]{10,}={0,2}")
# Mark-up, wide gaps, lines without a word and rows of symbols, with what is read in their place. A plain code
# block after "Output:" is how agents mark their answer.
_TIDY = (
    (re.compile(r"(?<=\n)```(?:json|text|yaml|python)?[ \t]*\n"), "code block\n"),
    (re.compile(r"\*\*|__"), ""),
    (re.compile(r"[^\S\n]+"), " "),
    (re.compile(r"\n\s+"), "\n"),
    (re.compile(r"\n[^\w\n]{0,100}(?=\n)"), ""),
    (re.compile(r"([^\w\s])\1{5,}"), r"\1\1\1"),
)


def is_suspect(text: str) -> bool:
    """Check whether `text` addresses a judge: instructions, verdicts, delimiters, hidden text.

    Only the part that a model would see is checked (see `shorten`), in time linear in its length. Text that
    is written in Base64 is decoded first. Only known forms are found: other wordings, languages and
    encodings pass.
    """
    text = shorten(text)
    return _addresses_judge(text) or any(map(_addresses_judge, _decoded(text)))


def _decoded(text: str) -> Iterator[str]:
    """Yield the texts that are written in Base64 within `text`."""
    for run in _BASE64.findall(text):
        bare = run.rstrip("=")
        try:
            yield base64.b64decode(bare + "=" * (-len(bare) % 4), altchars=b"-_").decode()
        except ValueError:
            continue  # no Base64 of a text, as most long words and ids are none


def _addresses_judge(text: str) -> bool:
    if not text.isascii():
        if _HIDING.search(text) or len(_SPLIT_WORD.findall(text)) > 1:
            return True
        normalised = nfkc(_MARKS.sub("", _INVISIBLE.sub("", text)))
        if len(normalised) > max(1.5 * len(text), _MOST_CHARACTERS):
            return True  # no real answer has so many signs that stand for several letters
        text = _MARKS.sub("", normalised).translate(_LOOKALIKES)
    text = text.lower().replace("\r", "\n")
    for pattern, plain in _TIDY:
        text = pattern.sub(plain, text)
    joined = " ".join(re.sub(r"[ .\-_]", "", match[0]) for match in _SPACED.finditer(text))
    return (
        _LEET.search(text) is not None
        or any(order in joined for order in _ORDERS)
        or ORDER.search(text.replace("\n", " ")) is not None
        or any(pattern.search(text) for pattern in PATTERNS)
        or len(WEAK.findall(text)) > 1
    )
