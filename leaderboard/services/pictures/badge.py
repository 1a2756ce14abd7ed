"""Draw badges: small SVG pictures, in English, of the place of a system on a board."""

from dataclasses import dataclass

from django.template.loader import render_to_string

from leaderboard.models import Board
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.read_rows import rows_of
from leaderboard.services.boards.row import Row
from leaderboard.services.boards.sections import size_of_other
from leaderboard.services.boards.system import find_public_system
from leaderboard.services.pictures.text_width import cut, width_of

_SIZE, _PAD = 11, 7


@dataclass(frozen=True, slots=True, kw_only=True)
class BadgeContent:
    """The text of a badge.

    label: the title of the board
    message: the rank and the score
    alternative: both in words, for screen readers
    """

    label: str
    message: str
    alternative: str
    is_ranked: bool


def badge_of(*, board: Board, system_id: int) -> BadgeContent:
    """Return the badge of a system on one board, with `not ranked` if it is not on that board.

    Raises NotFound for a system that never was on any board.
    """
    system = find_public_system(pk=system_id)
    board_at = BoardAt(board)
    standing = board_at.rows.filter(system=system).listed().first()
    row = rows_of(board_at, [standing])[0] if standing else None
    return badge_for_row(board.title, row, of=size_of_other(row) if row else None)


def badge_for_row(title: str, row: Row | None, *, of: int | None = None) -> BadgeContent:
    """Return the text of a badge.

    row: of the system; None where it has none
    of: the number of systems ranked with it, if another judge than the compared one decided on them
    """
    label = cut(title, _SIZE, 320)
    if row is None or row.standing.score is None:
        return BadgeContent(
            label=label, message="not ranked", alternative=f"{label}: not ranked", is_ranked=False
        )
    score = row.score_words
    kind = "" if row.standing.kind == "rescored" else f"{row.standing.kind} "
    if row.rank is None:
        message = f"{kind}{score}"
        return BadgeContent(label=label, message=message, alternative=f"{label}: {message}", is_ranked=False)
    span, spoken = _span(row)
    if of is not None:
        span += f" of {of:,} by another judge"
        judge = f"judge: {row.judge_name}" if row.standing.judge else "judge not stated"
        spoken += f" in another list, of {of:,} ({judge})"
    return BadgeContent(
        label=label,
        message=f"#{row.rank_words}{span} · {kind}{score}",
        alternative=f"{label}: rank {row.rank_words}{spoken}, {kind}{score}",
        is_ranked=True,
    )


def _span(row: Row) -> tuple[str, str]:
    """Return the interval of the rank, as drawn and as spoken."""
    place = row.place
    if not place.is_known:
        return "", ""
    spoken = f"{place.low} or lower" if place.high is None else f"{place.low} to {place.high}"
    return f" ({place.span})", f" (95% interval: {spoken})"


def badge_svg(badge: BadgeContent) -> bytes:
    left, right = (round(width_of(words, _SIZE)) for words in (badge.label, badge.message))
    context = {
        "badge": badge,
        "size": _SIZE,
        "pad": _PAD,
        "left": left,
        "right": right,
        "split": left + 2 * _PAD,
        "width": left + right + 4 * _PAD,
    }
    return render_to_string("pictures/badge.svg", context, using="jinja2").encode()
