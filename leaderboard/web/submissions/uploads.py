"""Take files from forms, within the limits of the page and its user."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin

from leaderboard.http import uploads
from leaderboard.http.problems import status_of
from leaderboard.http.readers import reader_of
from leaderboard.models import Board
from leaderboard.services.access import managed_boards
from leaderboard.services.files.read import largest_check, largest_file, limits_of
from wardboard.scoring import registry
from wardboard.scoring.reading.limits import MIB

# Bytes for the other fields and the framing of a form.
_MARGIN = MIB
# The page that takes files from visitors, who have a smaller limit.
_FOR_VISITORS = "web:choose"
# The pages of the desk that take files, which never reach the store, with their largest sizes in bytes.
_OF_DESK = {
    "web:organise-import": lambda: settings.REFERENCE_UPLOAD_BYTES,
    "web:organise-declaration": lambda: settings.REFERENCE_UPLOAD_BYTES,
    "web:organise-reported": lambda: MIB,
}


def limits_context(boards: Iterable[Board], *, has_account: bool) -> dict[str, Any]:
    """Return what files can be sent to `boards`, by benchmark, and how large the largest may be.

    accepted: title, and fields of a row -> the limit in bytes for who asks, and the one with an account
    """
    accepted = {}
    for slug in dict.fromkeys(board.benchmark for board in boards):
        benchmark = registry.get(slug)
        title = f"{benchmark.title}: {benchmark.fields}" if benchmark.fields else benchmark.title
        accepted[title] = [largest_file(slug, has_account=has) for has in (has_account, True)]
    return {
        "accepted": accepted,
        "limit": max((limit for limit, _whole in accepted.values()), default=0),
        "needs_account": any(limit < whole for limit, whole in accepted.values()),
    }


class UploadGate(MiddlewareMixin):
    """Middleware that limits the body of a form by its page and user, before any of it is read.

    It has to come before the CSRF check, which reads the whole body. The API has limits of its own. A body
    that is refused is not read: gunicorn ends the connection once the client has the answer.
    """

    def process_view(
        self, request: HttpRequest, view: object, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        view_name = request.resolver_match.view_name if request.resolver_match else ""
        if request.method != "POST" or view_name.startswith("api:"):
            return None
        length = uploads.announced_length(request) or 0
        if view_name == "web:submit" and not request.user.is_authenticated:
            return redirect_to_login(request.path)
        limit = _limit(request, view_name, kwargs)
        if length > (limit or settings.DATA_UPLOAD_MAX_MEMORY_SIZE) + _MARGIN:
            context = {
                "limit": limit,
                "fields_limit": settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
                "needs_account": view_name == _FOR_VISITORS and limit < largest_check(has_account=True),
                "takes_gzip": view_name != "web:organise-reported",
            }
            return render(request, "413.html", context, status=status_of("file.too-large"))
        if view_name in _OF_DESK and limit:
            request.upload_handlers = [uploads.ReferenceUploadHandler(request)]
        elif limit:
            uploads.expect_file(request)
        return None


def _limit(request: HttpRequest, view_name: str, kwargs: dict[str, Any]) -> int:
    """Return the largest size in bytes of a file sent to a page; 0 where it takes none."""
    if view_name == _FOR_VISITORS:
        return largest_check(has_account=request.user.is_authenticated)
    if view_name in _OF_DESK:
        reader = reader_of(request)
        of_board = managed_boards(reader).filter(slug=kwargs.get("slug", ""))
        is_taken = of_board.exists() if kwargs else reader.is_organiser and reader.is_confirmed
        return _OF_DESK[view_name]() if is_taken else 0
    if view_name != "web:submit":
        return 0
    benchmark = Board.objects.filter(slug=kwargs["slug"]).values_list("benchmark", flat=True).first()
    return limits_of(benchmark).body_bytes if benchmark else 0
