"""English texts that remember how they were put together, so that a page can say them in another language.

Nothing is translated here. `say` and `say_n` are the keywords by which the catalogue finds what there is
to translate, so their texts are written out where they are called, never built.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, Self

Value = str | int  # a text that is a Said is said in the language of the page, any other stays as it is


class Said(str):
    """A text: `template` with its `values` filled in.

    template: with placeholders of str.format, `{name}` or, for thousands with commas, `{name:,}`; without
    values it is the text itself, braces and all. plural: the template where `n` of the values is not 1, ""
    for one that counts nothing.
    """

    __slots__ = ("plural", "template", "values")
    template: str
    values: Mapping[str, Value]
    plural: str

    def __new__(cls, template: str, values: Mapping[str, Value], plural: str = "") -> Self:
        shown = plural if plural and values["n"] != 1 else template
        said = super().__new__(cls, shown.format_map(values) if values else shown)
        said.template, said.values, said.plural = template, values, plural
        return said

    def __getnewargs__(self) -> tuple[str, Mapping[str, Value], str]:  # type: ignore[override]
        # How a copy is made.
        return self.template, self.values, self.plural

    def parts(self) -> list[Any]:
        """Return what it is put together from, as JSON can hold it: template, values, plural if there is."""
        values = {name: v.parts() if isinstance(v, Said) else v for name, v in self.values.items()}
        return [self.template, values, self.plural] if self.plural else [self.template, values]


def say(template: str, /, **values: Value) -> Said:
    """Return `template` with `values` in it. It is a literal, as the catalogue finds no other."""
    return Said(template, values)


def say_n(singular: str, plural: str, n: int, /, **values: Value) -> Said:
    """Return the one of two literals that is right for `n`, with `values` and `n` in it."""
    return Said(singular, {"n": n, **values}, plural)


def say_list(parts: Sequence[Said], *, more: bool = False) -> Said:
    """Return `parts`, at least one, as a list. more: say that there are others."""
    said = reduce(_and_then, parts)
    return say("{listed}, …", listed=said) if more else said


def _and_then(first: Said, rest: Said) -> Said:
    return say("{first}, {rest}", first=first, rest=rest)


def said_again(parts: Any) -> Said:
    """Return the text that has these `parts()`. Raises LookupError, TypeError, ValueError for others."""
    template, values, *plural = parts
    whole = {name: said_again(v) if isinstance(v, list) else v for name, v in values.items()}
    return Said(template, whole, *plural)
