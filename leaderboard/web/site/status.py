"""The page that shows what works now. It answers also while the database does not."""

from dataclasses import dataclass

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from leaderboard.http.conditional import is_anonymous
from leaderboard.services.health.queues import Queue, Waiting
from leaderboard.services.health.status import ServiceStatus, State, read_status

_TEMPLATE = "web/site/status.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of the service, its state, and what that means for readers and submitters."""

    label: str
    state: State
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What waits in one lane."""

    label: str
    waiting: Waiting


@require_safe
def show_status(request: HttpRequest) -> HttpResponse:
    """Show the state of each part, how much waits, and how many files failed through our fault."""
    status = read_status()
    if status.is_database_up:
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
    return {"status": status, "parts": _parts(status), "lines": _lines(status)}


def _parts(status: ServiceStatus) -> list[Part]:
    parts = [
        Part(label=gettext("Submitting files"), state=status.submitting, text=_submitting(status.submitting)),
        Part(label=gettext("Scoring"), state=status.scoring, text=_scoring(status.scoring)),
    ]
    if status.judging is not None:
        parts.append(
            Part(
                label=gettext("Judging by a language model"),
                state=status.judging,
                text=_judging(status.judging),
            )
        )
    text = _statistics(status.statistics)
    parts.append(Part(label=gettext("Statistics of leaderboards"), state=status.statistics, text=text))
    return parts


def _submitting(state: State) -> str:
    if state == State.WORKING:
        return gettext("Files are accepted and stored.")
    return gettext("No file can be accepted now. Files that were accepted before are kept.")


def _scoring(state: State) -> str:
    match state:
        case State.WORKING:
            return gettext("Files are checked and scored.")
        case State.SLOW:
            return gettext("Files are accepted, but some wait longer than usual for their score.")
        case State.STOPPED:
            return gettext(
                "Files wait, and are scored as soon as scoring works again. Do not send them twice."
            )


def _judging(state: State) -> str:
    match state:
        case State.WORKING:
            return gettext("No file waits for its judge.")
        case State.SLOW:
            return gettext("Some files wait for their judge, and continue where they stopped.")
        case State.STOPPED:
            return gettext("No language model is set up. Files that need one wait.")


def _statistics(state: State) -> str:
    match state:
        case State.WORKING:
            return gettext("Confidence intervals and tests follow each change within minutes.")
        case State.SLOW:
            return gettext("Rank intervals and tests of some leaderboards are late. Scores appear at once.")
        case State.STOPPED:
            return gettext("Rank intervals and tests are not computed now.")


def _lines(status: ServiceStatus) -> list[Line]:
    labels = {
        Queue.SHORT: gettext("Scoring queue"),
        Queue.LONG: gettext("Large and judged files"),
        Queue.JUDGE: gettext("Waiting for a judge"),
        Queue.STATISTICS: gettext("Statistics queue"),
    }
    return [Line(label=labels[queue], waiting=waiting) for queue, waiting in (status.waiting or {}).items()]
