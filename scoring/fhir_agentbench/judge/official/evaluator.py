"""Read the two prompts of the official evaluator from its own program, which is never run.

Wardboard holds no copy of them: the operator supplies `evaluation_metrics.py` of FHIR-AgentBench, so that the
words are the official ones to the letter. A program with other words is another judge, see `digest`.
"""

import ast
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_JUDGE = ("check_answer_correctness_with_llm", frozenset({"question", "ref_answer", "answer"}))
_NORMALISE = ("normalize_null_answers_with_llm", frozenset({"question", "answer"}))
_VARIABLE = "prompt"
_MOST_BYTES = 1024 * 1024


class EvaluatorInvalid(ValueError):
    """The file is not the official evaluator, or its prompts are built in a way that is not known here."""


# The texts of a prompt and the names of its fields, in turn, beginning and ending with a text.
Template = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluator:
    """The prompts. judge: fields question, ref_answer, answer. normalise: fields question, answer."""

    judge: Template
    normalise: Template

    @property
    def digest(self) -> str:
        """The first 8 hexadecimal digits of the SHA-256 of both prompts."""
        return hashlib.sha256(json.dumps([self.judge, self.normalise]).encode()).hexdigest()[:8]


def fill(template: Template, values: Mapping[str, str]) -> str:
    """Return the prompt as Python's f-string makes it. values: field -> text."""
    return "".join(values[part] if index % 2 else part for index, part in enumerate(template))


def read_evaluator(path: Path) -> Evaluator:
    """Return the prompts in the evaluator at `path`. Raises OSError, and EvaluatorInvalid."""
    if path.stat().st_size > _MOST_BYTES:
        raise EvaluatorInvalid("it is larger than a megabyte")
    try:
        module = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # Without the parser's words, which quote the file.
        raise EvaluatorInvalid("it is not a Python program") from None
    return Evaluator(judge=_template(module, *_JUDGE), normalise=_template(module, *_NORMALISE))


def _template(module: ast.Module, name: str, fields: frozenset[str]) -> Template:
    function = next(
        (node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == name), None
    )
    if function is None:
        raise EvaluatorInvalid(f"it has no function {name}")
    for statement in function.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=variable)], value=ast.JoinedStr(values=values)):
                if variable == _VARIABLE:
                    return _of_f_string(values, name, fields)
    raise EvaluatorInvalid(f"{name} does not build its prompt from one f-string")


def _of_f_string(values: list[ast.expr], name: str, fields: frozenset[str]) -> Template:
    parts = [""]
    for value in values:
        match value:
            case ast.Constant(value=str(text)):
                parts[-1] += text
            case ast.FormattedValue(value=ast.Name(id=field), conversion=-1, format_spec=None):
                parts += [field, ""]
            case _:
                raise EvaluatorInvalid(f"the prompt of {name} holds more than texts and plain fields")
    if set(parts[1::2]) != fields:
        raise EvaluatorInvalid(f"the prompt of {name} has other fields than {', '.join(sorted(fields))}")
    return tuple(parts)
