"""Charts of the views as SVG, drawn on the server once for the same figures in the same language.

Drawing takes a processor for a tenth of a second and more, and anybody may ask for any filter: it goes by
turns, and of those charts that filters ask for few are kept.
"""

import hashlib
import json
from zlib import crc32

from django.utils.translation import get_language

from leaderboard.services.charts.figures import (
    ApproachFigure,
    Figure,
    ForestFigure,
    GroupFigure,
    ProgressFigure,
    ScatterFigure,
)
from leaderboard.services.pictures import render_limit

SCHEMES = ("light", "dark")
WIDTHS = ("wide", "narrow", "small")  # small: of the best score over time alone
_DRAWN_AS = 6  # raised when the drawing changes, so that no older picture is shown
# A chart has one of this many places, by its digest; what had the place goes. Apart, so that charts of
# filters take no place of the boards' own.
_PLACES = {False: 192, True: 48}


def is_drawn(shown: Figure) -> bool:
    """Whether there is a figure to draw, and enough of it that a chart does not mislead."""
    if isinstance(shown, GroupFigure):
        return any(not row.is_baseline for row in shown.rows) and bool(shown.groups)
    if isinstance(shown, ProgressFigure):
        # A line between fewer would be made up.
        return len(shown.held) > 1
    if isinstance(shown, ForestFigure | ScatterFigure):
        return len(shown.rows) > 1
    return bool(shown.lines if isinstance(shown, ApproachFigure) else shown.spreads)


def digest_of(shown: Figure) -> str:
    """Return a digest of all that the chart is drawn from."""
    until = str(shown.course.until) if isinstance(shown, ProgressFigure) else ""
    drawn = [_DRAWN_AS, get_language(), shown.view.name, until, list(shown.records())]
    return hashlib.sha256(json.dumps(drawn).encode()).hexdigest()[:32]


def svg_of(shown: Figure, *, scheme: str, width: str, is_filtered: bool = False, board: str = "") -> bytes:
    """Return the chart of `shown`, which `is_drawn`, in the language of today. scheme: of SCHEMES. width: of
    WIDTHS. is_filtered: whether a reader's own filters chose its rows. board: whose, by slug. Raises
    TooBusy."""
    name = f"{digest_of(shown)}-{scheme}-{width}"
    # The front page shows one of each board at once: they have places of their own, so that nobody can have
    # them drawn again and again.
    is_of_front = width == "small" and bool(board) and not is_filtered
    place = f"chart-{is_filtered:d}-{crc32(name.encode()) % _PLACES[is_filtered]}"
    if is_of_front:
        place = f"chart-{board}-{get_language()}-{scheme}"
    return render_limit.picture(
        place=place, name=name, draw=lambda: _drawn(shown, scheme, width), is_rare=is_of_front
    )


def _drawn(shown: Figure, scheme: str, width: str) -> bytes:
    # Here: both take long to import, and most processes never draw.
    import vl_convert  # noqa: PLC0415

    from leaderboard.services.charts import drawing  # noqa: PLC0415
    from leaderboard.services.charts.drawing.style import look_of  # noqa: PLC0415

    spec = drawing.spec_of(shown, look_of(scheme=scheme, width=width))
    # No base address is allowed: a chart has its data in it, and nothing is fetched.
    return vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]).encode()
