"""Conditional requests for public pages: a client that has the current one gets a 304.

A response follows from the board's revision, the release, the visible settings, its address and the kind of
request; the entity tag is a digest of these. A visitor who is signed in, or has a message waiting, gets a
private response that no cache may keep.
"""

import hashlib
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified, QueryDict
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags

from leaderboard.http import page_cache
from leaderboard.services import turns
from leaderboard.services.record.boards_now import BoardNow, read_boards
from leaderboard.services.rows.filters import FILTER_BY_KEY

# Half a minute for browsers; also for a proxy, which may serve an older page while it asks for the new one.
_PUBLIC = "public, max-age=30, stale-while-revalidate=300"
_PRIVATE = "private, no-cache"
_VARY = ("Accept-Encoding", "Cookie", "HX-Request")
_SUFFIXES = {".py", ".html", ".jinja", ".css", ".js", ".svg", ".mo", ".json", ".txt", ".md"}

# All query parameters that public pages read. A page sees no other one, so that none can be forgotten here.
PARAMETERS = {
    *FILTER_BY_KEY,
    "as_of",
    "board",
    "kind",
    "sort",
    "page",
    "fragment",
    "system",
    "difference",
    "rows",
    "scheme",
    "width",
    "v",
}


def answer(
    request: HttpRequest,
    slug: str | None,
    make: Callable[[], HttpResponse],
    *,
    for_all: str = "",
    is_page: bool = True,
) -> HttpResponse:
    """Return the response of `make`, or 304 without calling it.

    slug: of the board that the page is about; None where it is about all boards.
    for_all: Cache-Control of a response that is the same for everyone, signed in or not.
    is_page: whether the one before may be shown for a second, and while the next is made.
    """
    # With DEBUG, templates change while the service runs, and the release with them.
    if settings.DEBUG or not (for_all or is_anonymous(request)):
        private = make()
        private.headers.setdefault("Cache-Control", _PRIVATE)
        return private
    if is_page:
        # Links that are sent around have others, such as `utm_source`, and some a new value for each reader:
        # all of them get the same page, with the same links to other languages.
        known = QueryDict(mutable=True)
        for name, values in sorted(request.GET.lists()):
            if name in PARAMETERS:
                known.setlist(name, values)
        request.GET = known  # type: ignore[assignment]  # one that is read only
    with turns.page_turn():
        # Read the tag before the page is made: a change in between makes the tag too old, never the page.
        began = time.monotonic()
        boards = read_boards()
        shown = [board for board in boards if slug in (None, board.slug)]
        etag, is_older = _etag(request, shown), False
        # A client that names the tag has had the page. `*` can be sent for a page that never existed.
        is_known = bool(shown) and etag in parse_etags(request.headers.get("If-None-Match", ""))
        if is_known:
            response: HttpResponse = HttpResponseNotModified()
        elif shown and not for_all:
            # A page of a moment in the past is exact.
            may_be_older = is_page and "as_of" not in request.GET
            response, is_older = _find_or_make(request, boards, etag, make, began, may_be_older=may_be_older)
        else:
            response = make()
    if is_older or (response.status_code != 200 and not is_known):
        return response
    response.headers.setdefault("Cache-Control", for_all or _PUBLIC)
    response.headers.setdefault("ETag", etag)
    patch_vary_headers(response, _VARY[:1] if for_all else _VARY)
    return response


def _find_or_make(
    request: HttpRequest,
    boards: Sequence[BoardNow],
    etag: str,
    make: Callable[[], HttpResponse],
    began: float,
    *,
    may_be_older: bool,
) -> tuple[HttpResponse, bool]:
    """Return the page as it was rendered before, or else from `make`; and whether it is the one before it."""
    address = page_cache.address_of(request, boards)
    key = page_cache.key_of(address, etag)
    if (cached := page_cache.find(key)) is not None:
        return cached, False
    with page_cache.rendering(address) as is_first:
        seconds = settings.PAGE_SECONDS if is_first else page_cache.OLDER_FOR
        if may_be_older and (older := page_cache.find_older(address, seconds=seconds)) is not None:
            patch_vary_headers(older, _VARY)
            return older, True
        if not is_first and (cached := page_cache.wait_for(address, key)) is not None:
            return cached, False
        new = make()
        page_cache.keep(address, key, began, request, new)
        return new, False


def is_anonymous(request: HttpRequest) -> bool:
    """Return whether nothing in the request makes the page private."""
    private = {settings.SESSION_COOKIE_NAME, CookieStorage.cookie_name}
    return private.isdisjoint(request.COOKIES) and "Authorization" not in request.headers


def _etag(request: HttpRequest, boards: Sequence[BoardNow]) -> str:
    # Of a page these are the parameters that it reads; of files and the API, all.
    params = list(request.GET.lists())
    address = (request.path, request.path_info, params, request.headers.get("HX-Request", ""))
    states = [(board.pk, board.revision, board.changed_at) for board in boards]
    parts = (stamp(), request.get_host(), request.scheme, *address, *states)
    # Weak: the same page is sent compressed or not.
    return f'W/"{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}"'


def stamp() -> str:
    """Return a digest of the release and of the settings that pages show.

    These are the model of the judge and its server, whether it is available, and the organiser's texts.
    """
    judge = settings.JUDGE
    visible = judge["model"], judge["base_url"], bool(judge["api_key"]), settings.SITE
    return hashlib.sha256(repr((release(), visible)).encode()).hexdigest()[:32]


@cache
def release() -> str:
    """Return a digest of all files behind the pages, read once when the service starts."""
    digest = hashlib.sha256()
    for folder in ("templates", "leaderboard", "wardboard/scoring", "docs"):
        for path in sorted((Path(settings.BASE_DIR) / folder).rglob("*")):
            if path.suffix in _SUFFIXES and path.is_file():
                digest.update(str(path.relative_to(settings.BASE_DIR)).encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()
