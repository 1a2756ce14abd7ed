"""The words that a reader of a page sees or hears, and those that are the same in every language."""

import re
from collections.abc import Iterable
from html.parser import HTMLParser

# Names, units, terms and abbreviations that Chinese texts write in Latin letters. Add what is one of these,
# never an English word that has a Chinese one.
_LATIN = """
    Wardboard MedAgentBench FHIR AgentBench HL7 GitHub Django JavaScript Cookie
    min API CSV JSON Schema LaTeX Markdown BibTeX Atom SVG PNG HTML URL POST UTF
    UTC MB GB KB gzip sha256 CI id null true false NaN
    AI LLM AC SR PR WCAG AA MIT Wilson McNemar Holm HbA1c Null
    Condition Encounter Location Medication MedicationRequest Observation Patient Procedure
"""
NAMES = frozenset(_LATIN.split())
# Names of several words, and works as they are cited.
_WHOLE = (
    "o4-mini",
    "test_data_v1",
    "test_data_v2",
    "Efron and Tibshirani, An Introduction to the Bootstrap (1993)",
    "Goldstein and Spiegelhalter, J. R. Stat. Soc. A 159 (1996) 385–443",
    "Hall and Miller, Ann. Stat. 37 (2009) 3929–3959",
    "Holm, Scand. J. Stat. 6 (1979) 65–70",
    "McNemar, Psychometrika 12 (1947) 153–157",
    "Wilson, J. Am. Stat. Assoc. 22 (1927) 209–212",
)
# What is shown or said aloud beside the text itself.
_ATTRIBUTES = {
    "title",
    "aria-label",
    "placeholder",
    "alt",
    "alttext",
    "aria-description",
    "aria-valuetext",
    "label",
}
# Quotations and code, and parts that no reader gets.
_SILENT = {"script", "style", "code", "pre", "kbd", "template"}
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
# Taken out before names are: an address may have a name in it.
_ADDRESS = re.compile(r"https?://\S*|\S+@\S+")
# Places in sentences, what is set as code or quoted, names of files and codes of problems, tasks, digests and
# ids of submissions: no words.
_NO_WORDS = re.compile(
    r"\{\w+\}|`[^`]+`|「[^」]*」|“[^”]*”|\"[^\"]*\"|\b[\w.]+\([^)]*\)|\b[\w-]+\.[\w-]+\b|\btask\d+(?:_\d+)?"
    r"|\b[0-9a-f]{4,}…[0-9a-f]*|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{12,}\b",
    re.ASCII,
)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_INLINE = r"(?:</?(?:a|abbr|b|code|del|em|i|q|s|span|strong|sub|time)\b[^<>]*>)*"
_HAN = r"[\u4e00-\u9fff]"
# A space after a mark that is as wide as a letter, and a mark or bracket of Latin texts beside a letter.
_ILL_SET = re.compile(
    rf"[。，、；：！？）」]{_INLINE} {_INLINE}[^\s<·]"
    rf"|{_HAN}{_INLINE} ?[,;:!?(]|[,;:!?)] ?{_INLINE}{_HAN}|{_HAN}\.(?=[\s<])"
)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        # The open elements, each with whether it or one around it is silent.
        self._open: list[tuple[str, bool]] = []

    def handle_starttag(self, tag, attrs):
        around = self._is_silent()
        said = {name: text for name, text in attrs if text}
        is_english = said.get("lang", "").startswith("en")
        if not (around or is_english):
            self.texts += [text for name, text in said.items() if _is_said(tag, name, said)]
        if tag not in _VOID:
            self._open.append((tag, around or is_english or tag in _SILENT))

    def handle_endtag(self, tag):
        while any(tag == name for name, _ in self._open) and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if not self._is_silent():
            self.texts.append(data)

    def _is_silent(self) -> bool:
        return bool(self._open) and self._open[-1][1]


def _is_said(tag: str, name: str, said: dict[str, str]) -> bool:
    """Whether the attribute of that name of an element holds a text for readers."""
    if name.startswith("data-"):
        # Sentences that the script takes from the page.
        return "data-words" in said or name == "data-copied"
    if tag == "meta":
        kind = said.get("name") or said.get("property") or ""
        return name == "content" and kind in ("description", "og:title", "og:description", "og:image:alt")
    if tag == "input" and name == "value":
        return said.get("type") in ("submit", "button")
    return name in _ATTRIBUTES


def texts_of(html: str) -> list[str]:
    """Return what a page shows and says, piece by piece."""
    reader = _Reader()
    # Django's own mark of an empty attribute, which the parser gives no text.
    reader.feed(html.replace(" data-words ", ' data-words="." '))
    reader.close()
    return [" ".join(text.split()) for text in reader.texts if text.strip()]


def english_in(html: str, *, given: Iterable[str] = ()) -> dict[str, list[str]]:
    """Return text -> the words in it that are in Latin letters, but for names.

    given: texts that people gave, such as names of systems, which pages show as they are, or cut with “…”.
    """
    known = sorted({*_WHOLE, *given}, key=len, reverse=True)
    found = {}
    for text in texts_of(html):
        if text.endswith("…") and any(one.startswith(text[:-1].rstrip()) for one in known):
            continue
        bare = _ADDRESS.sub(" ", text)
        for one in known:
            bare = bare.replace(one, " ")
        words = [
            word
            for word in _WORD.findall(_NO_WORDS.sub(" ", bare))
            if word not in NAMES and sum(map(str.isalpha, word)) > 1
        ]
        if words:
            found[text[:200]] = words
    return found


def ill_set_in(html: str) -> list[str]:
    """Return where a page in Chinese is set as a Latin text is, each with what stands around it."""
    bare = re.sub(r"<(script|style|pre|code|textarea|q)\b.*?</\1>", "", html, flags=re.DOTALL)
    # Words between marks of quotation are others' own.
    bare = " ".join(re.sub("「[^」<]*」", "「」", bare).split())
    return [bare[max(0, found.start() - 30) : found.end() + 30] for found in _ILL_SET.finditer(bare)]
