"""Draw cards: the Open Graph pictures of a board and of a system, 1200 by 630 pixels.

A card is drawn as SVG and converted to PNG. Nothing is fetched: a card consists of text and shapes only.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

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
from leaderboard.services.pictures.axis import axis_of, ends_of
from leaderboard.services.rows.conditions import sender_words
from leaderboard.services.text import day_of, percent, percent_range, tasks_words
from leaderboard.services.text_fitting import shorten, wrap

_PLACES = 128
_LINE, _END = 44, 536  # pixels: of a row, and where the rows end


def card_of_board(*, board_at: BoardAt, finding: str) -> str:
    """Return the card of a board as SVG, with its first rows. finding: in the reader's language."""
    total, changed = board_at.census.systems, board_at.provenance.at
    count = ngettext("%(count)d system", "%(count)d systems", total) % {"count": total}
    foot = [
        _("as of %(date)s") % {"date": day_of(changed)} if changed else "",
        tasks_words(tasks_of(board_at)),
        _(visibility.ranked_metric(board_at.board).label),
        judge_name(board_at.compared_judge or ""),
    ]
    rows = first_rows(board_at, count=5)
    return card_svg(
        small=" · ".join((_("Leaderboard"), count if total else _("No system yet"))),
        title=_(board_at.board.title),
        text=finding,
        rows=rows,
        axis=axis_of([row.standing for row in rows]),
        foot=foot,
    )


def card_of_system(system: System) -> str:
    """Return the card of a system as SVG: its place on the first board that lists it."""
    listed = Standing.objects.filter(system=system).order_by("board__position", "board__slug")
    standing = listed.listed().first()
    models = ", ".join(system.model_names)
    facts = [models if models != system.name else "", sender_words(system, _) if system.organisation else ""]
    name, text = system.name, " · ".join(filter(None, facts))
    if standing is None:
        return card_svg(small=_("System"), title=name, text=text, foot=[_("not on a leaderboard now")])
    board = Board.objects.without_references().get(pk=standing.board_id)
    board_at = BoardAt(board)
    [row] = rows_of(board_at, [standing])
    foot = [
        _("published %(date)s") % {"date": day_of(standing.since)},
        tasks_words(tasks_of(board_at)),
        row.place.tie and _(row.place.tie),
    ]
    figures, axis = [], (0.0, 1.0)
    if standing.score is not None:
        label = _(visibility.ranked_metric(board).label)
        if standing.low is not None and standing.high is not None:
            label += _(", 95%% interval %(ends)s") % {"ends": percent_range(standing.low, standing.high)}
            # With some room around the interval, so that its width can be seen.
            axis = ends_of((max(0.0, standing.low - 0.05), min(1.0, standing.high + 0.05)), 10)
        figures.append((row.score_words, label))
    if row.rank is not None:
        of = size_of_other(row)
        label = _("Rank") if of is None else _("of %(n)s, another judge") % {"n": f"{of:,}"}
        figures.append((f"#{row.rank_words}", label))
    small = " · ".join(filter(None, (_(board.title), row.kind_words and _(row.kind_words))))
    return card_svg(small=small, title=name, text=text, figures=figures, rows=[row], axis=axis, foot=foot)


def card_svg(
    *,
    small: str,
    title: str,
    text: str,
    foot: Sequence[str],
    figures: Sequence[tuple[str, str]] = (),
    rows: Sequence[Row] = (),
    axis: tuple[float, float] = (0.0, 1.0),
) -> str:
    """Return a card as SVG, with its texts cut to their room.

    small: the line above the title
    figures: up to two figures, each with its label: of a card of one row, which is drawn below them
    axis: both ends of the axis on which the intervals of the rows are drawn
    foot: the parts of the last line
    """
    titles, lines = wrap(title, 30, 2), wrap(text, 62, 2) if text else []
    shown = rows[: (_END - 152 - 66 * len(titles) - 44 * len(lines)) // _LINE]
    texts = {
        "small": shorten(small, 50),
        "title": titles,
        "lines": lines,
        "figures": [(figure, wrap(label, 32, 2)) for figure, label in figures],
        "rows": [_row(row, axis) for row in shown],
        "start": _END - _LINE * len(shown),
        "step": _LINE,
        "axis": [percent(end, 0) for end in axis] if shown else [],
        "foot": shorten(" · ".join(filter(None, foot)), 78),
        "grey": any(row.is_reported for row in rows),
    }
    return render_to_string("pictures/card.svg", {"card": texts}, using="jinja2")


def _row(row: Row, axis: tuple[float, float]) -> dict[str, Any]:
    """Return the texts of a row. ends: of its interval, and its score between, as shares of the axis."""
    standing, (floor, top) = row.standing, axis
    name = _("%(name)s (as published)") % {"name": standing.name} if row.is_reported else standing.name
    ends = [end for end in (standing.low, standing.score, standing.high) if end is not None]
    shares = [min(1.0, max(0.0, (end - floor) / (top - floor))) for end in ends]
    texts = {"rank": row.rank_words, "name": shorten(name, 27), "score": row.score_words}
    return {**texts, "is_grey": row.is_reported, "ends": [shares] if len(shares) == 3 else []}


def card_png(svg: str) -> bytes:
    """Return the picture of a card, which is drawn once and then cached. Raises TooBusy."""
    name = hashlib.sha256(svg.encode()).hexdigest()[:32]
    return render_limit.picture(
        name=name, shelf="card", places=_PLACES, draw=lambda: render_limit.as_png(svg)
    )
