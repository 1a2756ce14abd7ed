"""The pages for errors; those of Django's views for 403 and 404 are templates alone."""

import sys

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.deprecation import MiddlewareMixin
from django.views.defaults import page_not_found

from leaderboard.http import outages
from leaderboard.http.problems import mark_refused, status_of
from leaderboard.services.errors import Busy, NotFound, StorageAway
from leaderboard.web.shared.as_of import UnknownValues, explain


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if isinstance(exception, RequestDataTooBig):
        # Django counts the fields alone: files have limits of their own (`web.submissions.uploads`).
        context = {"fields_limit": settings.DATA_UPLOAD_MAX_MEMORY_SIZE}
        return render(request, "413.html", context, status=status_of("file.too-large"))
    return render(request, "400.html", status=status_of("request-malformed"))


class ErrorPages(MiddlewareMixin):
    """Show the page for what a service does not find for its reader, and for values that a board lacks."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, UnknownValues):
            return explain(request, exception)
        return page_not_found(request, exception) if isinstance(exception, NotFound) else None

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Give those who ask for the address of a form the page of an address without a page."""
        if not isinstance(response, HttpResponseNotAllowed):
            return response
        page = render(request, "404.html", {"status": response.status_code}, status=response.status_code)
        page.headers["Allow"] = response.headers["Allow"]
        return page


def server_error(request: HttpRequest) -> HttpResponse:
    """Return the page for an error that nothing caught, or for the outage that caused it."""
    # Django calls this while it handles the error. Without the request: the navigation would query the
    # database, which may be what failed.
    error = sys.exc_info()[1]
    code = outages.code_of(error)
    if error is None or code is None:
        return HttpResponse(render_to_string("500.html"), status=status_of("server-error"))
    detail = error.detail if isinstance(error, StorageAway) else ""
    page = render_to_string("507.html" if code == "storage-full" else "unavailable.html", {"detail": detail})
    return outages.finish(HttpResponse(page, status=status_of(code)), request, error)


def too_busy() -> HttpResponse:
    """Return the response to a request for a file or picture while too many are being made."""
    message = "Too many files and pictures are being made. Ask again in a few seconds.\n"
    headers = {"Cache-Control": "no-store"}
    page = HttpResponse(message, content_type="text/plain; charset=utf-8", headers=headers)
    return mark_refused(page, Busy(message))
