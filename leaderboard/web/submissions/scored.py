"""The score of a file that waits, with its wrong tasks: beside the form, and for everyone with its link."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.http.problems import status_of
from leaderboard.services.drafts import drafts
from leaderboard.services.submissions.score_draft import scored_tasks
from leaderboard.services.traces.tasks import Choice, Outcome, TaskList, explain_tasks
from leaderboard.services.visibility import TaskLine, visible_result
from leaderboard.web.submissions.figures import figures_context
from leaderboard.web.submissions.review import answer_linked
from leaderboard.web.submissions.waiting import open_boards
from leaderboard.web.templatetags.languages import translated
from wardboard.scoring import registry

_PAGE = 50


@require_safe
def show_shared(request: HttpRequest, token: str) -> HttpResponse:
    """Show the score of a draft without its file's name; what no link shows any more gets one page."""
    draft = drafts.find_shared(token)
    listed = scored_tasks(draft, open_boards()) if draft else None
    if draft is None or listed is None:
        status = status_of("not-found")
        return answer_linked(request, "web/submissions/shared_gone.html", {}, status=status)
    page = Paginator(listed.wrong, _PAGE).get_page(request.GET.get("page"))
    context = {
        **score_context(listed, wrong=[*page.object_list]),
        "page": page,
        "expires_at": drafts.expires_at(draft),
    }
    values = {"score": context["result"].score_words, "title": translated(listed.submission.board.title)}
    context["summary"] = _("%(score)s on %(title)s: every wrong task, and why.") % values
    return answer_linked(request, "web/submissions/shared.html", context)


def score_context(listed: TaskList, *, wrong: Sequence[TaskLine]) -> dict[str, Any]:
    """Return the context of templates that show the score of a draft, and some of its `wrong` tasks.

    failing: see _failing
    """
    board = listed.submission.board
    result = visible_result(listed.submission)
    assert result is not None, "a scored draft has a result"
    failing = _failing(listed)
    return {
        "board": board,
        **figures_context(board, result),
        "shown": explain_tasks(listed, wrong),
        "wrong_tasks": len(listed.wrong),
        "failing": failing,
        "claim": _claim(listed, failing),
    }


def telling_tasks(listed: TaskList, count: int) -> list[TaskLine]:
    """Return so many wrong tasks: those in the file first, of groups in turn, the worst group first."""
    missing = registry.get(listed.submission.board.benchmark).missing
    ranks = {group["key"]: rank for rank, group in enumerate(_failing(listed))}
    seen: Counter[str] = Counter()

    def order(line: TaskLine) -> tuple[bool, int, int]:
        group = listed.groups.get(line.task_id, "")
        seen[group] += 1
        return {*line.reasons} == {missing}, seen[group], ranks.get(group, 0)

    return sorted(listed.wrong, key=order)[:count]


def _failing(listed: TaskList) -> list[dict[str, Any]]:
    """Return each group with a wrong task: key, label, how many are wrong, their share; the worst first."""
    counts, totals = listed.counts("group", Choice(outcome=Outcome.WRONG)), listed.counts("group")
    groups = [
        {
            "key": key,
            "label": translated(listed.breakdown.groups[key]) if listed.breakdown else "",
            "wrong": wrong,
            "total": totals[key],
            "share": wrong / totals[key],
        }
        for key, wrong in counts.items()
    ]
    return sorted(groups, key=lambda group: (-group["share"], -group["wrong"]))


def _claim(listed: TaskList, failing: Sequence[dict[str, Any]]) -> str:
    """Return the sentence with which a link is passed on."""
    if failing:
        return _("My agent fails “%(label)s”: %(wrong)s of %(total)s tasks are wrong") % failing[0]
    values = {"wrong": f"{len(listed.wrong):,}", "tasks": f"{len(listed.lines):,}"}
    return _("My agent: %(wrong)s of %(tasks)s tasks are wrong") % values
