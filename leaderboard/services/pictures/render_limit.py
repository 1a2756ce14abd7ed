"""Limit how many exports, charts and cards a process works on at once.

Anybody may ask for these. A picture occupies a processor for a while, and a large export occupies a thread
until the client has read it, so only a few run at a time and the other threads remain free for pages.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from zlib import crc32

from django.core.cache import caches

from leaderboard.services.pictures.fonts import engine, with_chinese
from leaderboard.services.turns import TooBusy, drawing

_CACHE_SECONDS = 24 * 60 * 60
# Seconds to wait for a picture. A browser asks only once, and on a busy machine the engine starts slowly.
PATIENCE_OF_PICTURES = 10
turns = drawing
# The first drawing starts an engine of some 70 MB in the process, so only one picture is drawn at a time.
one_drawing = threading.Lock()


def picture(*, name: str, shelf: str, places: int, draw: Callable[[], bytes]) -> bytes:
    """Return the picture `name` from the cache, or draw it. Raises TooBusy.

    shelf: where it is cached, in one of so many `places`; a new picture replaces the one that was there
    """
    place = f"{shelf}-{crc32(name.encode()) % places}"
    image = _read_cache(place, name)
    if image is None:
        with _drawing():
            # Another thread may have drawn it in the meantime.
            image = _read_cache(place, name) or draw()
            caches["boards"].set(place, (name, image), _CACHE_SECONDS)
    return image


def as_png(svg: str, *, scale: float = 1) -> bytes:
    """Return an SVG as PNG, with its pixels per inch. scale: of the SVG, of which an inch has 72 pixels."""
    png: bytes = engine().svg_to_png(with_chinese(svg), scale=scale, ppi=72)
    return png


@contextmanager
def _drawing() -> Iterator[None]:
    with turns.take(PATIENCE_OF_PICTURES):
        if not one_drawing.acquire(timeout=PATIENCE_OF_PICTURES):
            raise TooBusy
        try:
            yield
        finally:
            one_drawing.release()


def _read_cache(place: str, name: str) -> bytes | None:
    entry = caches["boards"].get(place)
    return entry[1] if entry is not None and entry[0] == name else None
