"""The pages for errors."""

import sys
from http import HTTPStatus

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.shortcuts import render
from django.template.loader import render_to_string

from leaderboard.http import outages
from leaderboard.http.problems import PROBLEM_TYPES
from leaderboard.services.files.read import largest_body
from leaderboard.services.turns import RETRY_AFTER


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if isinstance(exception, RequestDataTooBig):
        return render(request, "413.html", {"limit": largest_body()}, status=413)
    return render(request, "400.html", status=400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return render(request, "403.html", status=403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return render(request, "403_csrf.html", status=403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return render(request, "404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Return the page for an error that nothing caught, or for the outage that caused it."""
    # Django calls this while it handles the error. Without the request: the navigation would query the
    # database, which may be what failed.
    error = sys.exc_info()[1]
    code = outages.code_of(error)
    if error is None or code is None:
        return HttpResponseServerError(render_to_string("500.html"))
    status = PROBLEM_TYPES[code].status
    page = render_to_string("507.html" if status == HTTPStatus.INSUFFICIENT_STORAGE else "unavailable.html")
    return outages.finish(HttpResponse(page, status=status), request, error)


def too_busy() -> HttpResponse:
    """Return the response to a request for a file or picture while too many are being made."""
    message = "Too many files and pictures are being made. Ask again in a few seconds.\n"
    headers = {"Retry-After": str(RETRY_AFTER), "Cache-Control": "no-store"}
    return HttpResponse(message, status=503, content_type="text/plain; charset=utf-8", headers=headers)
