"""HTTP caching of public pages: decorators of views, and the default for all others."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse

from leaderboard.http.conditional import answer, is_anonymous

View = Callable[..., HttpResponse]
# A proxy of pictures, such as GitHub's, asks again after these five minutes.
_PICTURE_CACHE_CONTROL = "public, max-age=300, stale-while-revalidate=3600"


def default_cache_control(get_response: View) -> View:
    """Middleware: set Cache-Control where a view has not.

    - an error is not stored, since its page contains the reader's address
    - a response to a signed-in reader, or one that sets a cookie, is private
    - anything else is revalidated each time

    A response that sets a cookie is private whatever the view says.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response: HttpResponse = get_response(request)
        if response.cookies and "private" not in response.headers.get("Cache-Control", ""):
            # Django replaces an invalid CSRF cookie on any page.
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
        return answer(request, slug, lambda: view(request, slug, *args, **kwargs))

    return cached


def site_cached(view: View) -> View:
    """Decorate a view that shows all boards."""

    @wraps(view)
    def cached(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return answer(request, None, lambda: view(request, *args, **kwargs))

    return cached


def picture_cached(view: View) -> View:
    """Decorate a view of a picture that is the same for everyone, and that any site may embed."""

    @wraps(view)
    def cached(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = answer(
            request,
            kwargs.get("slug"),
            lambda: view(request, *args, **kwargs),
            for_all=_PICTURE_CACHE_CONTROL,
        )
        response["Cross-Origin-Resource-Policy"] = "cross-origin"
        return response

    return cached
