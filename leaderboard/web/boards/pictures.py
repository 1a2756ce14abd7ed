"""Pictures of a page: a chart at an address for each scheme and width, with a text alternative.

A page only links to its charts. A chart is drawn on the first request for its figures.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from leaderboard.services.boards.query import Query
from leaderboard.services.charts.form import Form, View
from leaderboard.services.charts.render import digest_of, is_drawn
from leaderboard.services.charts.views import read_view

_DARK = "(prefers-color-scheme: dark)"
# The screens too narrow for a chart of the next width, by the width of chart that they have room for.
_SCREENS = {"narrow": "(max-width: 46rem)", "medium": "(max-width: 72rem)"}
# On these screens the picture of a board is folded.
_SCREENS_OF_BOARD = {"narrow": "(max-width: 64rem)"}


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


def picture_of_board(query: Query) -> Picture | None:
    """Return the first systems of the whole board with their intervals; None if nothing is drawn."""
    every, view = query.cleared(), View(name="forest", form=Form.FOREST)

    def make() -> Picture | None:
        figure = read_view(view=view, query=every)
        if not is_drawn(figure):
            return None
        path = reverse("web:chart", args=[query.board.slug, view.name])
        params = {"as_of": every.as_of} if every.as_of else {}
        digest = digest_of(figure)

        def address(scheme: str, width: str) -> str:
            return f"{path}?{urlencode({**params, 'scheme': scheme, 'width': width, 'v': digest})}"

        return make_picture(
            address=address,
            alternative=_("The first systems of the leaderboard with their 95%% intervals.") % {},
            form=view.form,
            screens=_SCREENS_OF_BOARD,
            widest="small",
        )

    return query.board_at.remember(f"picture:{get_language()}", make)


def make_picture(
    *,
    address: Callable[[str, str], str],
    alternative: str,
    form: str,
    screens: Mapping[str, str] = _SCREENS,
    widest: str = "wide",
) -> Picture:
    """Return a picture.

    address: returns the address of the chart in a scheme and a width
    screens: width -> media query of the screens that have no room for the next; widest: of all others
    """
    return Picture(
        sources=(
            *(
                Source(media=media, address=address(scheme, width))
                for width, media_of_width in screens.items()
                for scheme, media in (("dark", f"{media_of_width} and {_DARK}"), ("light", media_of_width))
            ),
            Source(media=_DARK, address=address("dark", widest)),
        ),
        address=address("light", widest),
        alternative=alternative,
        form=form,
    )
