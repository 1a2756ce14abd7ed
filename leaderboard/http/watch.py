"""Give each request an id, for its log lines and its response (X-Request-ID), and count it by its route."""

import re
from collections.abc import Callable
from time import perf_counter

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from leaderboard.monitoring import ids, metrics

HEADER = "X-Request-ID"
# What proxies send: UUIDs, hexadecimal digits, ULIDs. Nothing that could be a line, or a sentence.
_WELL_FORMED = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{7,63}")
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


def watch_requests(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: give a request its id, that of a trusted proxy or a new one; count its response."""

    def middleware(request: HttpRequest) -> HttpResponse:
        started = perf_counter()
        given = request.headers.get(HEADER, "") if settings.BEHIND_PROXY else ""
        request_id = given if _WELL_FORMED.fullmatch(given) else ids.new_id()
        with ids.bound(request_id=request_id):
            response = get_response(request)
        response.headers[HEADER] = request_id
        # Without a route: static files, unknown addresses, and requests that were refused before.
        route = request.resolver_match.view_name if request.resolver_match else "none"
        method = request.method if request.method in _METHODS else "other"
        metrics.REQUESTS.labels(route, method, str(response.status_code)).inc()
        metrics.REQUEST_SECONDS.labels(route).observe(perf_counter() - started)
        return response

    return middleware
