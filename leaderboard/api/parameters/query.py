"""Query parameters that several addresses share, and the refusal of unknown and of repeated ones."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.datastructures import MultiValueDict
from rest_framework.request import Request

from leaderboard.api.errors import ParameterInvalid
from leaderboard.api.schema.operation import Operation
from leaderboard.api.schema.parameters import LARGEST_PAGE, PAGE_SIZE
from leaderboard.services.boards.query import unknown_value
from wardboard.scoring.reading.codes import ProblemCode
from wardboard.scoring.reading.problems import Problem, pointer, quote

_WAIT = re.compile(r"\d{1,2}", re.ASCII)
_LONGEST_WAIT = 60
# More pages than there can be rows.
_PAGE = re.compile(r"[1-9]\d{0,11}", re.ASCII)
_PAGE_SIZE = re.compile(r"[1-9]\d{0,2}", re.ASCII)
_TRUE, _FALSE = ("true", "1"), ("", "false", "0")


def query_problems(request: Request, operation: Operation | None) -> list[Problem]:
    """Return a problem for each query parameter that the operation does not have, or has only once."""
    in_query = [row for row in (operation.parameters if operation else ()) if row["in"] == "query"]
    return name_problems(
        request.query_params,
        [row["name"] for row in in_query],
        [row["name"] for row in in_query if row["schema"].get("type") == "array"],
    )


def name_problems(
    fields: "MultiValueDict[str, Any]", known: Sequence[str], repeatable: Sequence[str] = ()
) -> list[Problem]:
    """Return a problem for each name that is not among `known`, or is repeated and not among `repeatable`."""
    problems = []
    for name, values in fields.lists():
        if name not in known:
            problems.append(unknown_parameter(name, known))
        elif len(values) > 1 and name not in repeatable:
            problems.append(repeated_parameter(name))
    return problems


def unknown_parameter(name: str, known: Sequence[str]) -> Problem:
    """Return the problem of a parameter that is not among `known`, with the nearest of these."""
    others = f"Those there are: {', '.join(known)}." if known else "There are none here."
    nearest = unknown_value("parameter", name, known).nearest
    return Problem(
        code="request.unknown-parameter",
        pointer=pointer(name),
        message=f"There is no parameter “{quote(name)}” here.",
        hint=f"Did you mean {nearest}? {others}" if nearest else others,
    )


def repeated_parameter(name: str) -> Problem:
    """Return the problem of a parameter with several values, of which only one could count."""
    return Problem(
        code="request.repeated-parameter",
        pointer=pointer(name),
        message=f"`{name}` is given more than once.",
        hint=f"Give `{name}` once.",
    )


def unknown_choice(name: str, value: str, known: Iterable[str], otherwise: str) -> Problem:
    """Return the problem of a value that is not among `known`, with the nearest of these.

    otherwise: what to do where none is near.
    """
    unknown = unknown_value(name, value, [*known])
    return Problem(
        code="request.value-unknown",
        pointer=pointer(name),
        message=f"{name}={unknown.value} is not known.",
        hint=f"Did you mean {name}={unknown.nearest}?" if unknown.nearest else otherwise,
    )


def invalid_value(name: str, message: str, hint: str) -> Problem:
    """Return the problem of a value that cannot be read."""
    return Problem(code="request.value-invalid", pointer=pointer(name), message=message, hint=hint)


def read_page(request: Request, problems: list[Problem]) -> int:
    """Return the requested page, from 1; add a problem if the parameter is not a page number."""
    text = request.query_params.get("page", "1")
    if _PAGE.fullmatch(text):
        return int(text)
    problems.append(
        invalid_value("page", f"“{quote(text)}” is not the number of a page.", "Pages count from 1.")
    )
    return 1


def read_page_size(request: Request, problems: list[Problem]) -> int:
    """Return how many of a list are wanted on a page, 1 to 200; add a problem if it is no such number."""
    text = request.query_params.get("per_page", str(PAGE_SIZE))
    if _PAGE_SIZE.fullmatch(text) and int(text) <= LARGEST_PAGE:
        return int(text)
    message = f"“{quote(text)}” is not a number from 1 to {LARGEST_PAGE}."
    problems.append(invalid_value("per_page", message, f"For instance per_page={LARGEST_PAGE}."))
    return PAGE_SIZE


def next_page(request: Request, page: int, pages: int) -> str | None:
    """Return the address of the page that follows; None after the last."""
    if page >= pages:
        return None
    query = request.query_params.copy()
    query["page"] = str(page + 1)
    return f"{request.path}?{query.urlencode()}"


def read_text(data: object, name: str, most: int) -> str:
    """Return a text among the fields of a body, "" where it is left out.

    most: characters. Raises ParameterInvalid.
    """
    # Not `get`, which takes an empty list for a field that is left out.
    value = data[name] if isinstance(data, Mapping) and name in data else ""
    if not isinstance(value, str):
        raise ParameterInvalid(invalid_value(name, f"`{name}` is not a text.", "Write it in quotes."))
    if len(value) > most:
        hint = f"Up to {most} characters; it has {len(value):,}."
        raise ParameterInvalid(invalid_value(name, f"`{name}` is too long.", hint))
    return value


def read_flag(data: object, name: str) -> bool | None:
    """Return a yes or no among the fields of a body, None where it is left out. Raises ParameterInvalid."""
    value = data[name] if isinstance(data, Mapping) and name in data else None
    if value is None or isinstance(value, bool):
        return value
    if value in (*_TRUE, *_FALSE):
        return value in _TRUE
    raise ParameterInvalid(
        invalid_value(name, f"`{name}` is neither true nor false.", "Write true or false.")
    )


def read_wait(text: str, problems: list[Problem]) -> int:
    """Return how many seconds to wait for a score, 0 to 60; add a problem if it is no such number."""
    if _WAIT.fullmatch(text or "0") and int(text or "0") <= _LONGEST_WAIT:
        return int(text or "0")
    message = f"“{quote(text)}” is not a number of seconds from 0 to {_LONGEST_WAIT}."
    problems.append(invalid_value("wait", message, f"For instance wait={_LONGEST_WAIT}."))
    return 0


def read_strict(text: str, problems: list[Problem]) -> frozenset[str] | None:
    """Return the codes of the warnings that are problems, empty for all; None where none is."""
    word = text.strip().lower()
    if word in _TRUE or word in _FALSE:
        return frozenset() if word in _TRUE else None
    # All benchmarks are loaded with the registry.
    known = [code.value for codes in ProblemCode.__subclasses__() for code in codes]
    chosen = [code.strip() for code in text.split(",") if code.strip()]
    hint = "true, false, or codes of warnings as docs/problems.md lists them, with commas."
    problems += [unknown_choice("strict", code, known, hint) for code in chosen if code not in known]
    return frozenset(chosen) or None
