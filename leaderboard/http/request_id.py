"""The id of each request: in its log lines, and in the header X-Request-ID of its response."""

import re
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from leaderboard.monitoring import ids

HEADER = "X-Request-ID"
# What proxies send: UUIDs, hexadecimal digits, ULIDs. Nothing that could be a line, or a sentence.
_WELL_FORMED = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{7,63}")


def request_ids(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: give a request its id, that of a trusted proxy or a new one."""

    def middleware(request: HttpRequest) -> HttpResponse:
        request_id = _of_proxy(request) or ids.new_id()
        with ids.bound(request_id=request_id):
            response = get_response(request)
        response.headers[HEADER] = request_id
        return response

    return middleware


def _of_proxy(request: HttpRequest) -> str | None:
    given = request.headers.get(HEADER, "") if settings.BEHIND_PROXY else ""
    return given if _WELL_FORMED.fullmatch(given) else None
