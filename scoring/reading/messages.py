"""English texts that remember their parts, so that a page can translate them.

Nothing is translated here. The catalogue finds the texts to translate by the keywords `phrase` and
`phrase_n`, so they are written out where these are called, never built.
"""

from collections.abc import Mapping
from typing import Any, Self

Value = str | int  # a value that is a Phrase is translated too, any other is left as it is


class Phrase(str):
    """An English text with the parts that it was made from.

    - template: with placeholders of str.format, `{name}`, or `{name:,}` for thousands with commas; without
      values it is the text itself, braces and all
    - values: placeholder -> value
    - plural: the template to use unless the value `n` is 1; "" for a text that counts nothing
    """

    __slots__ = ("plural", "template", "values")
    template: str
    values: Mapping[str, Value]
    plural: str

    def __new__(cls, template: str, values: Mapping[str, Value], plural: str = "") -> Self:
        used = plural if plural and values["n"] != 1 else template
        text = super().__new__(cls, used.format_map(values) if values else used)
        text.template, text.values, text.plural = template, values, plural
        return text

    def __getnewargs__(self) -> tuple[str, Mapping[str, Value], str]:  # type: ignore[override]
        # Python makes a copy of a phrase with these.
        return self.template, self.values, self.plural

    def parts(self) -> list[Any]:
        """Return its parts as JSON: template, values and, if it has one, plural."""
        values = {name: v.parts() if isinstance(v, Phrase) else v for name, v in self.values.items()}
        return [self.template, values, self.plural] if self.plural else [self.template, values]


def phrase(template: str, /, **values: Value) -> Phrase:
    """Return `template` with `values` in it. Pass a literal: the catalogue finds no other."""
    return Phrase(template, values)


def phrase_n(singular: str, plural: str, n: int, /, **values: Value) -> Phrase:
    """Return the one of two literals that fits the number `n`, with `values` and `n` in it."""
    return Phrase(singular, {"n": n, **values}, plural)


def phrase_from_parts(parts: Any) -> Phrase:
    """Return the phrase with these `parts()`. Raises LookupError, TypeError or ValueError for others."""
    template, values, *plural = parts
    whole = {name: phrase_from_parts(v) if isinstance(v, list) else v for name, v in values.items()}
    return Phrase(template, whole, *plural)
