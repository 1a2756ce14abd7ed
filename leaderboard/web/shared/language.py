"""The language of a page: what its address says, and nothing else, so that pages can be cached by address."""

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import TooManyFieldsSent
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import get_script_prefix, reverse
from django.utils import translation
from django.utils.encoding import escape_uri_path

# Pages that only take a form: the page that has the form is the one to look at.
_SENT_FROM = {
    "web:cancel": "web:submission",
    "web:publish": "web:submission",
    "web:withdraw": "web:submission",
    "web:revoke": "web:tokens",
}


def language_of_address(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: answer in the language of the address.

    Not Django's own, which lets an answer vary by Accept-Language where the address names no language.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        language = translation.get_language_from_path(request.path_info) or settings.LANGUAGE_CODE
        with translation.override(language):
            request.LANGUAGE_CODE = language
            response = get_response(request)
            response.headers.setdefault("Content-Language", as_tag(language))
            return response

    return middleware


def as_tag(language: str) -> str:
    """zh-hant as zh-Hant, as BCP 47 writes scripts."""
    return translation.to_locale(language).replace("_", "-")


def path_in(language: str, request: HttpRequest) -> str:
    """Return the path and query of the same page in `language`."""
    path, match = request.path, request.resolver_match
    if match and (shown_at := _SENT_FROM.get(match.view_name)):
        path = reverse(shown_at, kwargs=match.kwargs if shown_at == "web:submission" else None)
    root = get_script_prefix()
    rest = path.removeprefix(root)
    for code, _ in settings.LANGUAGES:
        rest = rest.removeprefix(f"{code}/")
    # Whoever wrote the address must not name another host by it, and what was encoded in it stays a path.
    rest = escape_uri_path(rest.lstrip("/\\"))
    prefix = "" if language == settings.LANGUAGE_CODE else f"{language}/"
    try:
        query = request.GET.copy()
    except TooManyFieldsSent:
        # The page that says so asks too.
        query = QueryDict(mutable=True)
    # A part of a page is asked for by script only.
    query.pop("fragment", None)
    return f"{root}{prefix}{rest}" + (f"?{query.urlencode()}" if query else "")
