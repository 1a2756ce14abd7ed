"""HTTP caching of what everybody may read: who has the answer of today is told so, and nothing is made.

An answer is what the board's revision, the release, the settings that show, its address and the kind of
request make it; the entity tag is a digest of these. Whoever is signed in, or has a message waiting, gets an
answer of their own that no cache may keep.
"""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import http_date, parse_etags

from leaderboard.http import rendered
from leaderboard.models import BoardState

# For browsers half a minute; for a cache in between too, which may give an older page out while it asks.
_PUBLIC = "public, max-age=30, stale-while-revalidate=300"
_PRIVATE = "private, no-cache"
_VARY = ("Cookie", "HX-Request")
_STARTED = datetime.now(UTC)
_PARTS = ("templates", "leaderboard", "scoring")
_KINDS = {".py", ".html", ".css", ".js", ".svg", ".jinja", ".mo", ".json", ".txt"}

# All that public pages, files and pictures read of their addresses.
PARAMETERS = {
    *("q", "interaction", "retrieval", "reasoning", "weights", "source", "judge", "model", "organisation"),
    *("columns", "as_of", "sort", "page", "fragment", "system", "rows", "scheme", "width", "v", "compare"),
}

State = list[tuple]


def state_of_board(slug: str) -> State:
    """Return what the answers about one board depend on; nothing where there is no such board."""
    rows = BoardState.objects.filter(benchmark__slug=slug)
    return list(rows.values_list("pk", "revision", "changed_at"))


def state_of_site() -> State:
    """Return what the answers about all boards depend on."""
    return list(BoardState.objects.order_by("pk").values_list("pk", "revision", "changed_at"))


def answer(
    request: HttpRequest,
    state: Callable[[], State],
    make: Callable[[], HttpResponse],
    *,
    for_all: str = "",
) -> HttpResponse:
    """Return what `make` makes, or 304 without it. for_all: Cache-Control of an answer that is the same for
    everybody, signed in or not."""
    # Whoever works on the templates has a new release with every key.
    if settings.DEBUG or not (for_all or is_anonymous(request)):
        response = make()
        response.headers.setdefault("Cache-Control", _PRIVATE)
        return response
    # Read before the page: what changes meanwhile makes the tag too old, never the page.
    known = state()
    etag, changed = _etag(request, known), _changed(known)
    # Who names the tag has had the page. `*` and a date can be said of a page that there never was.
    if known and etag in parse_etags(request.headers.get("If-None-Match", "")):
        response = get_conditional_response(request, etag=etag, last_modified=changed)
    else:
        response = _rendered(request, etag, make) if known and not for_all else make()
        if response.status_code != 200:
            return response
        if known:
            response = _unless_had(request, response, etag, changed)
    if response.status_code not in (200, 304):
        return response
    response.headers.setdefault("Cache-Control", for_all or _PUBLIC)
    response.headers.setdefault("ETag", etag)
    if changed is not None:
        response.headers.setdefault("Last-Modified", http_date(changed))
    if not for_all:
        patch_vary_headers(response, _VARY)
    return response


def _rendered(request: HttpRequest, etag: str, make: Callable[[], HttpResponse]) -> HttpResponse:
    """Return the page as it was rendered before, or else as `make` makes it now."""
    key = rendered.key_of(request, etag)
    response = rendered.find(key)
    if response is None:
        response = make()
        rendered.keep(key, request, response)
    return response


def _unless_had(request: HttpRequest, made: HttpResponse, etag: str, changed: int | None) -> HttpResponse:
    response = get_conditional_response(request, etag=etag, last_modified=changed, response=made)
    if response is not made:
        # Not `close`, which tells Django that the request is over.
        for close in made._resource_closers:
            close()
    return response


def is_anonymous(request: HttpRequest) -> bool:
    """Whether the request comes with nothing that makes the page somebody's own."""
    own = {settings.SESSION_COOKIE_NAME, CookieStorage.cookie_name}
    return own.isdisjoint(request.COOKIES) and "Authorization" not in request.headers


def _etag(request: HttpRequest, state: list) -> str:
    # A parameter that nobody reads makes no other page.
    asked = sorted((name, values) for name, values in request.GET.lists() if name in PARAMETERS)
    at = (request.path, asked, request.headers.get("HX-Request", ""))
    said = (stamp(), request.get_host(), request.scheme, *at, *state)
    # Weak: a proxy may send the same page compressed.
    return f'W/"{hashlib.sha256(repr(said).encode()).hexdigest()[:32]}"'


def _changed(state: list) -> int | None:
    """Return when the page last changed, in seconds since 1970; None while a second change in the same
    second could still come, which nobody would see."""
    changed = max([_STARTED, *(changed_at for *_, changed_at in state)])
    return int(changed.timestamp()) if timezone.now() - changed > timedelta(seconds=2) else None


def stamp() -> str:
    """Return a digest of what pages are made with: the release, and the settings that show, which are who
    judges, by what, and whether it can be asked."""
    judge = settings.JUDGE
    shown = (*(judge[name] for name in ("model", "name", "base_url")), bool(judge["api_key"]))
    return hashlib.sha256(repr((release(), shown)).encode()).hexdigest()[:32]


@cache
def release() -> str:
    """Return a digest of all files that make pages what they are; read once, when the service starts."""
    digest = hashlib.sha256()
    for part in _PARTS:
        for path in sorted((Path(settings.BASE_DIR) / part).rglob("*")):
            if path.suffix in _KINDS and path.is_file():
                digest.update(str(path.relative_to(settings.BASE_DIR)).encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()
