"""Citing a result of a system: as a line, and as an entry for BibTeX."""

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.models import System
from leaderboard.services.boards import system as system_pages
from leaderboard.services.boards.query import Query
from leaderboard.services.boards.system import OnBoard
from leaderboard.services.errors import NotFound
from leaderboard.services.exports import bibtex, csv_json
from leaderboard.services.text import percent
from leaderboard.web.shared.urls import cited
from leaderboard.web.templatetags.languages import day, translated


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A result of a board in a line, as it is cited, and the address of its BibTeX entry."""

    line: str
    bib: str


def citation_of(request: HttpRequest, system: System, found: OnBoard) -> Citation | None:
    """Return how the result on the board is cited; None where the board has no record of it."""
    benchmark, row, evaluation = found.benchmark, found.row, found.evaluation
    if row is None or row.standing.score is None or not benchmark.state.number:
        return None
    address = cited(request, Query(board=row.board), benchmark.state.number)
    values = {
        "system": row.standing.name,
        "score": percent(row.standing.score),
        "title": translated(benchmark.title),
        "date": day(benchmark.state.changed_at),
        "number": benchmark.state.number,
        "address": address,
    }
    if evaluation is None:
        said = _(
            "%(system)s: %(score)s on %(title)s. Wardboard, board as of %(date)s (event %(number)s). "
            "%(address)s"
        )
    else:
        said = _(
            "%(system)s: %(score)s on %(title)s. Wardboard, board as of %(date)s (event %(number)s), "
            "references rev. %(revision)s, scorer %(scorer)s, submission %(submission)s. %(address)s"
        )
        values |= {
            "revision": evaluation.revision.number,
            "scorer": evaluation.scorer_version,
            "submission": evaluation.submission_id,
        }
    bib = reverse("web:system-bib", args=[benchmark.slug, system.pk])
    return Citation(line=said % values, bib=bib)


@require_safe
def bib(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A citation of a system's result as it stands on a board. It has the day in it, so it is never kept."""
    try:
        system = system_pages.find_public(pk=pk)
    except NotFound as error:
        raise Http404(error.detail) from None
    parts = (one for one in system_pages.boards_of(system=system) if one.benchmark.slug == slug)
    found = next(parts, None)
    if found is None or found.row is None or found.row.standing.score is None:
        raise Http404("Nothing of the system stands on this board.")
    board = found.row.board
    provenance = board.provenance
    said = bibtex.bibtex_of_result(
        row=found.row,
        evaluation=found.evaluation,
        provenance=provenance,
        address=cited(request, Query(board=board), provenance.event),
        accessed=timezone.now().date(),
    )
    name = csv_json.file_name(board, f"system-{pk}.bib")
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-cache"}
    return HttpResponse(said, content_type="application/x-bibtex; charset=utf-8", headers=headers)
