"""Files that come through a form."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.shortcuts import render

from leaderboard.services.limits import largest_body
from leaderboard.services.store import Arrived, arrive
from scoring.limits import MIB

_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A file as it was sent."""

    file: Arrived
    name: str


def chosen_file(request: HttpRequest) -> Chosen | None:
    """Return the file of the form field `file`; None where none was chosen."""
    file = request.FILES.get("file")
    return Chosen(file=arrive(file.chunks()), name=file.name or "") if file else None


def refuse_oversized(get_response):
    """Middleware: a body above the limit gets its page before anything of it is parsed or written to disk.

    The API refuses in its own words.
    """

    def middleware(request):
        length = request.META.get("CONTENT_LENGTH") or "0"
        # The margin that the other fields and multipart framing take.
        too_large = length.isdecimal() and int(length) > largest_body() + MIB
        if not too_large or request.path.startswith("/api/"):
            return get_response(request)
        _drain(request, at_most=4 * largest_body())
        return render(request, "413.html", {"limit": largest_body()}, status=413)

    return middleware


def _drain(request: HttpRequest, at_most: int) -> None:
    # A browser that still sends when the connection closes shows a network error, not the page.
    left = at_most
    while left > 0 and (chunk := request.read(_CHUNK)):
        left -= len(chunk)
