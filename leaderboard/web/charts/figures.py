"""The charts of a page, with an address for each scheme and width, and a text alternative.

A page only links to its charts. A chart is drawn on the first request for its figures.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from leaderboard.services.boards.query import Query
from leaderboard.services.charts import render
from leaderboard.services.charts.figures import Figure
from leaderboard.web.charts.descriptions import describe_chart

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


def picture_of(*, figure: Figure, query: Query) -> Picture | None:
    """Return the chart of a figure; None if it cannot be drawn."""
    if not render.is_drawn(figure):
        return None
    address = _addresses(figure, query)
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
        alternative=describe_chart(figure),
        form=figure.view.form,
    )


def _addresses(figure: Figure, query: Query) -> Callable[[str, str], str]:
    board = query.board_at.board
    path = reverse("web:chart", args=[board.slug, figure.view.name])
    params = query.as_query_string(columns=None, compare=()).removeprefix("?")
    digest = render.digest_of(figure)

    def address(scheme: str, width: str) -> str:
        own = urlencode({"scheme": scheme, "width": width, "v": digest})
        return f"{path}?{params}&{own}" if params else f"{path}?{own}"

    return address
