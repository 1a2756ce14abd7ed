"""Charts as a page shows them: an address for each colour scheme and screen, and what they say in words.

A page only points to its charts. They are drawn when they are asked for, and not again for the same figures.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query
from leaderboard.services.charts import render, views
from leaderboard.services.charts.figures import Figure
from leaderboard.web.charts.descriptions import told

_NARROW, _DARK = "(max-width: 48rem)", "(prefers-color-scheme: dark)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """An address of a picture, and the media query of those that it is for."""

    media: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A chart for web/charts/partials/figure.html. sources: the first that fits is shown, else `address`.
    table: where its figures stand, "" where that is the same page. form: what it is drawn as."""

    sources: Sequence[Source]
    address: str
    alternative: str
    form: str
    table: str = ""


def picture_of(*, shown: Figure, query: Query) -> Picture | None:
    """Return the chart of a view; None where there is none to draw."""
    if not render.is_drawn(shown):
        return None
    address = _addresses(shown, query)
    return Picture(
        sources=(
            Source(media=f"{_NARROW} and {_DARK}", address=address("dark", "narrow")),
            Source(media=_NARROW, address=address("light", "narrow")),
            Source(media=_DARK, address=address("dark", "wide")),
        ),
        address=address("light", "wide"),
        alternative=told(shown),
        form=shown.view.form,
    )


def small_progress(board: BoardAt) -> Picture | None:
    """Return the small chart of the best score of a board over time; None where it has less than two records.

    Its figures are kept until the board changes: `benchmark.state` is all that is asked for then.
    """
    view = next(view for view in views.available(board.benchmark) if view.name == "progress")
    query = Query(board=board)
    shown = views.read_view(view=view, query=query)
    if not render.is_drawn(shown):
        return None
    address = _addresses(shown, query)
    return Picture(
        sources=(Source(media=_DARK, address=address("dark", "small")),),
        address=address("light", "small"),
        alternative=told(shown),
        form=view.form,
        table=reverse("web:view", args=[board.benchmark.slug, view.name]),
    )


def _addresses(shown: Figure, query: Query) -> Callable[[str, str], str]:
    benchmark = query.board.benchmark
    path = reverse("web:chart", args=[benchmark.slug, shown.view.name])
    asked = query.as_query_string(columns=None, compare=()).removeprefix("?")
    digest = render.digest_of(shown)

    def address(scheme: str, width: str) -> str:
        own = urlencode({"scheme": scheme, "width": width, "v": digest})
        return f"{path}?{asked}&{own}" if asked else f"{path}?{own}"

    return address
