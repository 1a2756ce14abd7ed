"""Draw cards: the Open Graph pictures of a board and of a system, 1200 by 630 pixels.

A card is drawn as SVG and converted to PNG. Nothing is fetched: a card consists of text and shapes only.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.models import Board, Kind, Standing, System
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.page import read_board
from leaderboard.services.boards.query import Query
from leaderboard.services.boards.read_rows import rows_of
from leaderboard.services.boards.row import Row
from leaderboard.services.boards.sections import size_of_other
from leaderboard.services.pictures import render_limit
from leaderboard.services.text_fitting import shorten, wrap

_PLACES = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The texts of a card.

    small: the line above the title
    lines: the lines below the title
    figures: up to three figures, each with the lines of its label
    foot: the last line
    """

    small: str
    title: Sequence[str]
    lines: Sequence[str]
    figures: Sequence[tuple[str, Sequence[str]]]
    foot: str


def card_of_board(*, board_at: BoardAt, title: str, finding: str) -> Card:
    """Return the card of a board, with its first three rows.

    title, finding: in the reader's language
    """
    first = read_board(Query(board_at=board_at).with_filters(judge=board_at.compared_judge or ""), size=6)
    rows = [row for row in first.rows if row.rank is not None][:3]
    total = board_at.census.systems
    count = ngettext("%(count)d system", "%(count)d systems", total) % {"count": total}
    metric = _(visibility.ranked_metric(board_at.board).label)
    return _card(
        small=_("Leaderboard"),
        title=title,
        text=finding,
        figures=[(row.score_words, f"{row.rank_words}  {_name(row)}") for row in rows],
        foot=f"{count if total else _('No system yet')} · {metric}",
    )


def _name(row: Row) -> str:
    reported = _("%(name)s (as published)") % {"name": row.standing.name}
    return reported if row.is_reported else row.standing.name


def first_row_of(*, system_id: int) -> Row | None:
    """Return the row of a system on the first board that lists it; None if no board does."""
    rows = Standing.objects.filter(system=system_id).order_by("board__position", "board__slug")
    standing = rows.listed().first()
    if standing is None:
        return None
    board = Board.objects.without_references().get(pk=standing.board_id)
    return rows_of(BoardAt(board), [standing])[0]


def card_of_system(*, system: System, row: Row | None, title: str) -> Card:
    """Return the card of a system.

    row: as `first_row_of` returns it
    title: of the board of that row, in the reader's language
    """
    models = ", ".join(system.model_names)
    facts = [models if models != system.name else "", system.organisation]
    foot, figures = _("not on a leaderboard now"), []
    if row is not None:
        kinds: dict[str, str] = {Kind.REPORTED: _("as published"), Kind.BASELINE: _("baseline")}
        day = row.standing.since.date().isoformat()
        foot = " · ".join(filter(None, (day, kinds.get(row.standing.kind, ""))))
    if row is not None and row.standing.score is not None:
        of = size_of_other(row)
        label = _("Rank") if of is None else _("of %(n)s, another judge") % {"n": f"{of:,}"}
        figures = [
            (row.score_words, _(visibility.ranked_metric(row.board).label)),
            *([(f"#{row.rank_words}", label)] if row.rank is not None else []),
            *([(row.place.span, _("95% interval of the rank"))] if row.place.span else []),
        ]
    return _card(
        small=title or _("System"),
        title=system.name,
        text=" · ".join(filter(None, facts)),
        figures=figures,
        foot=foot,
    )


def _card(*, small: str, title: str, text: str, figures: Sequence[tuple[str, str]], foot: str) -> Card:
    """Return a card of texts that are cut to their room."""
    return Card(
        small=shorten(small, 50),
        title=wrap(title, 30, 2),
        lines=wrap(text, 62, 3) if text else [],
        figures=[(figure, wrap(label, 23, 2)) for figure, label in figures],
        foot=shorten(foot, 75),
    )


def card_svg(card: Card) -> str:
    return render_to_string("pictures/card.svg", {"card": card}, using="jinja2")


def card_png(card: Card) -> bytes:
    """Return the picture, which is drawn once and then cached. Raises TooBusy."""
    svg = card_svg(card)
    name = hashlib.sha256(svg.encode()).hexdigest()[:32]
    return render_limit.picture(
        name=name, shelf="card", places=_PLACES, draw=lambda: render_limit.as_png(svg)
    )
