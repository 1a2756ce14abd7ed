"""Read a declaration, and report every problem of it at once."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import rfc8785

from wardboard.scoring.declared.codes import DeclarationCode
from wardboard.scoring.reading.collector import Findings, Remark, Steps, Unreadable
from wardboard.scoring.reading.json_schema.check import SchemaCheck, load_schemas
from wardboard.scoring.reading.json_text import parse_json
from wardboard.scoring.reading.limits import KIB, Limits
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.problems import Problem, SubmissionInvalid, quote
from wardboard.scoring.reading.streams.text_stream import read_text

SCHEMA = load_schemas(Path(__file__).with_name("schema"), "declaration-1")["declaration-1"]
_LIMITS = Limits(body_bytes=256 * KIB, unpacked_bytes=256 * KIB, depth=20, containers=5_000, seconds=20)
_CHECK = SchemaCheck(SCHEMA)
_FIELDS_OF_KIND = {
    "number": {"absolute", "relative"},
    "set": {"separators"},
    "choice": {"letters"},
}


class DeclarationInvalid(Exception):
    """The file declares no benchmark. problems: every reason, each with its place and its fix."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(f"{problem.pointer}: {problem.message}" for problem in problems[:50]))
        self.problems = tuple(problems)


class _Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of a declaration. The fields, their values and limits are those of the JSON Schema."""


class Source(_Part, frozen=True):
    title: str
    url: str = ""


class Answers(_Part, frozen=True):
    format: str = "json-lines"
    id: str = "id"
    answer: str = "answer"


class References(_Part, frozen=True):
    format: str = "json-lines"
    id: str = "id"
    gold: str = "gold"
    question: str = "question"


class Extract(_Part, frozen=True):
    pattern: str
    take: str = "last"


class Match(_Part, frozen=True):
    kind: str
    any_of: bool = False
    absolute: float = 0
    relative: float = 0
    separators: str = ",;\n"
    letters: str = "ABCDEFGHIJ"


class DeclaredMetric(_Part, frozen=True):
    kind: str
    field: str = ""
    label: str = ""
    short: str = ""
    unit: str = "count"
    higher_is_better: bool = True


class LlmRules(_Part, frozen=True):
    prompt: str
    verdict: str
    right: tuple[str, ...] = ("1", "yes", "true", "correct")
    wrong: tuple[str, ...] = ("0", "no", "false", "incorrect")


class Grouping(_Part, frozen=True):
    key: str
    label: str
    groups: dict[str, str]
    column: str = ""
    is_known: bool = False


class Dependence(_Part, frozen=True):
    key: str
    label: str
    singular: str
    column: str = ""


class Declaration(_Part, frozen=True):
    """A benchmark as its organiser declares it."""

    declaration: int
    slug: str
    title: str
    description: str
    match: Match
    caveats: tuple[str, ...] = ()
    source: Source | None = None
    answers: Answers = Answers()
    references: References = References()
    extract: Extract | None = None
    metrics: tuple[DeclaredMetric, ...] = (DeclaredMetric(kind="exact-match"),)
    judge: LlmRules | None = None
    breakdowns: tuple[Grouping, ...] = ()
    clusters: tuple[Dependence, ...] = ()
    feedback: str = "overall"

    def document(self) -> dict[str, Any]:
        """Return it as JSON, without what is at its default; `read_declaration` reads that."""
        document: dict[str, Any] = msgspec.to_builtins(self)
        return {"answers": {}, "references": {}, **document}

    @property
    def digest(self) -> str:
        """The SHA-256 of its canonical JSON (RFC 8785), in hexadecimal digits."""
        return hashlib.sha256(rfc8785.dumps(self.document())).hexdigest()


def read_declaration(data: bytes) -> Declaration:
    """Return the benchmark that a file declares. data: YAML, or JSON if it begins with a brace; UTF-8.

    Raises DeclarationInvalid with every problem.
    """
    findings = Findings.under(_LIMITS)
    try:
        document = _parsed(read_text(data, _LIMITS), findings)
        _CHECK.report(document, findings, _remark_on)
        if not findings.problems:
            _check_values(msgspec.convert(document, Declaration, strict=False), findings)
    except Unreadable as error:
        findings.problem_first(error.problem)
    except SubmissionInvalid:
        pass  # Its problems are in the findings.
    # A key that is there twice, or NaN, is only a warning in a result file.
    if problems := [*findings.problems.listed, *findings.warnings.listed]:
        raise DeclarationInvalid(problems)
    return msgspec.convert(document, Declaration, strict=False)


def _parsed(text: str, findings: Findings) -> Any:
    if text.lstrip().startswith("{"):
        document = parse_json(text, findings)
    else:
        # Import it here: the command gets declarations as JSON, and comes without PyYAML.
        from wardboard.scoring.declared.yaml_text import parse_yaml  # noqa: PLC0415

        document = parse_yaml(text)
    try:
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        message = phrase("a text holds half of a surrogate pair, which is no character")
        raise Unreadable(DeclarationCode.FIELD, message) from None
    return document


def _remark_on(error: Any) -> Remark:
    """Return the remark on an error of the schema, whose descriptions say what to write."""
    description = error.schema.get("description") if isinstance(error.schema, dict) else None
    hint = phrase("{what}", what=description) if description else None
    if error.validator == "required":
        message = phrase("`{field}` is missing", field=error.message)
        return Remark(DeclarationCode.FIELD, message, hint)
    if error.validator == "additionalProperties":
        return Remark(DeclarationCode.FIELD, phrase("no field has this name"), _UNKNOWN)
    value = quote(error.instance)
    return Remark(DeclarationCode.FIELD, phrase("“{value}” cannot stand here", value=value), hint)


_UNKNOWN = phrase("Check the spelling, or leave the field out.")


def _check_values(declaration: Declaration, findings: Findings) -> None:
    """Add a problem for each value that the schema alone cannot refuse."""
    for steps, message in _conflicts(declaration):
        findings.problem(DeclarationCode.CONFLICT, steps, message)


def _conflicts(declaration: Declaration) -> Iterator[tuple[Steps, Phrase]]:
    yield from ()
