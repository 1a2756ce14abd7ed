"""Draw the chart of a view as SVG, once for the same figures in the same language.

Drawing occupies a processor for a tenth of a second or more, and anyone may ask for any filter. So only a
few charts are drawn at once, and few of the charts of filtered boards are cached.
"""

import hashlib
import json

from django.utils.translation import get_language

from leaderboard.services.charts.differences import DifferenceFigure
from leaderboard.services.charts.figures import (
    ApproachFigure,
    EffortFigure,
    Figure,
    ForestFigure,
    GroupFigure,
    HarnessFigure,
    ProgressFigure,
    RunsFigure,
    ScatterFigure,
    TaskFigure,
)
from leaderboard.services.pictures import render_limit
from leaderboard.services.pictures.fonts import engine

SCHEMES = ("light", "dark")
WIDTHS = ("wide", "medium", "narrow", "small")
_DRAWN_AS = 14  # raise it when the drawing changes, so that no older picture is shown
# The number of places in the cache, by whether the board is filtered. The digest of a chart chooses its
# place, and a new chart replaces the one there. Charts of filtered boards never replace unfiltered ones.
PLACES = {False: 192, True: 48}


def is_drawn(figure: Figure) -> bool:
    """Return whether the figure has enough to draw for a chart not to mislead."""
    if isinstance(figure, GroupFigure):
        return bool(figure.drawn_rates)
    if isinstance(figure, ProgressFigure):
        # A single score makes no line.
        return len(figure.scores) > 1
    if isinstance(figure, DifferenceFigure):
        return bool(figure.pairs)
    if isinstance(figure, ForestFigure | HarnessFigure | ScatterFigure | EffortFigure | TaskFigure):
        return len(figure.rows) > 1
    if isinstance(figure, RunsFigure):
        return bool(figure.rows)
    return bool(figure.lines if isinstance(figure, ApproachFigure) else figure.spreads)


def digest_of(figure: Figure) -> str:
    """Return a digest of everything that the chart is drawn from."""
    until = str(figure.history.until) if isinstance(figure, ProgressFigure) else ""
    rows = figure.compact if isinstance(figure, TaskFigure) else list(figure.export_rows())
    content = [_DRAWN_AS, get_language(), figure.view.name, until, rows]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:32]


def svg_of(figure: Figure, *, scheme: str, width: str, is_filtered: bool = False) -> bytes:
    """Return the chart of a figure in the active language. Raises TooBusy.

    `is_drawn` must be true for it.

    scheme: one of SCHEMES
    width: one of WIDTHS
    is_filtered: whether the reader set filters
    """
    return render_limit.picture(
        name=f"{digest_of(figure)}-{scheme}-{width}",
        shelf=f"chart-{is_filtered:d}",
        places=PLACES[is_filtered],
        draw=lambda: _draw(figure, scheme, width),
    )


def _draw(figure: Figure, scheme: str, width: str) -> bytes:
    # Import these here because they take long and most processes never draw.
    from leaderboard.services.charts import drawing  # noqa: PLC0415
    from leaderboard.services.charts.drawing.style import look_of  # noqa: PLC0415

    spec = drawing.spec_of(figure, look_of(scheme=scheme, width=width))
    # A chart contains its data, so nothing may be fetched: no base address is allowed.
    svg: str = engine().vegalite_to_svg(spec, allowed_base_urls=[])
    return svg.encode()
