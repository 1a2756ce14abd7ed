"""Refuse requests while the database is that of another release (services.schema)."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from leaderboard.http.problems import as_response, problem_document, status_of
from leaderboard.services import schema

_RETRY_AFTER = 30  # seconds
_FOR_PROGRAMS = ("/api/", "/healthz", "/readyz")


def refuse_while_upgrading(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: answer 503 where the tables are no longer those that this process knows.

    The request's body is not read, and nothing is stored. An error that happens before this process has
    noticed is most likely due to the same, so it asks the database then.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if schema.watch.reason() is not None:
            return _refuse(request)
        response = get_response(request)
        if response.status_code == status_of("server-error") and schema.watch.reason(now=True) is not None:
            return _refuse(request)
        return response

    return middleware


def _refuse(request: HttpRequest) -> HttpResponse:
    headers = {"Retry-After": str(_RETRY_AFTER), "Cache-Control": "no-store"}
    if request.path_info.startswith(_FOR_PROGRAMS):
        detail = "The service is being upgraded. Nothing was stored."
        return as_response(problem_document("unavailable", detail, request=request), headers)
    # Without the request: the navigation would query the database.
    return HttpResponse(render_to_string("503.html"), status=status_of("unavailable"), headers=headers)
