"""HTTP caching of public pages: decorators of views, and the default for all others."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

from leaderboard.http.conditional import answer, is_anonymous

View = Callable[..., HttpResponse]
# A proxy of pictures, such as GitHub's, asks again after these five minutes.
_PICTURE_CACHE_CONTROL = "public, max-age=300, stale-while-revalidate=3600"


class DefaultCacheControl(MiddlewareMixin):
    """Set Cache-Control where a view has not.

    - an error is not stored, since its page contains the reader's address
    - a response to a signed-in reader, or one that sets a cookie, is private
    - anything else is revalidated each time

    A response that sets a cookie is private whatever the view says.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
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


def _cached(view: View, *, is_of_board: bool, for_all: str = "") -> View:
    @wraps(view)
    def cached(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        slug = kwargs.get("slug") if is_of_board else None
        return answer(request, slug, lambda: view(request, *args, **kwargs), for_all=for_all)

    return cached


def board_cached(view: View) -> View:
    """Decorate a view of one board, which takes `slug`."""
    return _cached(view, is_of_board=True)


def site_cached(view: View) -> View:
    """Decorate a view that shows all boards."""
    return _cached(view, is_of_board=False)


def picture_cached(view: View) -> View:
    """Decorate a view of a picture that is the same for everyone, and that any site may embed."""
    cached = _cached(view, is_of_board=True, for_all=_PICTURE_CACHE_CONTROL)

    @wraps(view)
    def embeddable(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = cached(request, *args, **kwargs)
        response["Cross-Origin-Resource-Policy"] = "cross-origin"
        return response

    return embeddable
