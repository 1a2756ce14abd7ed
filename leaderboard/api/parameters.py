"""Fields of queries and bodies: read with their forms, with a problem for each that is wrong."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.datastructures import MultiValueDict
from rest_framework.exceptions import ErrorDetail
from rest_framework.request import Request
from rest_framework.serializers import ChoiceField, ListField, Serializer

from leaderboard.services.boards.query import unknown_value
from wardboard.scoring.reading.problems import Problem, pointer, quote


def read_fields(
    form: type[Serializer[Any]] | None, fields: "MultiValueDict[str, Any]"
) -> tuple[dict[str, Any], list[Problem]]:
    """Return the values of the fields, and a problem for each that is unknown, repeated or not valid."""
    known = form().fields if form else {}
    repeatable = [name for name, field in known.items() if isinstance(field, ListField)]
    problems = name_problems(fields, [*known], repeatable)
    if form is None or problems:
        return {}, problems
    stated = {name: values if name in repeatable else values[-1] for name, values in fields.lists()}
    return read_values(form, stated)


def read_values(
    form: type[Serializer[Any]], stated: Mapping[str, Any]
) -> tuple[dict[str, Any], list[Problem]]:
    """Return the values that a form reads, by name, and a problem for each that is not valid."""
    read = form(data=stated)
    if read.is_valid():
        return read.validated_data, []
    problems = []
    for name, found in read.errors.items():
        # An error of an item of a list is one of the list.
        errors = next(iter(found.values())) if isinstance(found, dict) else found
        problems.append(_invalid(read, name, errors[0], stated.get(name)))
    return {}, problems


def _invalid(form: Serializer[Any], name: str, error: ErrorDetail, value: Any) -> Problem:
    field = form.fields[name]
    hint = str(field.help_text or f"Leave `{name}` out.")
    if isinstance(field, ChoiceField) and isinstance(value, str):
        return unknown_choice(name, value, [str(choice) for choice in field.choices], hint)
    code = "request.field-missing" if error.code == "required" else "request.value-invalid"
    return Problem(code=code, pointer=pointer(name), message=f"`{name}`: {error}", hint=hint)


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


def next_page(request: Request, page: int, pages: int) -> str | None:
    """Return the address of the page that follows; None after the last."""
    if page >= pages:
        return None
    query = request.query_params.copy()
    query["page"] = str(page + 1)
    return f"{request.path}?{query.urlencode()}"
