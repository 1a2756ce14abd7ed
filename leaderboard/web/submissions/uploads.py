"""Files that come through a form."""

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard.http import uploads
from leaderboard.http.uploads import Incoming
from leaderboard.models import Benchmark
from leaderboard.services.files.read import largest_body, largest_check, limits_of
from scoring.reading.limits import MIB

_CHUNK = 64 * 1024
# What the other fields and the framing of a form may take.
_MARGIN = MIB


def chosen_file(request: HttpRequest) -> Incoming | None:
    """Return the file of the form field `file`; None where none was chosen. Raises NoRoom."""
    uploads.raise_no_room(request)
    # The first: of others nothing was written.
    given = request.FILES.getlist(uploads.FIELD)
    return uploads.file_in_form(given[0]) if given else None


class Gate:
    """Middleware: what a form may carry is settled by who sends it, and where to, before any of it is read.

    The check of the form's token reads the whole body, so it has to come after this. The API has limits of
    its own.
    """

    def __init__(self, get_response) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view, args, kwargs) -> HttpResponse | None:
        where = request.resolver_match.view_name
        if request.method != "POST" or where.startswith("api:"):
            return None
        said = request.META.get("CONTENT_LENGTH") or "0"
        length = int(said) if said.isascii() and said.isdecimal() else 0
        if where == "web:submit" and not request.user.is_authenticated:
            _drain(request)
            return redirect_to_login(request.path)
        limit = _limit(request, where, kwargs)
        if length > (limit or settings.DATA_UPLOAD_MAX_MEMORY_SIZE) + _MARGIN:
            _drain(request)
            needs_account = where == "web:check" and limit < largest_body()
            return render(request, "413.html", {"limit": limit, "needs_account": needs_account}, status=413)
        if limit:
            uploads.expect_file(request)
        return None


def _limit(request: HttpRequest, where: str, kwargs: dict) -> int:
    """Return how many bytes a file sent to the page may have; 0 where none is taken."""
    if where == "web:check":
        return largest_check(has_account=request.user.is_authenticated)
    if where != "web:submit":
        return 0
    family = Benchmark.objects.filter(slug=kwargs["slug"]).values_list("family", flat=True).first()
    return limits_of(family).body_bytes if family else 0


def _drain(request: HttpRequest) -> None:
    # A browser that still sends when the connection closes shows a network error, not the page.
    left = 2 * largest_body()
    while left > 0 and (chunk := request.read(_CHUNK)):
        left -= len(chunk)
