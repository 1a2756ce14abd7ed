"""A cache of rendered pages and of answers of the API, so that nobody waits for what is known.

It is in the memory of a process, and only for pages that are the same for every visitor. A key covers
everything that a page depends on.

After a change of rows, visitors get the page before while it is younger than settings.PAGE_SECONDS. At a
deadline rows change several times a second, and a process renders each page once a second at most. Then the
next visitor waits for the new page. Those who come while it is being rendered get the one before, if it is
no older than the half minute that browsers keep a page, or else wait for the new one too: if all of them
rendered it, each would wait for all others. The API never answers with what was before.
"""

import hashlib
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from leaderboard.http.compression import pack
from leaderboard.services.record.boards_now import BoardNow

LARGEST = 256 * 1024  # bytes of each, compressed; with MAX_ENTRIES of the cache, what a process holds at most
OLDER_FOR = 30  # seconds for which a page may be shown while the next is rendered
PATIENCE = 2  # seconds for which one waits for a page that another renders
_PAGE, _JSON = "text/html", "application/json"
# The addresses whose pages are being rendered; each event is set at the end.
_rendered: dict[str, threading.Event] = {}


def address_of(request: HttpRequest, boards: Iterable[BoardNow]) -> str:
    """Return a digest of all that a page and the one after it have in common: only rows differ."""
    parts = (
        request.scheme,
        request.get_host(),
        # The address is in the links to other languages; what follows the folder of the application, which
        # another server than ours may name in each request, chooses the page.
        request.path,
        request.path_info,
        request.GET.urlencode(),
        request.headers.get("HX-Request", ""),
        # The navigation names other boards, a page reads its own board's row, and a date field ends today.
        [board.settings for board in boards],
        timezone.now().date(),
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def key_of(address: str, etag: str) -> str:
    """Return the key of a page."""
    return hashlib.sha256(f"{address}{etag}".encode()).hexdigest()


@contextmanager
def rendering(address: str) -> Iterator[bool]:
    """Tell whether the caller is the first to render the page of `address` at this time."""
    done = threading.Event()
    is_first = _rendered.setdefault(address, done) is done
    try:
        yield is_first
    finally:
        if is_first:
            del _rendered[address]
            done.set()


def wait_for(address: str, key: str) -> HttpResponse | None:
    """Wait until another thread has rendered the page of `address`; return it if it is that of `key`."""
    if (done := _rendered.get(address)) is not None:
        done.wait(PATIENCE)
    return find(key)


def find_older(address: str, *, seconds: float) -> HttpResponse | None:
    """Return a new response with the last page of `address`, which its reader keeps for no time.

    None if that page was begun more than `seconds` ago.
    """
    key, began = caches["pages"].get(f"last:{address}", ("", 0.0))
    page = find(key) if key and time.monotonic() - began < seconds else None
    if page is not None:
        page.headers["Cache-Control"] = "no-cache"
    return page


def find(key: str) -> HttpResponse | None:
    """Return a new response with the page kept under `key`; None without one."""
    page = caches["pages"].get(key)
    return HttpResponse(page[0], headers=page[1]) if page else None


def keep(address: str, key: str, began: float, request: HttpRequest, response: HttpResponse) -> None:
    """Keep a page or JSON under `key`, compressed, unless it is private, or too large.

    began: before the rows of the page were read, by time.monotonic.
    """
    if request.method != "GET" or type(response) is not HttpResponse or response.status_code != 200:
        return
    # A form with a CSRF token will set a cookie, but later than this.
    if response.cookies or request.META.get("CSRF_COOKIE_NEEDS_UPDATE"):
        return
    kind = response.headers.get("Content-Type", "")
    if not kind.startswith((_PAGE, _JSON)):
        return
    pack(response)
    if len(response.content) > LARGEST:
        return
    caches["pages"].set(key, (response.content, dict(response.headers)), 60 * 60)
    if kind.startswith(_PAGE):
        caches["pages"].set(f"last:{address}", (key, began), OLDER_FOR)
