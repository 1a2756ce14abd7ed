"""Draw cards: the Open Graph pictures of a board and of a system, 1200 by 630 pixels.

A card is drawn as SVG and converted to PNG. Nothing is fetched: a card consists of text and shapes only.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

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
from leaderboard.services.pictures.axis import axis_of
from leaderboard.services.pictures.text_width import cut, width_of, wrap_lines
from leaderboard.services.text import percent

WIDTH, HEIGHT = 1200, 630
_DRAWN_AS = 6  # raised when the drawing changes
_PLACES = 128
_SIDE = 64
_ROOM = WIDTH - 2 * _SIDE
_BOLD = 0.86 * _ROOM  # less, as bold letters are wider than `text_width` expects
_INK, _INK_2, _TEAL, _AMBER = "#1d2429", "#566169", "#0b6e69", "#8a5200"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRow:
    """A row on a card.

    span: the 95% interval of its rank as text; "" if it is not known
    score: in words
    rate, low, high: in 0..1
    is_reported: whether the score was only reported, not rescored here
    """

    rank: str
    span: str
    name: str
    score: str
    rate: float | None
    low: float | None
    high: float | None
    is_reported: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CardContent:
    """The content of a card.

    small: the line above the title
    text: the paragraph below the title
    finding: the main result, below the text
    lines: the rows of a board's card
    axis: both ends, in 0..1, of the axis of their intervals
    figures: the figures of a system's card, each with its label
    foot: the last line
    """

    small: str
    title: str
    text: str
    foot: str
    finding: str = ""
    lines: Sequence[CardRow] = ()
    axis: tuple[float, float] = (0.0, 1.0)
    figures: Sequence[tuple[str, str]] = ()


def card_of_board(*, board_at: BoardAt, title: str, question: str, finding: str) -> CardContent:
    """Return the card of a board, with its first three rows.

    title, question, finding: in the reader's language
    """
    first = read_board(Query(board_at=board_at).with_filters(judge=board_at.compared_judge or ""), size=6)
    ranked = [row for row in first.rows if row.rank is not None][:3]
    metric = visibility.ranked_metric(board_at.board)
    total = board_at.census.systems
    systems = _("No system yet")
    if total:
        systems = ngettext("%(count)d system", "%(count)d systems", total) % {"count": total}
    return CardContent(
        small=_("Leaderboard"),
        title=title,
        text=question,
        finding=finding,
        lines=[card_row(row) for row in ranked],
        axis=axis_of([row.standing for row in ranked]),
        foot=f"{systems} · {_(metric.label)}",
    )


def first_row_of(*, system_id: int) -> Row | None:
    """Return the row of a system on the first board that lists it; None if no board does."""
    rows = Standing.objects.filter(system=system_id).order_by("board__position", "board__slug")
    standing = rows.listed().first()
    if standing is None:
        return None
    board = Board.objects.without_references().get(pk=standing.board_id)
    return rows_of(BoardAt(board), [standing])[0]


def card_of_system(*, system: System, row: Row | None, title: str) -> CardContent:
    """Return the card of a system.

    row: as `first_row_of` returns it
    title: of the board of that row, in the reader's language
    """
    models = ", ".join(system.model_names)
    facts = [models if models != system.name else "", system.organisation]
    return CardContent(
        small=title or _("System"),
        title=system.name,
        text=" · ".join(filter(None, facts)),
        figures=_figures_of(row) if row is not None and row.standing.score is not None else (),
        foot=_foot_of(row),
    )


def _figures_of(row: Row) -> list[tuple[str, str]]:
    line, label = card_row(row), _(visibility.ranked_metric(row.board).label)
    figures = [(line.rank, _("Rank"))] if row.rank is not None else []
    if (of := size_of_other(row)) is not None:
        figures = [(f"#{row.rank_words}", _("of %(n)s, another judge") % {"n": f"{of:,}"})]
    if line.span:
        figures.append((line.span, _("95% interval of the rank")))
    return [*figures, (row.score_words, label)]


def _foot_of(row: Row | None) -> str:
    if row is None:
        return _("not on a leaderboard now")
    kinds: dict[str, str] = {Kind.REPORTED: _("as published"), Kind.BASELINE: _("baseline")}
    kind = kinds.get(row.standing.kind)
    date = row.standing.since.date().isoformat()
    return f"{date} · {kind}" if kind else date


def card_row(row: Row) -> CardRow:
    """Return a row that has a score as a card shows it."""
    standing = row.standing
    return CardRow(
        rank=row.rank_words or "–",
        span=row.place.span,
        name=standing.name,
        score=row.score_words,
        rate=visibility.round_figure(standing.score),
        low=visibility.round_figure(standing.low),
        high=visibility.round_figure(standing.high),
        is_reported=row.is_reported,
    )


def digest_of(card: CardContent) -> str:
    """Return a digest of the card's content, by which its picture is cached."""
    return hashlib.sha256(f"{_DRAWN_AS} {card!r}".encode()).hexdigest()[:32]


def card_png(card: CardContent) -> bytes:
    """Return the picture, which is drawn once and then cached. Raises TooBusy."""
    return render_limit.picture(
        name=digest_of(card), shelf="card", places=_PLACES, draw=lambda: render_limit.as_png(card_svg(card))
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CardText:
    """A line of text on a card.

    x, y: its start in pixels, or its end if `anchor` is `end`
    size: of the font, in pixels
    """

    words: str
    x: float
    y: float
    size: int
    fill: str
    weight: int | None = None
    anchor: str = ""


def card_svg(card: CardContent) -> str:
    y, texts = _head(card)
    top = max(y + 20, HEIGHT - 110 - 84 * len(card.lines))
    tops = [top + 84 * place for place in range(len(card.lines))]
    for line, line_top in zip(card.lines, tops, strict=True):
        texts += _line_texts(line, line_top)
    if card.lines:
        texts += _axis_texts(card.axis, top + 84 * len(card.lines) + 12)
    texts += _figure_texts(card.figures)
    texts.append(CardText(words=cut(card.foot, 26, _ROOM), x=_SIDE, y=HEIGHT - 40, size=26, fill=_INK_2))
    context = {
        "width": WIDTH,
        "height": HEIGHT,
        "side": _SIDE,
        "room": _ROOM,
        "bar": {"x": _BAR_X, "width": _BAR},
        "rows": [_row(line, card.axis, y) for line, y in zip(card.lines, tops, strict=True)],
        "has_figures": bool(card.figures),
        "texts": texts,
    }
    return render_to_string("pictures/card.svg", context, using="jinja2")


def _head(card: CardContent) -> tuple[float, list[CardText]]:
    """Return the texts above the rows, preceded by the pixel at which they end."""
    texts = [
        CardText(words=cut(card.small, 28, 800), x=_SIDE, y=84, size=28, fill=_TEAL, weight=600),
        CardText(words="Wardboard", x=WIDTH - _SIDE, y=84, size=28, fill=_INK_2, anchor="end"),
    ]
    y, is_full = 84, len(card.lines) > 2
    size = 64 if width_of(card.title, 64) <= _BOLD or not is_full else 46
    for words in _in_words(card.title, size, 2, _BOLD):
        y += round(size * 1.2)
        texts.append(CardText(words=words, x=_SIDE, y=y, size=size, fill=_INK, weight=700))
    y += 12
    # Three rows leave room for three lines of text, or two below a long title; the finding takes precedence.
    most = 3 if size == 64 or not is_full else 2
    finding = _in_words(card.finding, 28, most, _BOLD)
    room = most - max(1, len(finding))
    for words in _in_words(card.text, 26, room) if room else ():
        y += 35
        texts.append(CardText(words=words, x=_SIDE, y=y, size=26, fill=_INK_2))
    y += 6 if finding else 0
    for words in finding:
        y += 38
        texts.append(CardText(words=words, x=_SIDE, y=y, size=28, fill=_INK, weight=600))
    return y, texts


_ENDS = re.compile(r"(?<=[.?!])\s+|(?<=[。？！])")


def _in_words(text: str, size: int, most: int, room: float = _ROOM) -> list[str]:
    """Return `text` in at most `most` lines.

    A longer text is cut after the last sentence that fits, or else after a word, with an ellipsis.
    """
    for end in (len(text), *reversed([match.start() for match in _ENDS.finditer(text)])):
        rows = wrap_lines(text[:end], size, room, most + 1)
        if len(rows) <= most:
            return rows
    rows = rows[:most]
    while width_of(f"{rows[-1]}…", size) > room and " " in rows[-1]:
        rows[-1] = rows[-1].rpartition(" ")[0]
    return [*rows[:-1], cut(f"{rows[-1].rstrip(' ,;:，；：、')}…", size, room)]


_BAR_X, _BAR = 710, 210
_BEFORE = 84  # pixels for the rank, at the start of a row


def _axis_texts(axis: tuple[float, float], y: float) -> list[CardText]:
    low, high = (percent(end, 0) for end in axis)
    return [
        CardText(words=low, x=_BAR_X, y=y, size=20, fill=_INK_2),
        CardText(words=high, x=_BAR_X + _BAR, y=y, size=20, fill=_INK_2, anchor="end"),
    ]


def _line_texts(line: CardRow, top: float) -> list[CardText]:
    middle, rank_size = top + 38, 36 if width_of(line.rank, 36) <= _BEFORE - 24 else 26
    beside = _SIDE + max(_BEFORE, 28 + width_of(line.rank, rank_size))
    below = [(_("as published"), _AMBER)] if line.is_reported else []
    if line.span:
        below.append((_("rank %(ranks)s (95%%)") % {"ranks": line.span}, _INK_2))
    name = cut(line.name, 27, _BAR_X - beside - 24)
    texts = [
        CardText(words=line.rank, x=_SIDE + 24, y=middle + 12, size=rank_size, fill=_INK, weight=700),
        CardText(words=name, x=beside, y=middle + (-2 if below else 10), size=27, fill=_INK),
    ]
    for words, colour in below:
        texts.append(CardText(words=words, x=beside, y=middle + 27, size=21, fill=colour))
        beside += width_of(words, 21) + 16
    x, room = WIDTH - _SIDE - 20, WIDTH - _SIDE - 40 - _BAR_X - _BAR
    size = 34 if width_of(line.score, 34) <= room else 26
    texts.append(
        CardText(words=line.score, x=x, y=middle + 12, size=size, fill=_INK, weight=700, anchor="end")
    )
    return texts


def _row(line: CardRow, axis: tuple[float, float], top: float) -> dict[str, Any]:
    """Return the pixels of a row: its panel, and its interval and mark if on the axis."""
    floor, ceiling = axis

    def place(rate: float) -> float:
        return _BAR_X + _BAR * (min(max(rate, floor), ceiling) - floor) / (ceiling - floor)

    span = None
    if line.low is not None and line.high is not None and line.low <= ceiling and line.high >= floor:
        start, length = place(line.low), max(4.0, place(line.high) - place(line.low))
        span = {"x": f"{start:.1f}", "width": f"{length:.1f}"}
    mark = f"{place(line.rate) - 2:.1f}" if line.rate is not None and floor <= line.rate <= ceiling else ""
    return {"y": top, "middle": top + 38, "span": span, "mark": mark}


def _figure_texts(figures: Sequence[tuple[str, str]]) -> Iterator[CardText]:
    """Yield the figures side by side, each above its label."""
    step = _ROOM / max(len(figures), 3)
    # The figures share a size, in which the widest of them fits: a range of scores is never cut.
    widest = max((width_of(figure, 68) for figure, _label in figures), default=0.0)
    size = 68 if widest <= step - 20 else int(68 * (step - 20) / widest)
    for place, (figure, label) in enumerate(figures):
        x = _SIDE + step * place
        large, small = cut(figure, size, step - 20), cut(label, 26, step - 20)
        yield CardText(words=large, x=x, y=HEIGHT - 170, size=size, fill=_TEAL, weight=700)
        yield CardText(words=small, x=x, y=HEIGHT - 122, size=26, fill=_INK_2)
