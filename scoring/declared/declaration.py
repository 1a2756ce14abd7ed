"""Read a declaration, and report every problem of it at once."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import rfc8785

from wardboard.scoring.benchmark_cli import Failure
from wardboard.scoring.declared.codes import DeclarationCode
from wardboard.scoring.declared.matching import compile_pattern
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Findings, Remark, Steps, Unreadable
from wardboard.scoring.reading.json_schema.check import SchemaCheck, load_schemas
from wardboard.scoring.reading.json_text import parse_json
from wardboard.scoring.reading.limits import KIB, Limits
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.problems import Problem, SubmissionInvalid, quote
from wardboard.scoring.reading.streams.text_stream import read_text

# It has all fields, their defaults, and what to write in each.
SCHEMA = load_schemas(Path(__file__).with_name("schema"), "declaration-1")["declaration-1"]
_LIMITS = Limits(body_bytes=256 * KIB, unpacked_bytes=256 * KIB, depth=20, containers=5_000, seconds=20)
_RESERVED = ["exact_match", "exact_match_upper", "token_f1"]  # keys of metrics


class DeclarationInvalid(Exception):
    """The file declares no benchmark. problems: every reason, each with its place and its fix."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(
            "\n".join(f"{each.pointer or '/'}: {each.message}. {each.hint}" for each in problems)
        )
        self.problems = tuple(problems)


class Declaration(msgspec.Struct, frozen=True):
    """A benchmark as its organiser declares it.

    - digest: SHA-256 of the canonical JSON (RFC 8785) of `content`, in hexadecimal digits
    - content: what the file holds; rules: the same with the defaults of the schema
    """

    slug: str
    title: str
    digest: str
    content: dict[str, Any]
    rules: dict[str, Any]

    def document(self) -> dict[str, Any]:
        """Return it as JSON, which `read_declaration` reads."""
        return self.content


def read_declaration(data: bytes) -> Declaration:
    """Return the benchmark that a file declares. data: YAML, or JSON if it begins with a brace; UTF-8.

    Raises DeclarationInvalid with every problem.
    """
    findings = Findings.under(_LIMITS)
    try:
        text = read_text(data, _LIMITS)
        content = parse_json(text, findings) if text.lstrip().startswith("{") else _parse_yaml(text)
        SchemaCheck(SCHEMA).report(content, findings, remark_on)
        canonical = rfc8785.dumps(content)
        rules = {} if findings.problems else _filled(content, SCHEMA)
        for steps, message in _conflicts(rules) if rules else ():
            findings.problem(DeclarationCode.VALUE, steps, message)
    except Unreadable as error:
        findings.problem_first(error.problem)
    except SubmissionInvalid:
        pass  # Its problems are in the findings.
    except ValueError:
        findings.problem(DeclarationCode.VALUE, (), phrase("a number or a character has no canonical form"))
    # A key that is there twice, or NaN, is only a warning in a result file.
    if problems := [*findings.problems.listed, *findings.warnings.listed]:
        raise DeclarationInvalid(problems)
    digest = hashlib.sha256(canonical).hexdigest()
    return Declaration(rules["slug"], rules["title"], digest, content, rules)


def _parse_yaml(text: str) -> Any:
    # Import it here: the command gets declarations as JSON, and comes without PyYAML.
    from wardboard.scoring.declared.yaml_text import parse_yaml  # noqa: PLC0415

    return parse_yaml(text)


def remark_on(error: Any) -> Remark:
    """Return the remark on an error of a schema whose descriptions say what to write."""
    if error.validator == "additionalProperties":
        hint = phrase("Check its spelling, or leave it out.")
        return Remark(DocumentCode.FIELD_TYPE, phrase("no field has this name"), hint)
    what = error.schema.get("description")
    hint = phrase("{what}", what=what) if what else DocumentCode.FIELD_TYPE.fix
    if error.validator == "required":
        return Remark(DocumentCode.FIELD_MISSING, phrase("`{field}` is missing", field=error.message), hint)
    # A row of references may be a list, which would quote its answer.
    value = "[…]" if isinstance(error.instance, list | dict) else quote(error.instance)
    return Remark(DocumentCode.FIELD_TYPE, phrase("“{value}” cannot stand here", value=value), hint)


def _filled(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return `value` with the defaults of its schema."""
    if isinstance(value, list):
        return [_filled(item, schema.get("items", {})) for item in value]
    if not isinstance(value, dict):
        return value
    parts = schema.get("properties", {})
    defaults = {name: part["default"] for name, part in parts.items() if "default" in part}
    return {name: _filled(item, parts.get(name, {})) for name, item in (defaults | value).items()}


def _conflicts(rules: Mapping[str, Any]) -> Iterator[tuple[Steps, Phrase]]:
    """Yield the place and the text of what the schema cannot refuse."""
    for part, name in (("extract", "pattern"), ("judge", "verdict")):
        try:
            compile_pattern(rules[part][name] if part in rules else "()")
        except ValueError as error:
            yield (part, name), phrase("RE2 does not take the pattern: {fault}", fault=quote(str(error)))
        except Failure:
            pass  # The service, from which the command has the declaration, has checked it.
    for part in ("metrics", "breakdowns", "clusters"):
        keys = _RESERVED if part == "metrics" else []
        for number, each in enumerate(rules[part]):
            key = each.get("key", each.get("kind"))
            if key in keys:
                yield (part, number), phrase("another has the key {key}", key=key)
            keys = [*keys, key, f"{key}_share"]
    for part, lists in (("answers", ["metrics"]), ("references", ["breakdowns", "clusters"])):
        names = [name for field, name in rules[part].items() if field != "format"]
        others = {field_of(each) for name in lists for each in rules[name] if "key" in each}
        if len({*names}) < len(names) or not others.isdisjoint(names):
            yield (part,), phrase("two fields have the same name")


def field_of(part: Mapping[str, Any]) -> str:
    """Return the field that has the values of a breakdown, of clusters or of a mean."""
    return str(part.get("field", part["key"]))
