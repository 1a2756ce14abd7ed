"""Make badges: the place of a system on a board in a line of English, as a small SVG or for shields.io."""

from dataclasses import dataclass

from django.template.loader import render_to_string

from leaderboard.models import Board
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.read_rows import rows_of
from leaderboard.services.boards.sections import size_of_other
from leaderboard.services.boards.system import find_public_system
from leaderboard.services.text_fitting import columns_of, shorten

_LETTER, _PAD = 6.8, 7  # pixels of a letter, and beside each text


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """The text of a badge: the title of the board, and the rank and the score."""

    label: str
    message: str
    is_ranked: bool = False


def badge_of(*, board: Board, system_id: int) -> Badge:
    """Return the badge of a system on one board, with `not ranked` if it has no score on that board.

    Raises NotFound for a system that never was on any board.
    """
    system, board_at = find_public_system(pk=system_id), BoardAt(board)
    standing = board_at.rows.filter(system=system, score__isnull=False).listed().first()
    label = shorten(board.title, 48)
    if standing is None:
        return Badge(label=label, message="not ranked")
    [row] = rows_of(board_at, [standing])
    score = f"{row.kind_words} {row.score_words}".lstrip()
    if row.rank is None:
        return Badge(label=label, message=score)
    of = size_of_other(row)
    other = "" if of is None else f" of {of:,} by another judge"
    return Badge(label=label, message=f"#{row.rank_words}{other} · {score}", is_ranked=True)


def badge_svg(badge: Badge) -> bytes:
    left, right = (round(_LETTER * columns_of(words)) for words in (badge.label, badge.message))
    context = {"badge": badge, "left": left, "right": right, "pad": _PAD}
    return render_to_string("pictures/badge.svg", context, using="jinja2").encode()


def badge_json(badge: Badge) -> dict[str, object]:
    """Return what an endpoint badge of shields.io reads. Source: https://shields.io/badges/endpoint-badge."""
    colour = "0b6e69" if badge.is_ranked else "5c666d"
    return {"schemaVersion": 1, "label": badge.label, "message": badge.message, "color": colour}
