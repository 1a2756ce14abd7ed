"""Find words that the texts of the service no longer use: `make lint`.

Checked are the texts of pages, emails and messages about files (the translation catalogues list them all, and
a test keeps those complete), and the documents. Placeholders, code, links and names of
documents are left out.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parent.parent

# Pattern -> what to write in its place.
RETIRED = {
    r"\bdata (?:can|cannot|do not )?tells?\b|\b(?:tell|told)\b.{0,40}\bapart": "significantly different",
    r"\btie groups?\b": "statistical tie",
    r"\bboards?\b": "leaderboard",
    r"\bfigures\b": "scores, metrics or numbers",
    r"\breported (?:rows?|results?|systems?|scores?)\b": "as published",
    r"\bground truth\b|\btruth\b|\btrue resources?\b": "reference answers, gold resources",
    r"\breferences\b(?! answers)": "reference answers",
    r"\bjudge of today\b": "current judge",
    r"\bRight of all\b": "Correct / total",
    r"^Against the next\b": "vs. next system",
    r"\bSpread of\b": "distribution",
    r"\bdraw(?:n|ings?)\b": "resample, resampled",
    r"\bremarks?\b": "message, warning",
    r"\bmend(?:s|ed|ing)?\b": "fix, correct",
    r"\b(?<!small )letters\b(?! (?:of|case))": "emails",
    r"\be-mails?\b": "email",
    r"\bscorers?\b": "grader version",
    r"\b(?:some|every|any)body\b": "someone, everyone, anyone",
    r"\bwhoever\b": "anyone who",
    r"\bstands\b(?! out)": "is, is shown",
    r"\bis no (?:task|question|object|list|number|problem)\b": "is not a",
}
# Texts in which a retired word is right, by the words around it.
EXCEPTIONS = (
    "as FHIR references do",  # a reference of FHIR is an element that names a resource
)
# Documents for developers speak of the code, in which a board is `Board`.
DEVELOPERS = frozenset(("development.md", "graders.md"))

_LEFT_OUT = re.compile(
    r"[\w/-]+\.md\b|%\(\w+\)[sd]|\{[^{}]*\}|\{\{.*?\}\}|\{%.*?%\}|<[^<>]*>|```.*?```|`[^`]*`|"
    r"\]\([^)]*\)|^ {4}[^\n]*$",
    re.DOTALL | re.MULTILINE,
)
_PATTERNS = [(re.compile(pattern, re.IGNORECASE), better) for pattern, better in RETIRED.items()]


def retired_words(text: str) -> list[tuple[str, str]]:
    """Return each retired word in the text with what to write instead."""
    for exception in EXCEPTIONS:
        text = text.replace(exception, "")
    text = _LEFT_OUT.sub(" ", text)
    return [(match[0], better) for pattern, better in _PATTERNS for match in pattern.finditer(text)]


def _texts() -> Iterator[tuple[str, str]]:
    """Yield (place, text)."""
    for path in sorted(ROOT.glob("[ls]*/**/locale/zh_Hant/LC_MESSAGES/django.po")):
        with path.open("rb") as file:
            catalogue = read_po(file)
        for message in catalogue:
            texts = message.id if isinstance(message.id, tuple | list) else (message.id,)
            place = ", ".join(place for place, _ in message.locations) or str(path.relative_to(ROOT))
            yield from ((place, text) for text in texts if text)
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        if path.name not in DEVELOPERS:
            yield str(path.relative_to(ROOT)), path.read_text()


def main() -> int:
    """Print each retired word with its place; return 1 if there is one."""
    count = 0
    for place, text in _texts():
        for word, better in retired_words(text):
            count += 1
            shown = " ".join(text.split())[:80] if len(text) < 2000 else ""
            sys.stdout.write(f"{place}: “{word}”: write {better}. {shown}\n")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
