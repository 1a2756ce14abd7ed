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
    failing: the table of the groups with a wrong task, the worst first
    correct: how many tasks, or answers of several runs, are correct, as the score counts them
    claim: the sentence with which a link is passed on
    """
    board, result = listed.submission.board, visible_result(listed.submission)
    assert result is not None, "a scored draft has a result"
    figures = figures_context(board, result)
    failing = _failing(listed, figures["tables"])
    correct = _correct(result.overall, figures.get("undecided", 0))
    claim = _("My agent on %(title)s: %(correct)s") % {"title": translated(board.title), "correct": correct}
    lacking = _lacking(listed)
    answered = [row for row in failing.rows if row[0] not in lacking] if failing else []
    for label, rate, _beside in answered[:1]:
        if 2 * _wrong(rate) > rate.total:
            values = {"title": translated(label), "wrong": _wrong(rate), "total": rate.total}
            claim += _("; it fails “%(title)s”: %(wrong)s of %(total)s wrong") % values
    return {
        "board": board,
        **figures,
        "tasks": explain_tasks(listed, _first_wrong(listed, failing) if page is None else page).tasks,
        "wrong_tasks": len(listed.wrong),
        "failing": failing,
        "correct": correct,
        "claim": claim,
        # They are on the same page.
        "task_links": {},
        "share_address": absolute_url(request, "web:shared", draft.pk) if draft.made_at else "",
        "expires_at": drafts.expires_at(draft) if draft.made_at else None,
    }


def _correct(overall: Rate | Share, undecided: int) -> str:
    text = _("%(right)s of %(total)s tasks correct")
    if overall.right == overall.total:
        text = _("all %(total)s correct")
    elif overall.runs > 1:
        text = _("%(right)s of %(total)s answers correct")
    text %= {"right": overall.right, "total": overall.total}
    return text + _(", %(undecided)s undecided") % {"undecided": undecided} if undecided else text


def _lacking(listed: TaskList) -> set[str]:
    """Return the labels of the groups that the file does not answer in full; nobody says that they fail."""
    missing = registry.get(listed.submission.board.benchmark).missing
    return {_label(listed, line) for line in listed.wrong if missing in line.reasons}


def _label(listed: TaskList, line: TaskLine) -> str:
    labels = listed.breakdown.groups if listed.breakdown else {}
    return labels.get(listed.groups.get(line.task_id, ""), "")


def _failing(listed: TaskList, tables: Sequence[GroupTable]) -> GroupTable | None:
    """Return the table of the groups with wrong answers, the worst first; None without one."""
    for table in tables:
        rows = [(label, rate, ()) for label, rate, _beside in table.rows if _wrong(rate)]
        if rows and table.breakdown is listed.breakdown:
            rows.sort(key=lambda row: -_wrong(row[1]) / row[1].total)
            return replace(table, metrics=(), rows=rows)
    return None


def _wrong(rate: Rate | Share) -> int:
    return rate.total - rate.right - rate.left_open if isinstance(rate, Rate) else 0


def _first_wrong(listed: TaskList, failing: GroupTable | None) -> list[TaskLine]:
    """Return a few wrong tasks, those in the file first: one of each group, the worst first, then others."""
    of_group = {_label(listed, line): line for line in reversed(listed.wrong)}
    lines = [of_group[label] for label, *_rest in failing.rows if label in of_group] if failing else []
    lines += [line for line in listed.wrong if line not in lines]
    missing = registry.get(listed.submission.board.benchmark).missing
    return sorted(lines, key=lambda line: {*line.reasons} == {missing})[:_FIRST]
