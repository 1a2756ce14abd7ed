"""Draw the chart of a view, once for the same specification.

Drawing occupies a processor for a tenth of a second or more, and anyone may ask for any filter. So only a
few charts are drawn at once, and few of the charts of filtered boards are cached.
"""

import hashlib
import json
from collections.abc import Sequence

from leaderboard.services.charts.figures import Figure
from leaderboard.services.charts.look import Look
from leaderboard.services.charts.specs import spec_of
from leaderboard.services.pictures import render_limit
from leaderboard.services.pictures.fonts import engine

# The number of places in the cache, by whether the board is filtered. The digest of a chart chooses its
# place, and a new chart replaces the one there. Charts of filtered boards never replace unfiltered ones.
PLACES = {False: 192, True: 48}


def spec_text(figure: Figure, look: Look, heading: Sequence[str] = ()) -> str:
    """Return the specification of a chart in the active language as JSON; `figure.is_drawn` must hold."""
    return json.dumps(spec_of(figure, look, heading))


def digest_of(spec: str) -> str:
    return hashlib.sha256(spec.encode()).hexdigest()[:32]


def picture_of(spec: str, *, form: str = "svg", is_filtered: bool = False) -> bytes:
    """Return a chart as SVG, or as PNG of twice its pixels. Raises TooBusy."""

    def draw() -> bytes:
        # A chart contains its data, so nothing may be fetched: no base address is allowed.
        svg: str = engine().vegalite_to_svg(spec, allowed_base_urls=[])
        return svg.encode() if form == "svg" else render_limit.as_png(svg, scale=2)

    name, shelf = f"{digest_of(spec)}-{form}", f"chart-{form}-{is_filtered:d}"
    places = PLACES[is_filtered] if form == "svg" else PLACES[is_filtered] // 12
    return render_limit.picture(name=name, shelf=shelf, places=places, draw=draw)
