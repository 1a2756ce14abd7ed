"""The public pages of a board as a reader without an account gets them, for its organisers."""

import re
from io import BytesIO

from django.contrib.auth.models import AnonymousUser
from django.core.handlers.wsgi import WSGIRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import get_script_prefix, resolve, reverse

from leaderboard.web.organise.access import desk_page, find_board
from leaderboard.web.shared.signed_in_request import SignedInRequest

# The pages of a board that this view shows, and their addresses below that of the board. Links between them
# stay in the view; all others lead out of it.
_PAGES = {"web:board", "web:about", "web:changes", "web:compare", "web:view"}
_BELOW_BOARD = r"(?:about/|changes/|compare/|views/[\w-]+/)?"
# Of the organiser's request nothing else is passed on: no cookie, account, token or network address.
_PASSED_ON = (
    *("HTTP_HOST", "SERVER_NAME", "SERVER_PORT", "HTTP_X_FORWARDED_PROTO", "HTTP_HX_REQUEST"),
    *("SCRIPT_NAME", "QUERY_STRING", "wsgi.url_scheme"),
)
_HEADER = '<header class="bar"'


@desk_page("GET")
def show_as_reader(request: SignedInRequest, slug: str, page: str = "") -> HttpResponse:
    """Show a public page of a board with a banner above it, whether the board is open or not."""
    board = find_board(request, slug)
    reader = _reader_of(request, reverse("web:board", args=[slug]) + page)
    match = resolve(reader.path_info)
    if match.view_name not in _PAGES or match.kwargs["slug"] != slug:
        raise Http404
    reader.resolver_match = match
    answer: HttpResponse = match.func(reader, *match.args, **match.kwargs)
    public = re.compile(
        rf'(^|(?:href|action|hx-get)=")((?:/[\w-]+)*?)/benchmarks/{slug}/({_BELOW_BOARD})(?=["?#]|$)'
    )
    own = rf"\1\2/organise/boards/{slug}/as-reader/\3"
    text = public.sub(own, answer.text)
    if _HEADER in text:
        banner = render_to_string("web/organise/partials/as_reader.html", {"board": board})
        text = text.replace(_HEADER, banner.strip() + _HEADER, 1)
    # A new response: caches may keep the public one, and not this one.
    shown = HttpResponse(text, status=answer.status_code, content_type=answer.headers["Content-Type"])
    for name in ("Location", "HX-Push-Url"):
        if name in answer.headers:
            shown.headers[name] = public.sub(own, answer.headers[name])
    return shown


def _reader_of(request: HttpRequest, path: str) -> WSGIRequest:
    """Return the request that a reader without an account would send for `path`."""
    environ = {name: request.META[name] for name in _PASSED_ON if name in request.META}
    path_info = path.removeprefix(get_script_prefix().rstrip("/"))
    environ |= {
        "REQUEST_METHOD": "GET",
        # As WSGI has it.
        "PATH_INFO": path_info.encode().decode("latin-1"),
        "wsgi.input": BytesIO(),
    }
    reader = WSGIRequest(environ)
    reader.user = AnonymousUser()
    reader.LANGUAGE_CODE = request.LANGUAGE_CODE
    return reader
