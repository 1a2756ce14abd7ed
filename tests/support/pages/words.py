"""Find English words and Latin punctuation on Chinese pages."""

import re
from collections.abc import Iterable
from html.parser import HTMLParser

# Names, units, terms and abbreviations that Chinese texts write in Latin letters. Never add an English word
# that has a Chinese equivalent.
_LATIN = """
    Wardboard MedAgentBench FHIR AgentBench AgentBeats Harbor HL7 GitHub Actions GitLab Django
    JavaScript Cookie
    Token token pass min API CSV JSON Schema LaTeX Markdown BibTeX Atom SVG PNG HTML URL POST UTF
    UTC MB GB KB MiB GiB SHA gzip zip tar sha256 CI commit Commit id null true false NaN
    MIMIC IV PhysioNet Python
    AI LLM OpenAI wardboard AC SR PR WCAG AA MIT Wilson McNemar Newcombe Holm HbA1c Null
    Condition Encounter Location Medication MedicationRequest Observation Patient Procedure
"""
NAMES = frozenset(_LATIN.split())
# Names of several words, and works as they are cited.
_WHOLE = (
    "Agresti, Categorical Data Analysis (2013)",
    "Woodruff, J. Am. Stat. Assoc. 66 (1971) 411–414",
    "o4-mini",
    "Qwen2.5-7B",
    "Gemini 3 Flash",
    "MedAgentBench pilot",
    "Every Eval Ever",
    "JSON Lines",
    "inspect_ai",
    "lm-evaluation-harness",
    "lm-eval",
    "verifiers",
    "MIMIC-IV on FHIR",
    "test_data_v1",
    "test_data_v2",
    "Connor, Biometrics 43 (1987) 207–211",
    "Holm, Scand. J. Stat. 6 (1979) 65–70",
    "McNemar, Psychometrika 12 (1947) 153–157",
    "Pearson, Philos. Mag. (5) 50 (1900) 157–175",
    "mid-p",
    "git rev-parse HEAD",
    "Student t",
    "Wilson, J. Am. Stat. Assoc. 22 (1927) 209–212",
)
# Attributes that are shown or read aloud.
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
# Code, and elements whose content is not shown.
_SILENT = {"script", "style", "code", "pre", "kbd", "template"}
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
# Removed before names are: an address may contain a name.
_ADDRESS = re.compile(r"https?://\S*|\S+@\S+")
# No words: placeholders, code, quotations, names of files, problem codes, tasks, digests, ids of submissions.
_NO_WORDS = re.compile(
    r"\{\w+\}|`[^`]+`|「[^」]*」|“[^”]*”|\"[^\"]*\"|\b[\w.]+\([^)]*\)|\b[\w-]+\.[\w-]+\b|\btask\d+(?:_\d+)?"
    r"|\b[0-9a-f]{4,}…[0-9a-f]*|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{12,}\b",
    re.ASCII,
)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_INLINE = r"(?:</?(?:a|abbr|b|code|del|em|i|q|s|span|strong|sub|time)\b[^<>]*>)*"
_HAN = r"[\u4e00-\u9fff]"
# A Latin mark or bracket beside a Chinese character.
_ILL_SET = re.compile(rf"{_HAN}{_INLINE} ?[,;:!?(]|[,;:!?)] ?{_INLINE}{_HAN}|{_HAN}\.(?=[\s<])")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        # The open elements, each with a flag: it or an element around it is silent.
        self._open: list[tuple[str, bool]] = []

    def handle_starttag(self, tag, attrs):
        around = self._is_silent()
        attributes = {name: text for name, text in attrs if text}
        is_english = attributes.get("lang", "").startswith("en")
        if not (around or is_english):
            self.texts += [text for name, text in attributes.items() if _is_text(tag, name, attributes)]
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


def _is_text(tag: str, name: str, attributes: dict[str, str]) -> bool:
    """Tell whether the attribute `name` of an element holds text for readers."""
    if name.startswith("data-"):
        # Sentences that a script takes from the page.
        return "data-words" in attributes or name == "data-copied"
    if tag == "meta":
        kind = attributes.get("name") or attributes.get("property") or ""
        return name == "content" and kind in ("description", "og:title", "og:description", "og:image:alt")
    if tag == "input" and name == "value":
        return attributes.get("type") in ("submit", "button")
    return name in _ATTRIBUTES


def texts_of(html: str) -> list[str]:
    """Return the texts of a page, visible or read aloud, piece by piece."""
    reader = _Reader()
    # The parser gives no text for an attribute without a value.
    reader.feed(html.replace(" data-words ", ' data-words="." '))
    reader.close()
    return [" ".join(text.split()) for text in reader.texts if text.strip()]


def english_in(html: str, *, given: Iterable[str] = ()) -> dict[str, list[str]]:
    """Return text -> its words in Latin letters, except for names.

    given: texts of users, such as names of systems, which pages show unchanged or cut with “…”.
    """
    names = sorted({*_WHOLE, *given}, key=len, reverse=True)
    english = {}
    for text in texts_of(html):
        if text.endswith("…") and any(known.startswith(text[:-1].rstrip()) for known in names):
            continue
        unquoted = _ADDRESS.sub(" ", text)
        for known in names:
            unquoted = unquoted.replace(known, " ")
        words = [
            word
            for word in _WORD.findall(_NO_WORDS.sub(" ", unquoted))
            if word not in NAMES and sum(map(str.isalpha, word)) > 1
        ]
        if words:
            english[text[:200]] = words
    return english


def ill_set_in(html: str) -> list[str]:
    """Return the places where a Chinese page has Latin punctuation, each with its context."""
    unquoted = re.sub(r"<(script|style|pre|code|textarea|q)\b.*?</\1>", "", html, flags=re.DOTALL)
    # Quoted texts are users' own.
    unquoted = " ".join(re.sub("「[^」<]*」", "「」", unquoted).split())
    return [unquoted[max(0, match.start() - 30) : match.end() + 30] for match in _ILL_SET.finditer(unquoted)]
