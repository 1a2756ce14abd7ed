"""The citation of a system's result: one line of text and a BibTeX entry."""

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.services.boards.query import Query
from leaderboard.services.boards.system import OnBoard, boards_of_system, find_public_system
from leaderboard.services.exports import bibtex, csv_json
from leaderboard.web.shared.urls import permanent_url
from leaderboard.web.templatetags.languages import day, translated


def cite_result(request: HttpRequest, on_board: OnBoard) -> tuple[str, str] | None:
    """Return the citation of the result and the path of its BibTeX entry; None without a score or event."""
    board, row, evaluation = on_board.board, on_board.row, on_board.evaluation
    if row is None or row.standing.score is None or not board.state.number:
        return None
    values = {
        "system": row.standing.name,
        "score": row.score_words,
        "title": translated(board.title),
        "date": day(board.state.changed_at),
        "number": board.state.number,
        "address": permanent_url(request, Query(board_at=row.board_at)),
    }
    if evaluation is None:
        text = _(
            "%(system)s: %(score)s on %(title)s. Wardboard, leaderboard as of %(date)s (event "
            "%(number)s). %(address)s"
        )
    else:
        text = _(
            "%(system)s: %(score)s on %(title)s. Wardboard, leaderboard as of %(date)s (event "
            "%(number)s), reference answers rev. %(revision)s, grader version %(scorer)s, "
            "submission %(submission)s. %(address)s"
        )
        values |= {
            "revision": evaluation.revision.number,
            "scorer": evaluation.scorer_version,
            "submission": evaluation.submission_id,
        }
    return text % values, reverse("web:system-bib", args=[board.slug, row.standing.system_id])


@require_safe
def bib(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Serve the BibTeX entry of a system's result on a board.

    The entry states the day on which it was accessed, so no cache may keep it.
    """
    system = find_public_system(pk=pk)
    on_board = next((each for each in boards_of_system(system=system) if each.board.slug == slug), None)
    if on_board is None or on_board.row is None or on_board.row.standing.score is None:
        raise Http404("The system has no result on this leaderboard.")
    board_at = on_board.row.board_at
    entry = bibtex.bibtex_of_result(
        row=on_board.row,
        evaluation=on_board.evaluation,
        provenance=board_at.provenance,
        address=permanent_url(request, Query(board_at=board_at)),
        accessed=timezone.now().date(),
    )
    name = csv_json.file_name(board_at, f"system-{pk}.bib")
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-cache"}
    return HttpResponse(entry, content_type="application/x-bibtex; charset=utf-8", headers=headers)
