"""Charts of the views as SVG, drawn on the server once for the same figures."""

import hashlib
import json
import threading

from django.core.cache import cache

from leaderboard.services.shown import Approaches, Grouped, Sizes

SCHEMES = ("light", "dark")
_DRAWN_AS = 1  # raised when the drawing changes, so that no older picture is shown
_KEPT_FOR = 24 * 60 * 60  # seconds
# The first drawing starts an engine of some 70 MB in the process; one at a time is enough of it.
_one_at_a_time = threading.Lock()

Shown = Grouped | Approaches | Sizes


def is_drawn(shown: Shown) -> bool:
    """Whether there is a figure to draw."""
    if isinstance(shown, Grouped):
        return any(not row.is_baseline for row in shown.rows) and bool(shown.groups)
    return bool(shown.lines if isinstance(shown, Approaches) else shown.spreads)


def digest_of(shown: Shown) -> str:
    """Return a digest of all that the chart is drawn from."""
    drawn = [_DRAWN_AS, shown.view.name, list(shown.records())]
    return hashlib.sha256(json.dumps(drawn).encode()).hexdigest()[:32]


def svg_of(shown: Shown, *, scheme: str, narrow: bool) -> bytes:
    """Return the chart of `shown`, which `is_drawn`. scheme: of SCHEMES. narrow: for a small screen."""
    key = f"chart-{digest_of(shown)}-{scheme}-{narrow:d}"
    found = cache.get(key)
    if found is None:
        with _one_at_a_time:
            found = cache.get(key) or _drawn(shown, scheme, narrow)
        cache.set(key, found, _KEPT_FOR)
    return found


def _drawn(shown: Shown, scheme: str, narrow: bool) -> bytes:
    # Here: both take long to import, and most processes never draw.
    import vl_convert  # noqa: PLC0415

    from leaderboard.services import drawing  # noqa: PLC0415

    spec = drawing.spec_of(shown, drawing.look_of(scheme=scheme, narrow=narrow))
    # No base address is allowed: a chart has its data in it, and nothing is fetched.
    return vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]).encode()
