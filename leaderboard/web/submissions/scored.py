"""The score of a file that waits, with its wrong tasks: beside the form, and for everyone with its link."""

import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.http.problems import status_of
from leaderboard.models import Draft
from leaderboard.services.drafts import drafts
from leaderboard.services.submissions.score_draft import scored_tasks
from leaderboard.services.traces.tasks import TaskList, explain_tasks
from leaderboard.services.visibility import TaskLine, visible_result
from leaderboard.web.shared.group_tables import GroupTable
from leaderboard.web.shared.urls import absolute_url
from leaderboard.web.submissions.figures import figures_context
from leaderboard.web.submissions.review import answer_linked
from leaderboard.web.submissions.waiting import open_boards
from leaderboard.web.templatetags.languages import translated
from wardboard.scoring import registry
from wardboard.scoring.verdicts import Rate, Share

_FIRST, _PAGE = 3, 50  # wrong tasks in sight: beside the form, and on a page of its own


@require_safe
def show_shared(request: HttpRequest, draft_id: uuid.UUID) -> HttpResponse:
    """Show the score of a draft without its file's name; the address, a random number, is the secret."""
    draft = drafts.find_waiting(draft_id)
    listed = scored_tasks(draft, open_boards()) if draft else None
    if draft is None or listed is None:
        status, gone = status_of("not-found"), "web/submissions/review_gone.html"
        return answer_linked(request, gone, {"is_score": True}, status=status)
    page = Paginator(listed.wrong, _PAGE).get_page(request.GET.get("page"))
    context = {**score_context(request, draft, listed, page=[*page.object_list]), "page": page}
    return answer_linked(request, "web/submissions/shared.html", context)


def score_context(
    request: HttpRequest, draft: Draft, listed: TaskList, *, page: list[TaskLine] | None = None
) -> dict[str, Any]:
    """Return the context of templates that show the score of a draft, and some of its wrong tasks.

    page: these tasks; None for the first few
    """
    board, result = listed.submission.board, visible_result(listed.submission)
    assert result is not None, "a scored draft has a result"
    figures = figures_context(board, result)
    failing = _failing(listed, figures["tables"])
    values = {"title": translated(board.title), "wrong": len(listed.wrong), "total": len(listed.lines)}
    claim = _("My agent on %(title)s: %(wrong)s of %(total)s wrong") % values
    if failing:
        label, rate, _beside = failing.rows[0]
        values = {"title": translated(label), "wrong": _wrong(rate), "total": rate.total}
        claim = _("My agent fails “%(title)s”: %(wrong)s of %(total)s wrong") % values
    return {
        "board": board,
        **figures,
        "tasks": explain_tasks(listed, _first_wrong(listed, failing) if page is None else page).tasks,
        "wrong_tasks": len(listed.wrong),
        "failing": failing,
        "claim": claim,
        # They are on the same page.
        "task_links": {},
        "share_address": absolute_url(request, "web:shared", draft.pk) if draft.made_at else "",
        "expires_at": drafts.expires_at(draft) if draft.made_at else None,
    }


def _failing(listed: TaskList, tables: Sequence[GroupTable]) -> GroupTable | None:
    """Return the table of the groups with wrong answers, the worst first; None without one."""
    for table in tables:
        rows = [(label, rate, ()) for label, rate, _beside in table.rows if _wrong(rate)]
        if rows and table.breakdown is listed.breakdown:
            return replace(table, metrics=(), rows=sorted(rows, key=lambda row: row[1].rate or 0))
    return None


def _wrong(rate: Rate | Share) -> int:
    return rate.total - rate.right - rate.left_open if isinstance(rate, Rate) else 0


def _first_wrong(listed: TaskList, failing: GroupTable | None) -> list[TaskLine]:
    """Return a few wrong tasks, those in the file first: one of each group, the worst first, then others."""
    labels = listed.breakdown.groups if listed.breakdown else {}
    of_group = {labels.get(listed.groups.get(line.task_id, "")): line for line in reversed(listed.wrong)}
    lines = [of_group[label] for label, *_rest in failing.rows if label in of_group] if failing else []
    lines += [line for line in listed.wrong if line not in lines]
    missing = registry.get(listed.submission.board.benchmark).missing
    return sorted(lines, key=lambda line: {*line.reasons} == {missing})[:_FIRST]
