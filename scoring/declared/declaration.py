"""Read a declaration, and report every problem of it at once."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from wardboard.scoring.benchmark_cli import Failure
from wardboard.scoring.declared.matching import compile_pattern
from wardboard.scoring.fhir_agentbench.reading.record_check import without_surrogates
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Findings, Remark, Steps, Unreadable
from wardboard.scoring.reading.json_schema.check import SchemaCheck, load_schemas
from wardboard.scoring.reading.json_text import parse_json
from wardboard.scoring.reading.limits import KIB, Limits
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.problems import pointer, quote
from wardboard.scoring.reading.streams.text_stream import read_text

# It has all fields, their defaults, and what to write in each.
SCHEMA = load_schemas(Path(__file__).with_name("schema"), "declaration-1")["declaration-1"]
_LIMITS = Limits(body_bytes=256 * KIB, unpacked_bytes=256 * KIB, depth=20, containers=5_000, seconds=20)
# What JSON has beside texts; all other scalars of YAML are texts: `no`, 2024-01-31.
_JSON = re.compile(r"null|true|false|-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?:[eE][-+]?\d{1,2})?", re.ASCII)


def read_declaration(data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a file declares, and the same with the defaults of the schema.

    data: YAML, or JSON if it begins with a brace; UTF-8. Raises SubmissionInvalid with every problem.
    """
    findings, lines = Findings.under(_LIMITS), dict[str, int]()
    content: Any = None
    try:
        text = read_text(data, _LIMITS)
        is_json = text.lstrip().startswith("{")
        content = without_surrogates(parse_json(text, findings) if is_json else _parse_yaml(text, lines))
        SchemaCheck(SCHEMA).report(content, findings, remark_on)
    except Unreadable as error:
        findings.problem_first(error.problem)
    # A key that is there twice, or NaN, is only a warning in a result file.
    findings.problems.absorb(findings.warnings)
    rules = {} if findings.problems else _filled(content, SCHEMA)
    for steps, message, hint in _conflicts(rules) if rules else ():
        findings.problem(DocumentCode.FIELD_TYPE, steps, message, hint)
    listed = findings.problems.listed
    listed[:] = [replace(each, line=each.line or lines.get(each.pointer)) for each in listed]
    findings.raise_if_invalid()
    return content, rules


def _parse_yaml(text: str, lines: dict[str, int]) -> Any:
    """Return the value of `text`, and add the line of each JSON Pointer to `lines`. Raises Unreadable."""
    # Import it here: the command gets declarations as JSON, and comes without PyYAML.
    import yaml  # noqa: PLC0415

    def value_of(event: Any, *place: str | int) -> Any:
        # No declaration needs them, and aliases make a short text long.
        if getattr(event, "anchor", None) or getattr(event, "tag", None):
            raise Unreadable(*_broken("a tag, an alias or an anchor"), line=event.start_mark.line + 1)
        if len(place) > _LIMITS.depth or len(lines) > _LIMITS.containers:
            raise Unreadable(*_broken("it has too many levels or values"), line=event.start_mark.line + 1)
        lines[pointer(*place)] = event.start_mark.line + 1
        if isinstance(event, yaml.ScalarEvent):
            is_json = event.style is None and _JSON.fullmatch(event.value)
            return json.loads(event.value) if is_json else event.value
        values: dict[Any, Any] = {}
        is_list = isinstance(event, yaml.SequenceStartEvent)
        while not isinstance(event := next(events), yaml.CollectionEndEvent):
            key = len(values) if is_list else getattr(event, "value", None)
            if key is None or key in values:
                raise Unreadable(*_broken("a key twice, or no text"), line=event.start_mark.line + 1)
            values[key] = value_of(event if is_list else next(events), *place, key)
        return list(values.values()) if is_list else values

    try:
        events: Iterator[Any] = yaml.parse(text, Loader=yaml.BaseLoader)
        documents = [value_of(event) for event in events if isinstance(event, yaml.NodeEvent)]
        return documents[0] if len(documents) == 1 else documents
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        why = getattr(error, "problem", getattr(error, "reason", ""))
        raise Unreadable(*_broken(why), line=mark and mark.line + 1) from None


def _broken(why: str) -> tuple[DocumentCode, Phrase, Phrase]:
    hint = phrase("Write each value once, where it belongs, without `&`, `*` and `!`; or write JSON.")
    return DocumentCode.SYNTAX, phrase("the YAML cannot be read: {why}", why=quote(why)), hint


def remark_on(error: Any) -> Remark:
    """Return the remark on an error of a schema whose descriptions say what to write."""
    if error.validator == "additionalProperties":
        hint = phrase("Check its spelling, or leave it out.")
        return Remark(DocumentCode.FIELD_TYPE, phrase("no field has this name"), hint)
    hint = phrase("{what}", what=error.schema["description"])
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


def _conflicts(rules: Mapping[str, Any]) -> Iterator[tuple[Steps, Phrase, Phrase]]:
    """Yield the place, the text and the fix of what the schema cannot refuse."""
    for part, name in (("extract", "pattern"), ("judge", "verdict")):
        try:
            compile_pattern(rules[part][name] if part in rules else "()")
        except ValueError as error:
            message = phrase("RE2 does not take the pattern: {fault}", fault=quote(str(error)))
            yield (part, name), message, phrase("Write one group, without lookaround and backreferences.")
        except Failure:
            pass  # The service, from which the command has the declaration, has checked it.
    parts = ("metrics", "breakdowns", "clusters")
    lists = {part: [each.get("key", each.get("kind")) for each in rules[part]] for part in parts}
    for part, others in (("answers", parts[:1]), ("references", parts[1:])):
        fields = {field_of(each) for other in others for each in rules[other] if "key" in each}
        lists[part] = [*(name for field, name in rules[part].items() if field != "format"), *fields]
    for part, names in lists.items():
        if len({*names}) < len(names):
            yield (part,), phrase("two have the same name"), phrase("Rename one of them.")


def field_of(part: Mapping[str, Any]) -> str:
    """Return the field that has the values of a breakdown, of clusters or of a mean."""
    return str(part.get("field", part["key"]))
