"""The page that shows what works now. It answers also while the database does not."""

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from leaderboard.http.conditional import is_anonymous
from leaderboard.services.health.queues import Queue
from leaderboard.services.health.status import ServiceStatus, read_status

_TEMPLATE = "web/site/status.html"


@require_safe
def show_status(request: HttpRequest) -> HttpResponse:
    """Show whether the service works, how much waits, and how many files failed through our fault."""
    status = read_status()
    if status.waiting is not None:
        try:
            page = render(request, _TEMPLATE, _context(status))
            if is_anonymous(request):
                page.headers["Cache-Control"] = "public, max-age=5"
                patch_vary_headers(page, ["Cookie"])
            return page
        except DatabaseError:
            # It went away since: the navigation and the session need it.
            status = read_status(is_new=True)
    # Without the request, so that neither is read.
    text = render_to_string(_TEMPLATE, {**_context(status), "is_cut_off": True})
    return HttpResponse(text, headers={"Cache-Control": "no-store"})


def _context(status: ServiceStatus) -> dict[str, object]:
    labels = {
        Queue.SHORT: gettext("Scoring queue"),
        Queue.LONG: gettext("Large and judged files"),
        Queue.JUDGE: gettext("Waiting for a judge"),
        Queue.STATISTICS: gettext("Statistics queue"),
    }
    return {
        "status": status,
        "lines": [(labels[queue], waiting) for queue, waiting in (status.waiting or {}).items()],
    }
