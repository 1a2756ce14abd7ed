"""HTTP caching of public pages: decorators of views. How it goes is in `leaderboard.http.conditional`."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse

from leaderboard.http.conditional import answer, is_anonymous, state_of_board, state_of_site

View = Callable[..., HttpResponse]
# A proxy of pictures, such as GitHub's, asks again after this long.
_PICTURE = "public, max-age=300, stale-while-revalidate=3600"


def nobodys_own(get_response: View) -> View:
    """Middleware: what says nothing of how long it may be kept is asked for again each time, and kept by no
    cache that others are served from where it may be somebody's own. What sets a cookie is somebody's own,
    whatever it says. An error is not kept at all: its page has the reader's address."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response: HttpResponse = get_response(request)
        if response.cookies and "private" not in response.headers.get("Cache-Control", ""):
            # Such as the token that Django sends in the place of one that is no token.
            del response.headers["Cache-Control"]
        if response.status_code >= 400:
            response.headers.setdefault("Cache-Control", "no-store")
        elif response.cookies or not is_anonymous(request):
            response.headers.setdefault("Cache-Control", "private, no-cache")
        else:
            response.headers.setdefault("Cache-Control", "no-cache")
        return response

    return middleware


def board_cached(view: View) -> View:
    """Decorate a view of one board, which takes `slug`."""

    @wraps(view)
    def cached(request: HttpRequest, slug: str, *args: Any, **kwargs: Any) -> HttpResponse:
        return answer(request, lambda: state_of_board(slug), lambda: view(request, slug, *args, **kwargs))

    return cached


def site_cached(view: View) -> View:
    """Decorate a view that shows all boards."""

    @wraps(view)
    def cached(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return answer(request, state_of_site, lambda: view(request, *args, **kwargs))

    return cached


def picture_cached(view: View) -> View:
    """Decorate a picture of a board or a system for other sites: everybody is shown the same. Those are let
    show it, whatever they keep out."""

    @wraps(view)
    def cached(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        slug = kwargs.get("slug")
        response = answer(
            request,
            lambda: state_of_board(slug) if slug else state_of_site(),
            lambda: view(request, *args, **kwargs),
            for_all=_PICTURE,
        )
        response["Cross-Origin-Resource-Policy"] = "cross-origin"
        return response

    return cached
