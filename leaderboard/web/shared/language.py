"""The language of a page. Only the address decides it, so that caches can go by address."""

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import TooManyFieldsSent
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import get_script_prefix
from django.utils import translation
from django.utils.encoding import escape_uri_path
from django.utils.translation import gettext, ngettext

from leaderboard.models import User
from wardboard.scoring.reading.messages import Phrase

DESK = "organise/"
# What is in English for everyone says nothing about a person.
IN_ENGLISH = ("/api/", "/admin/", f"/{DESK}")


def language_of_address(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: respond in the language of the address.

    Django's own varies the response by Accept-Language where the address names no language.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        language = translation.get_language_from_path(request.path_info) or settings.LANGUAGE_CODE
        if request.path_info.startswith(f"/{language}/{DESK}"):
            # A page in another language links to the desk, which is in English alone.
            return HttpResponseRedirect(path_in(settings.LANGUAGE_CODE, request))
        with translation.override(language):
            request.LANGUAGE_CODE = language
            response = get_response(request)
            response.headers.setdefault("Content-Language", as_tag(language))
            # Store the language of a person who signs in or sends a form: emails are written in it.
            is_form = request.method == "POST" and not request.path_info.startswith(IN_ENGLISH)
            user = getattr(request, "user", None) if is_form and response.status_code < 400 else None
            if user is not None and user.is_authenticated and user.language != language:
                User.objects.filter(pk=user.pk).update(language=language)
            return response

    return middleware


def as_tag(language: str) -> str:
    """Return the tag of a language as BCP 47 writes it: zh-Hant for zh-hant."""
    return translation.to_locale(language).replace("_", "-")


def path_in(language: str, request: HttpRequest) -> str:
    """Return the path and query of the same page in `language`."""
    root = get_script_prefix()
    rest = request.path.removeprefix(root)
    for code, _ in settings.LANGUAGES:
        rest = rest.removeprefix(f"{code}/")
    # The rest must stay a path: leading slashes would name another host, and so might what was encoded.
    rest = escape_uri_path(rest.lstrip("/\\"))
    prefix = "" if language == settings.LANGUAGE_CODE else f"{language}/"
    try:
        query = request.GET.copy()
    except TooManyFieldsSent:
        # The error page for this links to other languages too.
        query = QueryDict(mutable=True)
    # Only scripts request a fragment of a page.
    query.pop("fragment", None)
    return f"{root}{prefix}{rest}" + (f"?{query.urlencode()}" if query else "")


def in_words(text: str) -> str:
    """Translate `text`, such as the message of a remark, and leave its values as they are.

    It stays English without a translation, or with one that does not fit the values.
    """
    if not isinstance(text, Phrase) or not text.values:
        # The catalogue has its own head under the empty text.
        return gettext(text.template if isinstance(text, Phrase) else text) if text else ""
    values = {
        name: in_words(value) if isinstance(value, Phrase) else value for name, value in text.values.items()
    }
    try:
        if text.plural:
            return ngettext(text.template, text.plural, int(text.values["n"])).format_map(values)
        return gettext(text.template).format_map(values)
    except (AttributeError, LookupError, TypeError, ValueError):
        # A mistake in the catalogue must not break the page.
        return str(text)
