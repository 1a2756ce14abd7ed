"""Badges: a system's standing on a board as a small SVG picture, to be shown elsewhere.

Light words on dark grounds of their own, so that it looks the same in both colour schemes. In English.
"""

from dataclasses import dataclass
from html import escape

from leaderboard.models import Benchmark
from leaderboard.services.boards import system as system_pages
from leaderboard.services.boards.board import rows_of
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.judges import size_of_other
from leaderboard.services.boards.row import Row
from leaderboard.services.pictures.text_width import cut, text_element, width_of
from leaderboard.services.text import percent

_SIZE, _HEIGHT, _PAD = 11, 20, 7
_LABEL, _RANKED, _OTHER = "#3a444b", "#0b6e69", "#5c666d"
_FONT = "Verdana,DejaVu Sans,Geneva,sans-serif"


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """What a badge says. label: the board. message: where the system stands. alternative: both in words."""

    label: str
    message: str
    alternative: str
    is_ranked: bool


def badge_of(*, benchmark: Benchmark, system_id: int) -> Badge:
    """Return the badge of a system that is or was on any board, `not ranked` where it is not on this one.

    Raises NotFound for every other."""
    system = system_pages.find_public(pk=system_id)
    board = BoardAt(benchmark)
    standings = board.rows.filter(system=system).select_related("evaluation")
    found = standings.defer("search", "models_text", "evaluation__verdicts", "evaluation__details")[:1]
    rows = rows_of(board, found)
    row = rows[0] if rows else None
    return said_of(benchmark.title, row, of=size_of_other(row) if row else None)


def said_of(title: str, row: Row | None, *, of: int | None = None) -> Badge:
    """Return what the badge of `row`, None for no row, says. of: `size_of_other`."""
    label = cut(title, _SIZE, 320)
    if row is None or row.standing.score is None:
        return Badge(label=label, message="not ranked", alternative=f"{label}: not ranked", is_ranked=False)
    score = percent(row.standing.score)
    kind = "" if row.standing.kind == "rescored" else f"{row.standing.kind} "
    if row.rank is None:
        said = f"{kind}{score}"
        return Badge(label=label, message=said, alternative=f"{label}: {said}", is_ranked=False)
    span, spoken = _span(row)
    if of is not None:
        span += f" of {of:,} by another judge"
        judge = f"judge: {row.standing.judge}" if row.standing.judge else "judge not said"
        spoken += f" in another list, of {of:,} ({judge})"
    return Badge(
        label=label,
        message=f"#{row.rank}{span} · {kind}{score}",
        alternative=f"{label}: rank {row.rank}{spoken}, {kind}{score}",
        is_ranked=True,
    )


def _span(row: Row) -> tuple[str, str]:
    place = row.place
    if not place.is_known:
        return "", ""
    return f" ({place.low}–{place.high})", f" (95% interval: {place.low} to {place.high})"


def as_svg(badge: Badge) -> bytes:
    """Return the picture."""
    left, right = (round(width_of(said, _SIZE)) for said in (badge.label, badge.message))
    split, width = left + 2 * _PAD, left + right + 4 * _PAD
    colour = _RANKED if badge.is_ranked else _OTHER
    # Set to the width that was reckoned with, whatever font there is.
    label = text_element(badge.label, x=_PAD, y=14, textLength=left, lengthAdjust="spacingAndGlyphs")
    message = text_element(
        badge.message, x=split + _PAD, y=14, textLength=right, lengthAdjust="spacingAndGlyphs"
    )
    said = escape(badge.alternative)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT}" '
        f'viewBox="0 0 {width} {_HEIGHT}" role="img" aria-label="{said}"><title>{said}</title>'
        f'<clipPath id="c"><rect width="{width}" height="{_HEIGHT}" rx="3"/></clipPath>'
        f'<g clip-path="url(#c)"><rect width="{split}" height="{_HEIGHT}" fill="{_LABEL}"/>'
        f'<rect x="{split}" width="{width - split}" height="{_HEIGHT}" fill="{colour}"/></g>'
        f'<g fill="#ffffff" font-family="{_FONT}" font-size="{_SIZE}">{label}{message}</g></svg>\n'
    ).encode()
