"""The pages for errors."""

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.shortcuts import render
from django.template.loader import render_to_string

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
    # Without the request: the navigation would query the database, which may be what failed.
    return HttpResponseServerError(render_to_string("500.html"))


def too_busy() -> HttpResponse:
    """Return the response to a request for a file or picture while too many are being made."""
    message = "Too many files and pictures are being made. Ask again in a few seconds.\n"
    headers = {"Retry-After": str(RETRY_AFTER), "Cache-Control": "no-store"}
    return HttpResponse(message, status=503, content_type="text/plain; charset=utf-8", headers=headers)
