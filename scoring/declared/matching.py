"""Read what an answer says, and compare it with a reference, by the rules of a declaration."""

import re
import string
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from wardboard.scoring.benchmark_cli import FAULT, Failure
from wardboard.scoring.explanations import as_text
from wardboard.scoring.reading.formats.values import decoded
from wardboard.scoring.reading.problems import nfkc

# Characters of an answer that a pattern looks at: to find all its places can take their square in steps.
_MOST_EXTRACTED = 4_000
_PATTERN_BYTES = 1024 * 1024  # that RE2 may take for a pattern
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)
# What looks like a number and is no part of a word; and a number, with or without commas between thousands.
_NUMERIC = re.compile(r"(?<![\w.])[-+]?\.?\d[\d.,]*(?:[eE][-+]?\d+)?")
_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d{0,40})(?:\.\d{1,40})?(?:[eE][-+]?\d{1,3})?")
# A letter alone, or before a mark and the text of its option: "B", "(b)", "**B**", "B) aspirin".
_CHOICE = re.compile(r"\W*([A-Za-z])(?:\W*|[\W_]?[).:\]]\s.*)", re.DOTALL)


@lru_cache(maxsize=64)
def compile_pattern(pattern: str) -> Any:
    """Return a pattern of RE2, whose time grows with the text. Raises ValueError, and Failure without RE2."""
    try:
        import re2  # noqa: PLC0415
    except ModuleNotFoundError:
        raise Failure(FAULT, "the pattern of the declaration needs RE2: pip install google-re2") from None
    options = re2.Options()
    options.log_errors, options.max_mem = False, _PATTERN_BYTES
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        raise ValueError(error.args[0].decode(errors="replace")) from None
    if compiled.groups != 1:
        raise ValueError(f"it has {compiled.groups} groups")
    return compiled


def extract(pattern: str, text: str) -> str | None:
    """Return the group of the last place in a text where a pattern finds one; None for none."""
    # Half of a surrogate pair cannot be encoded, which RE2 needs.
    part = text[-_MOST_EXTRACTED:].encode("utf-8", "replace").decode()
    found = [place[1] for place in compile_pattern(pattern).finditer(part) if place[1]]
    return found[-1] if found else None


def normalise(text: str) -> str:
    """Return `text` in lower case, without punctuation and articles, with single spaces.

    Source: SQuAD 1.1, evaluate-v1.1.py, `normalize_answer`; here after Unicode's NFKC.
    """
    lowered = nfkc(text).lower().translate(_WITHOUT_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", lowered).split())


class Matcher:
    """Compare answers with references. rules: of a declaration"""

    def __init__(self, rules: Mapping[str, Any]) -> None:
        self._match: Mapping[str, Any] = rules["match"]
        self._pattern: str = rules["extract"]["pattern"] if "extract" in rules else ""

    def extracted(self, answer: Any) -> Any:
        """Return what the pattern finds in an answer that is a text, None for nothing; any other as it is."""
        return extract(self._pattern, answer) if self._pattern and isinstance(answer, str) else answer

    def form(self, value: Any) -> Any:
        """Return what is compared of an answer or a reference; None where it has not the form."""
        if self._match["kind"] == "set":
            separators = f"[{re.escape(self._match['separators'])}]"
            items = value if isinstance(value, list) else re.split(separators, as_text(value) or "")
            return frozenset(filter(None, (normalise(as_text(item) or "") for item in items))) or None
        value = value[0] if isinstance(value, list) and len(value) == 1 else value
        text = "" if isinstance(value, list | dict) else (as_text(value) or "").strip()
        if self._match["kind"] == "number":
            return _number(text)
        if self._match["kind"] == "choice":
            letter = found[1].upper() if (found := _CHOICE.fullmatch(text)) else "-"
            return letter if letter in self._match["letters"] else None
        return (normalise(text) if self._match["kind"] == "normalised" else text) or None

    def golds(self, gold: Any) -> list[Any]:
        """Return the references of a task, any of which is right."""
        if not self._match["any_of"]:
            return [gold]
        if isinstance(gold, str):
            # In a table: the JSON of a list, or texts between bars.
            gold = decoded(gold) if gold.startswith("[") else gold.split("|")
        return gold if isinstance(gold, list) else [gold]

    def is_right(self, form: Any, gold: Any) -> bool:
        """Return whether an answer of that form matches a reference."""
        # A reference that was imported by another declaration may not have the form.
        forms = [each for each in map(self.form, self.golds(gold)) if each is not None]
        if self._match["kind"] != "number":
            return form in forms
        # Exact decimals: the ends of a tolerance count.
        absolute, relative = (Decimal(str(self._match[name])) for name in ("absolute", "relative"))
        return any(abs(form - each) <= max(absolute, relative * abs(each)) for each in forms)

    def token_f1(self, answer: Any, gold: Any) -> float:
        """Return the F1 of the words of an answer against the nearest reference: 0..1.

        Source: SQuAD 1.1, evaluate-v1.1.py, `f1_score`; the words are those of `normalise`.
        """
        words, same = Counter(normalise(as_text(answer) or "").split()), 0.0
        for each in self.golds(gold):
            of_gold = Counter(normalise(as_text(each) or "").split())
            same = max(same, 2 * (words & of_gold).total() / (words.total() + of_gold.total() or 1))
        return same


def _number(text: str) -> Decimal | None:
    """Return the one number in a text, whatever its unit; None for none, or several."""
    found = {number.rstrip(".,") for number in _NUMERIC.findall(text.replace("\u2212", "-"))}
    if not all(map(_NUMBER.fullmatch, found)):
        return None
    numbers = {Decimal(number.replace(",", "")) for number in found}
    return numbers.pop() if len(numbers) == 1 else None
