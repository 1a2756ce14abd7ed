"""Choose what is worked on next: in each lane, teams take turns.

A lane is the short submissions or the long ones (`Submission.is_long`). It is the turn of the team whose work
began the longest ago, so a team with fifty files keeps no other waiting for more than one of them.
"""

import uuid
from datetime import UTC, datetime

from django.db import transaction
from django.db.models import F, Max, Min

from leaderboard.models import Status, Submission
from leaderboard.services.submissions import admit, grade


def work_on_next(*, is_long: bool) -> bool:
    """Check or score the submission whose turn it is; return whether there was any."""
    while submission := choose_next(is_long=is_long):
        # If another thread or worker was faster, something else is next.
        if work_on(submission.pk):
            return True
    return False


def work_on(submission_id: uuid.UUID) -> bool:
    """Check or score a submission, by its status; return False where another process does, or has."""
    status = Submission.objects.values_list("status", flat=True).get(pk=submission_id)
    work = grade.score if status == Status.QUEUED else admit.check
    return work(submission_id=submission_id)


def choose_next(*, is_long: bool) -> Submission | None:
    """Return the submission of a lane whose turn it is; None if none waits."""
    rows = Submission.objects.waiting(is_long=is_long)
    teams = dict(rows.order_by().values_list("team").annotate(Min("received_at")))
    begun = Submission.objects.filter(team__in=teams, is_long=is_long, begun_at__isnull=False).order_by()
    last_turns = dict(begun.values_list("team").annotate(Max("begun_at")))
    # Teams that had no turn yet come first, and among them the one that sent first.
    long_ago = datetime.min.replace(tzinfo=UTC)
    in_turn = sorted(teams, key=lambda key: (last_turns.get(key, long_ago), teams[key]))
    # A team all of whose files someone else has locked holds up no other.
    return next(filter(None, (_next_of_team(team, is_long=is_long) for team in in_turn)), None)


def _next_of_team(team_id: int, *, is_long: bool) -> Submission | None:
    # As between teams: a file that a judge works on in slices has its turn after those that had none.
    waiting = Submission.objects.waiting(is_long=is_long)
    in_turn = waiting.order_by(F("begun_at").asc(nulls_first=True), "received_at")
    # A row that someone else has locked holds up no other.
    with transaction.atomic():
        return in_turn.filter(team=team_id).select_for_update(skip_locked=True).only("pk").first()
