"""Pages rendered before, so that a visitor who asks for the same one again does not wait for it to be made.

Only pages that are the same for every visitor are kept, in the memory of a process. A key holds all that the
page was made from, so a change of a board or of the release leaves its old pages behind, never shown again.
"""

import hashlib

from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from leaderboard.models import Benchmark

_LARGEST = 256 * 1024  # bytes of a page; with MAX_ENTRIES of the cache, what a process holds at most
_KEPT_FOR = 60 * 60  # seconds
_PAGE = "text/html"


def key_of(request: HttpRequest, etag: str) -> str:
    """Return the key of the page that answers `request`. etag: of the board's state, release and settings."""
    # Links to the page in other languages repeat its whole address, with parameters that nobody reads.
    address = request.get_full_path()
    # The navigation names other boards, a page reads its own board's row, and a date field ends today.
    boards = list(Benchmark.objects.order_by("pk").values_list())
    made_from = (etag, address, timezone.now().date(), boards)
    return hashlib.sha256(repr(made_from).encode()).hexdigest()


def find(key: str) -> HttpResponse | None:
    """Return a new response with the page kept under `key`; None without one."""
    page = caches["pages"].get(key)
    return HttpResponse(page[0], headers=page[1]) if page else None


def keep(key: str, request: HttpRequest, response: HttpResponse) -> None:
    """Keep a page under `key`, unless it is somebody's own, no page, or too large."""
    if request.method != "GET" or type(response) is not HttpResponse or response.status_code != 200:
        return
    # A form with a token in it sets a cookie, though later than this.
    if response.cookies or request.META.get("CSRF_COOKIE_NEEDS_UPDATE"):
        return
    if response.headers.get("Content-Type", "").startswith(_PAGE) and len(response.content) <= _LARGEST:
        caches["pages"].set(key, (response.content, dict(response.headers)), _KEPT_FOR)
