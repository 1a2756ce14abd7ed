"""The pictures of the charts of a board."""

from collections.abc import Callable
from urllib.parse import urlencode

from django.urls import reverse

from leaderboard.services.boards.query import Query
from leaderboard.services.charts import render
from leaderboard.services.charts.figures import Figure
from leaderboard.web.boards.pictures import Picture, make_picture
from leaderboard.web.charts.descriptions import describe_chart


def picture_of(*, figure: Figure, query: Query) -> Picture | None:
    """Return the chart of a figure; None if it cannot be drawn."""
    if not render.is_drawn(figure):
        return None
    return make_picture(
        address=_addresses(figure, query), alternative=describe_chart(figure), form=figure.view.form
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
