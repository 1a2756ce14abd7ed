"""Pictures of a page: a chart at an address for each scheme and width, with a text alternative.

A page only links to its charts. A chart is drawn on the first request for its figures.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

_DARK = "(prefers-color-scheme: dark)"
# The screens too narrow for a chart of the next width, by the width of chart that they have room for.
_SCREENS = {"narrow": "(max-width: 46rem)", "medium": "(max-width: 72rem)"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """An address of a picture, and the media query of the screens that it is for."""

    media: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A chart for web/charts/partials/figure.html.

    sources: the browser takes the first whose media query fits, else `address`
    form: the kind of chart, of `Form`
    """

    sources: Sequence[Source]
    address: str
    alternative: str
    form: str


def make_picture(*, address: Callable[[str, str], str], alternative: str, form: str) -> Picture:
    """Return a picture. address: returns the address of the chart in a scheme and a width."""
    return Picture(
        sources=(
            *(
                Source(media=media, address=address(scheme, width))
                for width, screens in _SCREENS.items()
                for scheme, media in (("dark", f"{screens} and {_DARK}"), ("light", screens))
            ),
            Source(media=_DARK, address=address("dark", "wide")),
        ),
        address=address("light", "wide"),
        alternative=alternative,
        form=form,
    )
