"""Draw cards: the Open Graph pictures of a board and of a system, 1200 by 630 pixels.

A card is drawn as SVG and converted to PNG. Nothing is fetched: a card consists of text and shapes only.
"""

import hashlib
from collections.abc import Sequence

from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.models import Board, Standing, System
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.read_rows import first_rows, rows_of, tasks_of
from leaderboard.services.boards.row import Row
from leaderboard.services.boards.sections import size_of_other
from leaderboard.services.judging.names import judge_name
from leaderboard.services.pictures import render_limit
from leaderboard.services.rows.conditions import sender_words
from leaderboard.services.text import percent_range, tasks_words
from leaderboard.services.text_fitting import shorten, wrap

_PLACES = 128
_Figures = Sequence[tuple[str, str]]


def card_of_board(*, board_at: BoardAt, finding: str) -> str:
    """Return the card of a board as SVG, with its first three rows. finding: in the reader's language."""
    rows = first_rows(board_at, count=3)
    total = board_at.census.systems
    count = ngettext("%(count)d system", "%(count)d systems", total) % {"count": total}
    names = [tasks_words(tasks_of(board_at)), _(visibility.ranked_metric(board_at.board).label)]
    names.append(judge_name(board_at.compared_judge or ""))
    return card_svg(
        small=_("Leaderboard"),
        title=_(board_at.board.title),
        text=finding,
        figures=[(row.score_words, f"{row.rank_words}  {_name(row)}".lstrip()) for row in rows],
        foot=" · ".join(filter(None, [count if total else _("No system yet"), *names])),
        grey=any(row.is_reported for row in rows),
    )


def _name(row: Row) -> str:
    reported = _("%(name)s (as published)") % {"name": row.standing.name}
    return reported if row.is_reported else row.standing.name


def card_of_system(system: System) -> str:
    """Return the card of a system as SVG: its place on the first board that lists it."""
    rows = Standing.objects.filter(system=system).order_by("board__position", "board__slug")
    standing = rows.listed().first()
    small, foot = _("System"), _("not on a leaderboard now")
    figures: list[tuple[str, str]] = []
    if standing is not None:
        board = Board.objects.without_references().get(pk=standing.board_id)
        board_at, day = BoardAt(board), standing.since.date().isoformat()
        [row] = rows_of(board_at, [standing])
        tasks = tasks_words(tasks_of(board_at))
        kind, tie = row.kind_words and _(row.kind_words), row.place.tie and _(row.place.tie)
        small, foot = _(board.title), " · ".join(filter(None, (day, tasks, kind, tie)))
        if standing.score is not None:
            label = _(visibility.ranked_metric(board).label)
            if standing.low is not None:
                label += f", 95% {percent_range(standing.low, standing.high)}"
            figures.append((row.score_words, label))
        if row.rank is not None:
            of = size_of_other(row)
            label = _("Rank") if of is None else _("of %(n)s, another judge") % {"n": f"{of:,}"}
            figures.append((f"#{row.rank_words}", label))
        if row.place.is_known and row.rank == row.rank_to:
            figures.append((row.place.span, _("95% interval of the rank")))
    models = ", ".join(system.model_names)
    facts = [models if models != system.name else "", sender_words(system, _) if system.organisation else ""]
    text = " · ".join(filter(None, facts))
    grey = standing is not None and standing.is_reported
    return card_svg(small=small, title=system.name, text=text, figures=figures, foot=foot, grey=grey)


def card_svg(*, small: str, title: str, text: str, figures: _Figures, foot: str, grey: bool = False) -> str:
    """Return a card as SVG, with its texts cut to their room.

    small: the line above the title
    figures: up to three figures, each with its label
    foot: the last line. grey: whether the score is grey, since it was not computed here
    """
    texts = {
        "small": shorten(small, 50),
        "title": wrap(title, 30, 2),
        "lines": wrap(text, 62, 3) if text else [],
        "figures": [(figure, wrap(label, 23, 2)) for figure, label in figures],
        "foot": shorten(foot, 75),
        "grey": grey,
    }
    return render_to_string("pictures/card.svg", {"card": texts}, using="jinja2")


def card_png(svg: str) -> bytes:
    """Return the picture of a card, which is drawn once and then cached. Raises TooBusy."""
    name = hashlib.sha256(svg.encode()).hexdigest()[:32]
    return render_limit.picture(
        name=name, shelf="card", places=_PLACES, draw=lambda: render_limit.as_png(svg)
    )
