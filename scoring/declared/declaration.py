"""Read a declaration, and report every problem of it at once."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import rfc8785

from wardboard.scoring.declared.codes import DeclarationCode
from wardboard.scoring.declared.matching import compile_pattern
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Findings, Remark, Unreadable
from wardboard.scoring.reading.json_schema.check import SchemaCheck, load_schemas
from wardboard.scoring.reading.json_text import parse_json
from wardboard.scoring.reading.limits import KIB, Limits
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.problems import Problem, SubmissionInvalid, quote
from wardboard.scoring.reading.streams.text_stream import read_text

SCHEMA = load_schemas(Path(__file__).with_name("schema"), "declaration-1")["declaration-1"]
_LIMITS = Limits(body_bytes=256 * KIB, unpacked_bytes=256 * KIB, depth=20, containers=5_000, seconds=20)
_RESERVED = ("exact_match", "exact_match_upper", "token_f1", "coverage")  # keys of metrics


class DeclarationInvalid(Exception):
    """The file declares no benchmark. problems: every reason, each with its place and its fix."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(
            "\n".join(f"{each.pointer or '/'}: {each.message}. {each.hint}" for each in problems)
        )
        self.problems = tuple(problems)


class Declaration(msgspec.Struct, frozen=True):
    """A benchmark as its organiser declares it.

    content: what the file holds. rules: the same with the defaults of the JSON Schema
    """

    content: dict[str, Any]
    rules: dict[str, Any]

    @property
    def slug(self) -> str:
        return str(self.rules["slug"])

    @property
    def title(self) -> str:
        return str(self.rules["title"])

    @property
    def digest(self) -> str:
        """The SHA-256 of its canonical JSON (RFC 8785), in hexadecimal digits."""
        return hashlib.sha256(rfc8785.dumps(self.content)).hexdigest()

    def document(self) -> dict[str, Any]:
        """Return it as JSON, which `read_declaration` reads."""
        return self.content


def read_declaration(data: bytes) -> Declaration:
    """Return the benchmark that a file declares. data: YAML, or JSON if it begins with a brace; UTF-8.

    Raises DeclarationInvalid with every problem.
    """
    findings = Findings.under(_LIMITS)
    try:
        content = _parsed(read_text(data, _LIMITS), findings)
        SchemaCheck(SCHEMA).report(content, findings, remark_on)
        if not findings.problems:
            rules = _filled(content, SCHEMA)
            for steps, message in _conflicts(rules):
                findings.problem(DeclarationCode.VALUE, steps, message)
    except Unreadable as error:
        findings.problem_first(error.problem)
    except SubmissionInvalid:
        pass  # Its problems are in the findings.
    # A key that is there twice, or NaN, is only a warning in a result file.
    if problems := [*findings.problems.listed, *findings.warnings.listed]:
        raise DeclarationInvalid(problems)
    return Declaration(content, rules)


def _parsed(text: str, findings: Findings) -> Any:
    if text.lstrip().startswith("{"):
        content = parse_json(text, findings)
    else:
        # Import it here: the command gets declarations as JSON, and comes without PyYAML.
        from wardboard.scoring.declared.yaml_text import parse_yaml  # noqa: PLC0415

        content = parse_yaml(text)
    try:
        json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        message = phrase("a text holds half of a surrogate pair, which is no character")
        raise Unreadable(DocumentCode.FIELD_TYPE, message) from None
    return content


def column_of(part: Mapping[str, Any]) -> str:
    """Return the column of references that has the values of a breakdown or of clusters."""
    return str(part.get("column", part["key"]))


def remark_on(error: Any) -> Remark:
    """Return the remark on an error of a schema whose descriptions say what to write."""
    if error.validator == "additionalProperties":
        return Remark(DocumentCode.FIELD_TYPE, phrase("no field has this name"), _UNKNOWN)
    what = error.schema.get("description")
    hint = phrase("{what}", what=what) if what else None
    if error.validator == "required":
        return Remark(DocumentCode.FIELD_MISSING, phrase("`{field}` is missing", field=error.message), hint)
    message = phrase("“{value}” cannot stand here", value=quote(error.instance))
    return Remark(DocumentCode.FIELD_TYPE, message, hint)


_UNKNOWN = phrase("Check its spelling, or leave it out.")


def _filled(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return `value` with the defaults of its schema."""
    schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    if isinstance(value, list):
        return [_filled(item, schema.get("items", {})) for item in value]
    if not isinstance(value, dict):
        return value
    parts = schema.get("properties", {})
    defaults = {name: part["default"] for name, part in parts.items() if "default" in part}
    return {name: _filled(item, parts.get(name, {})) for name, item in {**defaults, **value}.items()}


def _conflicts(rules: Mapping[str, Any]) -> Iterator[tuple[Sequence[str | int], Phrase]]:
    """Yield the place and the text of what the schema cannot refuse."""
    for part, name in (("extract", "pattern"), ("judge", "verdict")):
        try:
            compile_pattern(rules[part][name] if part in rules else "()")
        except ValueError as error:
            yield (part, name), phrase("RE2 does not take the pattern: {fault}", fault=quote(str(error)))
        except ModuleNotFoundError:
            pass  # The service, from which the command has the declaration, has checked it.
    for part in ("metrics", "breakdowns", "clusters"):
        keys = [each.get("key", each.get("kind", "").replace("-", "_")) for each in rules[part]]
        for number, key in enumerate(keys):
            if key in keys[:number] or (
                part == "metrics" and key in _RESERVED and "key" in rules[part][number]
            ):
                yield (part, number), phrase("another has the key {key}", key=quote(key))
    for part in ("answers", "references"):
        names = [name for field, name in rules[part].items() if field != "format"]
        if len(set(names)) < len(names):
            yield (part,), phrase("two columns have the same name")
