"""The texts that `scoring` says about a file, found in its source."""

import ast
from collections.abc import Iterator
from string import Formatter

from tests.support.paths import ROOT

# All but the module that hands the texts through.
SOURCES = sorted(p for p in (ROOT / "scoring").rglob("*.py") if p.name != "messages.py")
TELLING = {"problem", "warning", "warning_first", "Unreadable", "make_problem"}


def templates() -> set[str]:
    """Return every template, both of those that count."""
    return {text for path in SOURCES for call in sayings(path.read_text()) for text in literals(call) or ()}


def sayings(source: str) -> Iterator[ast.Call]:
    """Yield the calls of phrase and phrase_n."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and _name(node.func) in ("phrase", "phrase_n"):
            yield node


def literals(call: ast.Call) -> list[str] | None:
    """Return the templates of a call of phrase or phrase_n, None where one is no literal."""
    texts = call.args[: 2 if _name(call.func) == "phrase_n" else 1]
    said = [text.value for text in texts if isinstance(text, ast.Constant) and isinstance(text.value, str)]
    return said if texts and len(said) == len(texts) else None


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def unfit_sayings(source: str) -> list[int]:
    """Return the lines of sayings whose template is built, or asks for other values than it is given."""
    return [call.lineno for call in sayings(source) if not _fits(call)]


def _fits(call: ast.Call) -> bool:
    texts = literals(call)
    if texts is None:
        return False
    given = {keyword.arg for keyword in call.keywords}
    if None in given or not (given or len(texts) > 1):
        # Values by **; or none, where the template is the text, braces and all.
        return True
    return all(fields(text) == given | ({"n"} if len(texts) > 1 else set()) for text in texts)


def built_remarks(source: str) -> list[int]:
    """Return the lines where a remark is given a text that is no saying: put together, or a literal."""
    found = []
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef):
            continue
        told: list[ast.expr] = []
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and _name(node.func) in TELLING:
                told += [*node.args, *(keyword.value for keyword in node.keywords)]
        names = {node.id for node in told if isinstance(node, ast.Name)}
        for node in ast.walk(function):
            if isinstance(node, (ast.Assign, ast.AugAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if names & {target.id for target in targets if isinstance(target, ast.Name)}:
                    told.append(node.value)
        found += [text.lineno for expression in told for text in _alternatives(expression) if _is_built(text)]
    return found


def _alternatives(expression: ast.expr) -> list[ast.expr]:
    if isinstance(expression, ast.IfExp):
        return [*_alternatives(expression.body), *_alternatives(expression.orelse)]
    if isinstance(expression, ast.BoolOp):
        return [part for value in expression.values for part in _alternatives(value)]
    return [expression]


def _is_built(text: ast.expr) -> bool:
    if isinstance(text, ast.Constant):
        return isinstance(text.value, str)
    is_text = isinstance(text, ast.BinOp) and any(_is_built(side) for side in (text.left, text.right))
    return isinstance(text, ast.JoinedStr) or is_text


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        is_log = isinstance(function.value, ast.Name) and function.value.id in ("_log", "logger")
        return "" if is_log else function.attr
    return function.id if isinstance(function, ast.Name) else ""
