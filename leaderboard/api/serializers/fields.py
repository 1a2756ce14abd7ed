"""The base of all shapes, and fields that take nothing for a value of another type."""

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import empty

from leaderboard.services.visibility import round_figure

_YES_NO = {"true": True, "1": True, "false": False, "0": False}


class Shape(serializers.Serializer[Any]):
    """A JSON object: a field has the value that `get_<field>` of the shape returns, or that at its source.

    A field whose value is `empty` is left out; it is declared with `required=False`.
    """

    @cached_property
    def _parts(self) -> list[tuple[str, Callable[[Any], Any], serializers.Field[Any, Any, Any, Any]]]:
        """Each field: its name, what returns its value, and itself; found once for all rows."""
        return [
            (name, getattr(self, f"get_{name}", None) or _reader_of(field), field)
            for name, field in self.fields.items()
        ]

    def to_representation(self, instance: Any) -> dict[str, Any]:
        shown = {}
        for name, value_of, field in self._parts:
            value = value_of(instance)
            if value is not empty:
                shown[name] = None if value is None else field.to_representation(value)
        return shown


def _reader_of(field: serializers.Field[Any, Any, Any, Any]) -> Callable[[Any], Any]:
    """Return what reads the value at the source of a field, which is null where a part of the way is.

    REST framework would take an error of ours on the way for a value that is not there.
    """

    def read(instance: Any) -> Any:
        for name in field.source_attrs:
            if isinstance(instance, dict):
                instance = instance[name] if field.required else instance.get(name, field.default)
            else:
                try:
                    instance = getattr(instance, name)
                except ObjectDoesNotExist:
                    return None
            if instance is None:
                return None
        return instance

    return read


def of_context(name: str) -> Callable[[Shape, Any], Any]:
    """Return the method of a field whose value is in the context; a field without one is left out."""
    return lambda shape, _: shape.context.get(name, empty)


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


class Figure(serializers.FloatField):
    """A mean, a rate or an end of an interval, to three decimals."""

    def to_representation(self, value: Any) -> Any:
        return round_figure(value)


class Moment(serializers.DateTimeField):
    """A time in whole seconds: from finer ones would follow how long grading took, and so verdicts."""

    def to_representation(self, value: Any) -> Any:
        return super().to_representation(value.replace(microsecond=0))


class Address(serializers.CharField):
    """The address in the API of a submission, or of something else, whose id the source is."""

    def __init__(self, of: str = "submission", **options: Any) -> None:
        super().__init__(**options)
        self.view = f"api:{of}"

    def to_representation(self, value: Any) -> str:
        return reverse(self.view, args=[value])


# A commit, or its beginning.
Commit = partial(serializers.RegexField, r"^[0-9A-Fa-f]{7,64}$")
Count = partial(serializers.IntegerField, min_value=0)
Positive = partial(serializers.IntegerField, min_value=1)


class Interval(serializers.ListField):
    """The two ends of an interval."""

    child = Figure()

    def __init__(self, **options: Any) -> None:
        super().__init__(min_length=2, max_length=2, allow_null=True, **options)


class Metrics(serializers.DictField):
    """Values by the key of a metric."""

    child = serializers.FloatField(allow_null=True)


class Counts(serializers.DictField):
    """Numbers of things by a key."""

    child = Count()


class PageShape(Shape):
    """A page of a list: shown from a dict."""

    count = Count(help_text="Of all pages.")
    page = Positive()
    pages = Count()
    next = serializers.CharField(
        allow_null=True, help_text="Address of the page that follows; null after the last."
    )
