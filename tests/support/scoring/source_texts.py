"""Find the texts of problems and warnings in the source of `scoring`."""

import ast
from collections.abc import Iterator
from string import Formatter

from tests.support.paths import ROOT

# All modules except the one that passes texts on.
SOURCES = sorted(p for p in (ROOT / "scoring").rglob("*.py") if p.name != "messages.py")


def templates() -> set[str]:
    """Return every template, with singular and plural."""
    return {
        text for path in SOURCES for call in phrase_calls(path.read_text()) for text in literals(call) or ()
    }


def phrase_calls(source: str) -> Iterator[ast.Call]:
    """Yield the calls of `phrase` and `phrase_n`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and _name(node.func) in ("phrase", "phrase_n"):
            yield node


def literals(call: ast.Call) -> list[str] | None:
    """Return the templates of a call of `phrase` or `phrase_n`; None if one is not a literal."""
    texts = call.args[: 2 if _name(call.func) == "phrase_n" else 1]
    values = [text.value for text in texts if isinstance(text, ast.Constant) and isinstance(text.value, str)]
    return values if texts and len(values) == len(texts) else None


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def unfit_phrases(source: str) -> list[int]:
    """Return the lines of phrases whose template is not literal or needs other values than it gets."""
    return [call.lineno for call in phrase_calls(source) if not _fits(call)]


def _fits(call: ast.Call) -> bool:
    texts = literals(call)
    if texts is None:
        return False
    given = {keyword.arg for keyword in call.keywords}
    if None in given or not (given or len(texts) > 1):
        # With **, the values are unknown; without values, braces in the template are text.
        return True
    return all(fields(text) == given | ({"n"} if len(texts) > 1 else set()) for text in texts)


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
