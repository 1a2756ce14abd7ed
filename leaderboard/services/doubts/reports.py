"""Report a doubtful reference, privately; list the reports by task, and decline them.

Nothing here reads a reference or a verdict: a report is the same whether the answer was right or wrong.
"""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.models import (
    AuditEvent,
    Board,
    Doubt,
    DoubtKind,
    DoubtState,
    ReferenceRevision,
    Submission,
    Team,
    User,
)
from leaderboard.services import audit
from leaderboard.services.errors import DoubtInvalid, NotFound, QuotaSpent, WrongState
from leaderboard.services.publishing.disqualify import read_reason
from leaderboard.services.text import has_visible_character, join_names, remove_hidden_characters
from wardboard.scoring.reading.problems import Problem, quote

MOST_A_DAY = 10  # reports of a team, on all boards together
_DAY = timedelta(days=1)
LONGEST_TEXT = 1000


@transaction.atomic
def report(*, submission_id: uuid.UUID, team: Team, by: User, task_id: str, kind: str, text: str) -> Doubt:
    """Report to the organisers that the reference of a task may be wrong, from the page of a result.

    task_id, kind, text: as they were sent. A second report of a task replaces the kind and the text of the
    first while that is open. Raises NotFound, WrongState without a result, DoubtInvalid with every problem,
    QuotaSpent.
    """
    # Locked first, so that the reports of a team are counted one by one.
    Team.objects.select_for_update(no_key=True).values_list("pk").get(pk=team.pk)
    submission = (
        Submission.objects.filter(pk=submission_id, team=team)
        .select_related("board__active_revision")
        .defer("board__active_revision__content")
        .first()
    )
    if submission is None:
        raise NotFound(_("You have no such submission."))
    if submission.evaluation_id is None:
        raise WrongState(_("Tasks can be reported once the file is scored."))
    board = submission.board
    revision = board.ground_truth
    task = task_id.strip()
    if problems := [*_problems_of(revision, task, kind, text)]:
        raise DoubtInvalid(problems)
    explained = remove_hidden_characters(text)
    stored = Doubt.objects.filter(board=board, team=team, task_id=task, state=DoubtState.OPEN).first()
    if stored is not None:
        stored.kind, stored.text = kind, explained
        stored.save(update_fields=["kind", "text"])
        return stored
    now = timezone.now()
    latest = Doubt.objects.filter(team=team, reported_at__gt=now - _DAY).order_by("-reported_at")
    times = list(latest.values_list("reported_at", flat=True)[:MOST_A_DAY])
    if len(times) == MOST_A_DAY:
        message = _("A team can report %(most)s tasks in 24 hours.") % {"most": MOST_A_DAY}
        raise QuotaSpent(message, retry_after=max(1, round((times[-1] + _DAY - now).total_seconds())))
    doubt = Doubt.objects.create(
        board=board,
        team=team,
        submission=submission,
        revision=revision,
        task_id=task,
        kind=kind,
        text=explained,
        reported_by=by,
    )
    audit.record(AuditEvent.Action.DOUBT_REPORTED, actor=by, board=board, team=team.pk, task=task)
    return doubt


def _problems_of(revision: ReferenceRevision, task: str, kind: str, text: str) -> Iterable[Problem]:
    invalid, unknown = "request.value-invalid", "request.value-unknown"
    if any(aside["task"] == task for aside in revision.set_aside):
        message = _("The task “%(task)s” is set aside already.") % {"task": quote(task)}
        hint = _("The page about the leaderboard gives the reason.")
        yield Problem(code=invalid, pointer="/task_id", message=message, hint=hint)
    elif task not in revision.task_ids:
        message = _("“%(task)s” is not a task on this leaderboard.") % {"task": quote(task)}
        hint = _("Copy the id of the task from your result file.")
        yield Problem(code=unknown, pointer="/task_id", message=message, hint=hint)
    if kind not in DoubtKind.values:
        message = _("The reason is missing, or is none of the choices.")
        hint = _("Choose one of: %(kinds)s.") % {"kinds": join_names(_(kind.label) for kind in DoubtKind)}
        yield Problem(code=unknown, pointer="/reason", message=message, hint=hint)
    if len(text) > LONGEST_TEXT or (kind == DoubtKind.OTHER and not has_visible_character(text)):
        message = _("The explanation is missing, or too long.")
        hint = _("Say what makes the reference doubtful, in up to %(most)s characters.")
        hint %= {"most": f"{LONGEST_TEXT:,}"}
        yield Problem(code=invalid, pointer="/text", message=message, hint=hint)


@transaction.atomic
def decline(*, board: Board, task_id: str, by: User, reason: str) -> int:
    """Decline the open reports of a task; return how many there were, 0 where someone decided before.

    reason: for the teams that reported it. Raises ReasonRefused.
    """
    reason = read_reason(reason)
    if not task_id.isprintable():
        # PostgreSQL would refuse to search for a NUL.
        return 0
    declined = Doubt.objects.filter(board=board, task_id=task_id, state=DoubtState.OPEN).update(
        state=DoubtState.DECLINED, answer=reason, decided_by=by, decided_at=timezone.now()
    )
    if declined:
        audit.record(
            AuditEvent.Action.DOUBT_DECLINED,
            actor=by,
            board=board,
            task=task_id,
            teams=declined,
            reason=reason,
        )
    return declined


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtedTask:
    """A task that teams reported. doubts: the reports, newest first"""

    task_id: str
    doubts: Sequence[Doubt]

    @property
    def open_doubts(self) -> list[Doubt]:
        return [doubt for doubt in self.doubts if doubt.state == DoubtState.OPEN]

    @property
    def teams(self) -> int:
        """The number of teams with an open report."""
        return len({doubt.team_id for doubt in self.open_doubts})


def doubted_tasks(board: Board) -> list[DoubtedTask]:
    """Return the reported tasks, those with most open reports first."""
    by_task = defaultdict[str, list[Doubt]](list)
    rows = Doubt.objects.filter(board=board)
    for doubt in rows.select_related("team", "reported_by", "decided_by", "submission__system"):
        by_task[doubt.task_id].append(doubt)
    tasks = [DoubtedTask(task_id=task, doubts=doubts) for task, doubts in by_task.items()]
    return sorted(tasks, key=lambda task: (-task.teams, task.task_id))
