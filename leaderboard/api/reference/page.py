"""The OpenAPI document as rows of a page: everything that it says, for readers without JavaScript."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from leaderboard.api.schema.document import TAGS, openapi_document
from leaderboard.api.schema.forms import MULTIPART

Schema = Mapping[str, Any]

_REFERENCE = "#/components/schemas/"
_INLINE = MarkdownIt("zero").enable("backticks")
# A member of OpenAPI, and not the column of the reference answers.
_CONTENT = "content"
_JSON = ("application/json", "application/problem+json")
# The limits that a schema may set on a value, and how they are written.
_LIMITS = {
    "minimum": "from {}",
    "maximum": "up to {}",
    "minLength": "at least {} characters",
    "maxLength": "up to {} characters",
    "minItems": "at least {}",
    "maxItems": "at most {}",
    "default": "{} by default",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A parameter, a header, or a member of a shape. place: of a parameter: path, query or header."""

    name: str
    place: str
    type: SafeString
    is_required: bool
    description: SafeString


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseRow:
    """A response. examples: summary and text of each."""

    status: str
    description: SafeString
    type: SafeString
    media_type: str
    headers: Sequence[str]
    examples: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An operation.

    - description: "" where it would repeat the summary
    - security: who may send it, in words
    - command: an example of the request with curl
    """

    id: str
    method: str
    path: str
    summary: str
    description: SafeString
    security: str
    parameters: Sequence[Field]
    body: SafeString
    command: str
    responses: Sequence[ResponseRow]

    @property
    def successes(self) -> list[ResponseRow]:
        """The responses below 400."""
        return [response for response in self.responses if response.status < "400"]

    @property
    def refusals(self) -> list[ResponseRow]:
        """The others, which are problem documents."""
        return [response for response in self.responses if response.status >= "400"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A schema. values: of an enumeration, which has no fields."""

    name: str
    description: SafeString
    fields: Sequence[Field]
    values: Sequence[str]


@cache
def reference_html() -> SafeString:
    """Return the body of the page. It is the same for everyone for as long as the process lives."""
    document = openapi_document()
    operations = [
        (operation["tags"][0], _entry(document, path, method, operation))
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    context = {
        "introduction": _text(document["info"]["description"]),
        "groups": [
            (tag, description, [entry for name, entry in operations if name == tag])
            for tag, description in TAGS.items()
        ],
        "headers": [_field({"name": name, **header}) for name, header in _components(document, "headers")],
        "shapes": [_shape(name, schema) for name, schema in _components(document, "schemas")],
    }
    return render_to_string("api/partials/reference.html", context)


def _components(document: Schema, kind: str) -> Iterator[tuple[str, Schema]]:
    yield from document["components"][kind].items()


def _text(markdown: str) -> SafeString:
    # The parser escapes HTML, and knows code alone.
    html: str = _INLINE.renderInline(markdown)
    return mark_safe(html)  # noqa: S308  # nosec B308 B703


def _entry(document: Schema, path: str, method: str, operation: Schema) -> Entry:
    schemes = operation["security"]
    is_open = not schemes or {} in schemes
    security = "Anyone" if is_open else "With a token, or signed in"
    if is_open and schemes:
        security = "Anyone; a team sees more with a token"
    content = _parts(operation.get("requestBody", {}))
    note = operation.get("requestBody", {}).get("description", "")
    is_required = operation.get("requestBody", {}).get("required")
    return Entry(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        description=_text(
            "" if operation["description"] == f"{operation['summary']}." else operation["description"]
        ),
        security=security,
        parameters=[_field(each) for each in operation["parameters"]],
        body=_bodies(content, note=note, is_required=bool(is_required)),
        command=_command(document, path, operation, has_token=not is_open),
        responses=[_response(document, status, each) for status, each in operation["responses"].items()],
    )


def _parts(described: Schema) -> Mapping[str, Schema]:
    """Return what a body may be, by media type; nothing without a body."""
    parts: Mapping[str, Schema] = described.get(_CONTENT, {})
    return parts


def _bodies(content: Mapping[str, Schema], *, note: str, is_required: bool) -> SafeString:
    """Return the shapes that a body may have, each with its media types; "" without a body."""
    types: dict[SafeString, list[str]] = {}
    for media_type, part in content.items():
        types.setdefault(_type(part["schema"]), []).append(media_type)
    rows = ((kind, ", ".join(names)) for kind, names in types.items())
    shown = format_html_join("; or ", "{} ({})", rows)
    if not content:
        return shown
    return format_html("{}{}. {}", shown, "" if is_required else "; it can be left out", _text(note))


def _command(document: Schema, path: str, operation: Schema, *, has_token: bool) -> str:
    """Return the example of the request as a command for a shell."""
    address = path
    for parameter in operation["parameters"]:
        if parameter["in"] == "path":
            address = address.replace(f"{{{parameter['name']}}}", str(parameter["example"]))
    lines = ["curl --fail-with-body"]
    if has_token:
        lines.append('-H "Authorization: Bearer $WARDBOARD_TOKEN"')
    content = _parts(operation.get("requestBody", {}))
    if content:
        media_type = MULTIPART if "text/csv" in content else "application/json"
        ((_, value),) = _examples(document, content[media_type])
        lines += _fields(value) if media_type == MULTIPART else [f"--json '{json.dumps(value)}'"]
    elif operation["operationId"].startswith("cancel"):
        lines.append("-X POST")
    query = "&".join(_asked(operation))
    return " \\\n  ".join([*lines, f'"$WARDBOARD_URL{address}{"?" if query else ""}{query}"'])


def _asked(operation: Schema) -> Iterator[str]:
    """Yield the query parameters without which the request is refused."""
    for parameter in operation["parameters"]:
        if parameter.get("required") and parameter["in"] == "query":
            least = parameter["schema"].get("minItems", 1)
            yield from (f"{parameter['name']}={number + 1}" for number in range(least))


def _fields(value: Mapping[str, Any]) -> list[str]:
    words = {name: str(each).lower() if isinstance(each, bool) else each for name, each in value.items()}
    return [f'-F {name}="{each}"' for name, each in words.items() if name != "file"] + [
        "-F file=@results.json"
    ]


def _response(document: Schema, status: str, response: Schema) -> ResponseRow:
    media_type, part = next(iter(_parts(response).items()), ("", {}))
    return ResponseRow(
        status=status,
        # The phrase of a status, such as OK, has no full stop.
        description=_text(f"{response['description'].removesuffix('.')}."),
        type=_type(part["schema"]) if part else SafeString(""),
        media_type="" if media_type in _JSON else media_type,
        headers=[name for name in response["headers"] if name != "X-Request-ID"],
        examples=[(summary, _written(value)) for summary, value in _examples(document, part)],
    )


def _examples(document: Schema, part: Schema) -> list[tuple[str, Any]]:
    """Return the examples of a body, each with its summary."""
    shared, found = document["components"]["examples"], []
    for name, example in part.get("examples", {}).items():
        value = shared[name]["value"] if "$ref" in example else example["value"]
        found.append((example.get("summary", "Example"), value))
    return found


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def _shape(name: str, schema: Schema) -> Shape:
    required = schema.get("required", ())
    fields = [
        _field({"name": field, "schema": value, "required": field in required, **_described(value)})
        for field, value in schema.get("properties", {}).items()
    ]
    return Shape(
        name=name,
        description=_text(schema.get("description", "")),
        fields=fields,
        values=schema.get("enum", ()),
    )


def _described(schema: Schema) -> dict[str, str]:
    return {"description": schema["description"]} if "description" in schema else {}


def _field(described: Schema) -> Field:
    return Field(
        name=described["name"],
        place=described.get("in", ""),
        type=_type(described["schema"]),
        is_required=described.get("required", False),
        description=_text(described.get("description", "")),
    )


def _type(schema: Schema) -> SafeString:
    """Return the type of a value, with its limits and with links to the shapes."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_REFERENCE)
        return format_html('<a href="#{}">{}</a>', name, name)
    if "anyOf" in schema:
        return format_html_join(" or ", "{}", ((_type(each),) for each in schema["anyOf"]))
    if "enum" in schema:
        return format_html_join(", ", "<code>{}</code>", ((json.dumps(value),) for value in schema["enum"]))
    kind = schema.get("type", "any JSON")
    if kind == "array":
        base = format_html("list of {}", _type(schema["items"]))
    elif kind == "object" and schema.get("additionalProperties"):
        base = format_html("object, each value {}", _type(schema["additionalProperties"]))
    else:
        base = format_html("{}", schema.get("format", kind))
    limits = [words.format(schema[key]) for key, words in _LIMITS.items() if key in schema]
    return format_html("{}{}", base, "".join(f", {limit}" for limit in limits))
