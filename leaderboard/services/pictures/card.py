"""Pictures of a board and of a system for whoever shares an address: Open Graph's, 1200 by 630 pixels.

Drawn as SVG and made PNG here. Nothing is fetched: the picture has words and shapes alone.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.models import Kind, Standing, System
from leaderboard.services import visibility
from leaderboard.services.boards import summary
from leaderboard.services.boards.board import read_board, rows_of
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.judges import size_of_other
from leaderboard.services.boards.query import Query
from leaderboard.services.boards.row import Row
from leaderboard.services.pictures import render_limit
from leaderboard.services.pictures.axis import axis_of
from leaderboard.services.pictures.text_width import cut, is_wide, text_element, width_of, wrapped
from leaderboard.services.text import percent

WIDTH, HEIGHT = 1200, 630
_DRAWN_AS = 4  # raised when the drawing changes
_PLACES = 128
_SIDE = 64
_ROOM = WIDTH - 2 * _SIDE
_BOLD = 0.86 * _ROOM  # of letters that are wider than `letters` takes them for
_GROUND, _SHEET, _INK, _INK_2 = "#fbfaf7", "#ffffff", "#1d2429", "#566169"
_RULE, _TEAL, _WASH, _AMBER = "#e2e0d8", "#0b6e69", "#b9dbd6", "#8a5200"
_FONT = "Inter, Noto Sans, DejaVu Sans, Liberation Sans, sans-serif"
_FONT_EAST = "Noto Sans TC, Noto Sans CJK TC"
_UNREAD = ("search", "models_text", "evaluation__verdicts", "evaluation__details")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A row as a card shows it. span: the interval of its rank, in words, "" where nobody can say.
    rate, low, high: 0..1. is_reported: not rescored here."""

    rank: str
    span: str
    name: str
    rate: float
    low: float | None
    high: float | None
    is_reported: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What a card says. small: above the title. finding: what the data say, below the text. lines: rows,
    whose intervals are drawn between the ends `axis`, or figures: figure and what it is. foot: below
    everything."""

    small: str
    title: str
    text: str
    foot: str
    finding: str = ""
    lines: Sequence[Line] = ()
    axis: tuple[float, float] = (0.0, 1.0)
    figures: Sequence[tuple[str, str]] = ()


def card_of_board(*, board: BoardAt, title: str, question: str, finding: str) -> Card:
    """Return the card of a board with its first three. title, question, finding: in the language of the
    reader."""
    found = read_board(Query(board=board, judge=board.compared_judge or ""), size=6)
    ranked = [row for row in found.rows if row.rank is not None][:3]
    metric = visibility.ranked_metric(board.benchmark)
    total = board.census.systems
    systems = ngettext("%(count)d system", "%(count)d systems", total) % {"count": total}
    return Card(
        small=_("Leaderboard"),
        title=title,
        text=question,
        finding=finding,
        lines=[line_of(row) for row in ranked],
        axis=axis_of([row.standing for row in ranked]),
        foot=f"{systems} · {_(metric.label)}",
    )


def row_of(*, system_id: int) -> Row | None:
    """Return the row that a public system is shown by: of the first board that it is on; None without."""
    rows = Standing.objects.filter(system=system_id).order_by("benchmark__position", "benchmark__slug")
    standing = rows.select_related("evaluation").defer(*_UNREAD).first()
    if standing is None:
        return None
    benchmark = summary.boards().get(pk=standing.benchmark_id)
    return rows_of(BoardAt(benchmark), [standing])[0]


def card_of_system(*, system: System, row: Row | None, title: str) -> Card:
    """Return the card of a public system by its row of one board. title: of that, as the reader has it."""
    models = ", ".join(system.model_names)
    about = [said for said in (models if models != system.name else "", system.organisation) if said]
    return Card(
        small=title or _("System"),
        title=system.name,
        text=" · ".join(about),
        figures=_figures_of(row) if row is not None and row.standing.score is not None else (),
        foot=_foot_of(row),
    )


def _figures_of(row: Row) -> list[tuple[str, str]]:
    line, label = line_of(row), _(visibility.ranked_metric(row.benchmark).label)
    made = [(line.rank, _("Rank"))] if row.rank is not None else []
    if (of := size_of_other(row)) is not None:
        made = [(f"#{row.rank}", _("of %(n)s, another judge") % {"n": f"{of:,}"})]
    if line.span:
        made.append((line.span, _("95% interval of the rank")))
    return [*made, (percent(line.rate), label)]


def _foot_of(row: Row | None) -> str:
    if row is None:
        return _("not on a board now")
    kinds = {Kind.REPORTED: _("reported"), Kind.BASELINE: _("baseline")}
    kind = kinds.get(row.standing.kind)
    said = row.standing.since.date().isoformat()
    return f"{said} · {kind}" if kind else said


def line_of(row: Row) -> Line:
    """Return a row that has a score."""
    place, standing = row.place, row.standing
    span = ""
    if place.is_known:
        span = f"{place.low}–{place.high}" if place.low != place.high else str(place.low)
    return Line(
        rank="–" if row.rank is None else str(row.rank),
        span=span,
        name=standing.name,
        rate=standing.score,
        low=standing.low,
        high=standing.high,
        is_reported=row.is_reported,
    )


def digest_of(card: Card) -> str:
    """Return a digest of all that the card is drawn from."""
    return hashlib.sha256(f"{_DRAWN_AS} {card!r}".encode()).hexdigest()[:32]


def png_of(card: Card) -> bytes:
    """Return the picture, drawn once for the same words. Raises TooBusy."""
    name = digest_of(card)
    return render_limit.picture(
        place=f"card-{crc32(name.encode()) % _PLACES}", name=name, draw=lambda: _drawn(card)
    )


def _drawn(card: Card) -> bytes:
    # Here: it takes long to import, and most processes never draw.
    import vl_convert  # noqa: PLC0415

    return vl_convert.svg_to_png(as_svg(card))


def as_svg(card: Card) -> str:
    """Return the picture as SVG."""
    parts = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{_GROUND}"/>',
        f'<rect width="12" height="{HEIGHT}" fill="{_TEAL}"/>',
        _text(cut(card.small, 28, 800), _SIDE, 84, 28, _TEAL, font_weight=600),
        _text("Wardboard", WIDTH - _SIDE, 84, 28, _INK_2, text_anchor="end"),
    ]
    y, is_full = 84, len(card.lines) > 2
    size = 64 if width_of(card.title, 64) <= _BOLD or not is_full else 46
    for said in _in_words(card.title, size, 2, _BOLD):
        y += round(size * 1.2)
        parts.append(_text(said, _SIDE, y, size, _INK, font_weight=700))
    y += 12
    # Above three lines there is room for three rows, of two of a title for two; what was found comes first.
    finding = _in_words(card.finding, 28, 2, _BOLD)
    room = (3 if size == 64 or not is_full else 2) - max(1, len(finding))
    for said in _in_words(card.text, 26, room) if room else ():
        y += 35
        parts.append(_text(said, _SIDE, y, 26, _INK_2))
    y += 6 if finding else 0
    for said in finding:
        y += 38
        parts.append(_text(said, _SIDE, y, 28, _INK, font_weight=600))
    parts += _lines(card, max(y + 20, HEIGHT - 110 - 84 * len(card.lines))) if card.lines else []
    parts += _figures(card.figures) if card.figures else []
    parts.append(_text(cut(card.foot, 26, _ROOM), _SIDE, HEIGHT - 40, 26, _INK_2))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}">{"".join(parts)}</svg>'
    )


_ENDS = re.compile(r"(?<=[.?!])\s+|(?<=[。？！])")


def _in_words(text: str, size: int, most: int, room: float = _ROOM) -> list[str]:
    """Return `text` in at most `most` lines; where it has more, as many of its first sentences as fit, else
    its first words."""
    for end in (len(text), *reversed([found.start() for found in _ENDS.finditer(text)])):
        rows = wrapped(text[:end], size, room, most + 1)
        if len(rows) <= most:
            return rows
    rows = rows[:most]
    while width_of(f"{rows[-1]}…", size) > room and " " in rows[-1]:
        rows[-1] = rows[-1].rpartition(" ")[0]
    return [*rows[:-1], cut(f"{rows[-1].rstrip(' ,;:，；：、')}…", size, room)]


def _text(said: str, x: float, y: float, size: int, fill: str, **more: str | float) -> str:
    # Else a letter that the first fonts lack is taken from whichever has it, be it a serif.
    family = f"{_FONT_EAST}, {_FONT}" if any(is_wide(c) for c in said) else _FONT
    return text_element(said, x=x, y=y, font_size=size, fill=fill, font_family=family, **more)


_BAR_X, _BAR = 740, 210
_BEFORE = 84  # of a line: the rank


def _lines(card: Card, top: float) -> list[str]:
    drawn = [_line(line, card.axis, top + 84 * place) for place, line in enumerate(card.lines)]
    y, ends = top + 84 * len(card.lines) + 12, [f"{100 * end:.0f}%" for end in card.axis]
    drawn.append(_text(ends[0], _BAR_X, y, 20, _INK_2))
    drawn.append(_text(ends[1], _BAR_X + _BAR, y, 20, _INK_2, text_anchor="end"))
    return drawn


def _line(line: Line, axis: tuple[float, float], y: float) -> str:
    middle, beside = y + 38, _SIDE + _BEFORE
    about = [(_("reported"), _AMBER)] if line.is_reported else []
    if line.span:
        about.append((_("rank %(ranks)s (95%%)") % {"ranks": line.span}, _INK_2))
    parts = [
        f'<rect x="{_SIDE}" y="{y}" width="{_ROOM}" height="76" fill="{_SHEET}" stroke="{_RULE}"/>',
        _text(line.rank, _SIDE + 24, middle + 12, 36, _INK, font_weight=700),
    ]
    name = cut(line.name, 27, _BAR_X - beside - 24)
    parts.append(_text(name, beside, middle + (-2 if about else 10), 27, _INK))
    for said, colour in about:
        parts.append(_text(said, beside, middle + 27, 21, colour))
        beside += width_of(said, 21) + 16
    parts.append(_bar(line, axis, middle))
    said = percent(line.rate)
    parts.append(_text(said, WIDTH - _SIDE - 20, middle + 12, 34, _INK, font_weight=700, text_anchor="end"))
    return "".join(parts)


def _bar(line: Line, axis: tuple[float, float], middle: float) -> str:
    """Draw the rate and its interval as far as they are on the axis."""
    floor, top = axis

    def place(rate: float) -> float:
        return _BAR_X + _BAR * (min(max(rate, floor), top) - floor) / (top - floor)

    drawn = f'<rect x="{_BAR_X}" y="{middle - 1}" width="{_BAR}" height="2" fill="{_RULE}"/>'
    if line.low is not None and line.high is not None and line.low <= top and line.high >= floor:
        start, length = place(line.low), max(4.0, place(line.high) - place(line.low))
        drawn += f'<rect x="{start:.1f}" y="{middle - 9}" width="{length:.1f}" height="18" fill="{_WASH}"/>'
    if not floor <= line.rate <= top:
        return drawn
    mark = place(line.rate)
    return drawn + f'<rect x="{mark - 2:.1f}" y="{middle - 18}" width="4" height="36" fill="{_TEAL}"/>'


def _figures(figures: Sequence[tuple[str, str]]) -> list[str]:
    """Draw figures side by side, each above what it is."""
    step = _ROOM / max(len(figures), 3)
    drawn = [f'<rect x="{_SIDE}" y="{HEIGHT - 268}" width="{_ROOM}" height="2" fill="{_RULE}"/>']
    for place, (said, label) in enumerate(figures):
        x = _SIDE + step * place
        drawn.append(_text(cut(said, 68, step - 20), x, HEIGHT - 170, 68, _TEAL, font_weight=700))
        drawn.append(_text(cut(label, 26, step - 20), x, HEIGHT - 122, 26, _INK_2))
    return drawn
