"""The base of all shapes, and fields that take nothing for a value of another type."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import SkipField, empty

_YES_NO = {"true": True, "1": True, "false": False, "0": False}


class Shape(serializers.Serializer[Any]):
    """A JSON object: a field has the value that `get_<field>` of the shape returns, or that of its source.

    A field whose value is `empty` is left out; it is declared with `required=False`.
    """

    @cached_property
    def _parts(self) -> list[tuple[str, Any, Callable[[Any], Any]]]:
        """Each field with its name and what returns its value; found once for all rows of a list."""
        return [
            (name, field, getattr(self, f"get_{name}", field.get_attribute))
            for name, field in self.fields.items()
        ]

    def to_representation(self, instance: Any) -> dict[str, Any]:
        shown = {}
        for name, field, value_of in self._parts:
            try:
                value = value_of(instance)
            except SkipField:
                continue
            if value is not empty:
                shown[name] = None if value is None else field.to_representation(value)
        return shown


class Form(serializers.Serializer[Any]):
    """The fields of a request: of its query, or of its body."""


class Text(serializers.CharField):
    """A text, as it is sent. A number is none."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"allow_blank": True, "trim_whitespace": False, **options})

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


@extend_schema_field(OpenApiTypes.BINARY)
class Upload(serializers.FileField):
    """A file in a form."""


class Flag(serializers.BooleanField):
    """A yes or no: true or false, in JSON or as a text."""

    def to_internal_value(self, data: Any) -> bool:
        value = _YES_NO.get(data.strip().lower()) if isinstance(data, str) else data
        if not isinstance(value, bool):
            self.fail("invalid", input=data)
        return value


class Commit(serializers.RegexField):
    """A commit, or its beginning."""

    def __init__(self, **options: Any) -> None:
        super().__init__(r"^[0-9A-Fa-f]{7,64}$", **options)


class Interval(serializers.ListField):
    """The two ends of an interval."""

    def __init__(self, **options: Any) -> None:
        ends = {"min_length": 2, "max_length": 2, "allow_null": True}
        super().__init__(child=serializers.FloatField(), **{**ends, **options})


class Count(serializers.IntegerField):
    """A number of things: 0 or more."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"min_value": 0, **options})


class Positive(serializers.IntegerField):
    """A number from 1 on."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"min_value": 1, **options})


class Metrics(serializers.DictField):
    """Values by the key of a metric."""

    def __init__(self, **options: Any) -> None:
        super().__init__(child=serializers.FloatField(allow_null=True), **options)


class Counts(serializers.DictField):
    """Numbers of things by a key."""

    def __init__(self, **options: Any) -> None:
        super().__init__(child=Count(), **options)


class PageShape(Shape):
    """A page of a list: shown from a dict."""

    count = Count(help_text="Of all pages.")
    page = Positive()
    pages = Count()
    next = serializers.CharField(
        allow_null=True, help_text="Address of the page that follows; null after the last."
    )
