"""Choose what is worked on next: in each lane, teams take turns.

A lane is the short submissions or the long ones (`Submission.is_long`). Where there are workers, the queue of
the engine has the turns (services.engine); without them it is the turn of the team whose work began the
longest ago. Either way a team with fifty files keeps no other waiting for more than one of them.
"""

from datetime import UTC, datetime

from django.db import transaction
from django.db.models import F, Max, Min

from leaderboard.models import Status, Submission
from leaderboard.services import background
from leaderboard.services.submissions import admit, grade


def take_turn(*, team_id: int, is_long: bool) -> bool:
    """Work on the next file of a team; return whether there was any.

    The next turn of the team is queued before that, behind those of others: a free worker may take it.
    """
    while submission := _next_of_team(team_id, is_long=is_long):
        waiting = Submission.objects.waiting(is_long=is_long).filter(team=team_id)
        if waiting.exclude(pk=submission.pk).exists():
            background.give_turn(team_id, is_long=is_long)
        # If another worker was faster, something else is next.
        if _work_on(submission):
            return True
    return False


def work_on_next(*, is_long: bool) -> bool:
    """Check or score the submission whose turn it is; return whether there was any."""
    while submission := choose_next(is_long=is_long):
        # If another thread was faster, something else is next.
        if _work_on(submission):
            return True
    return False


def _work_on(submission: Submission) -> bool:
    """Check or score a submission; return False where another process does, or has."""
    if submission.status == Status.QUEUED:
        return grade.score(submission_id=submission.pk)
    return admit.check(submission_id=submission.pk)


def choose_next(*, is_long: bool) -> Submission | None:
    """Return the submission of a lane whose turn it is; None if none waits."""
    rows = Submission.objects.waiting(is_long=is_long)
    by_team = rows.order_by().values("team").annotate(first=Min("received_at"))
    teams = {row["team"]: row["first"] for row in by_team}
    if not teams:
        return None
    begun = Submission.objects.filter(team__in=teams, is_long=is_long, begun_at__isnull=False).order_by()
    last_turns = dict(begun.values_list("team").annotate(Max("begun_at")))
    # Teams that had no turn yet come first, and among them the one that sent first.
    long_ago = datetime.min.replace(tzinfo=UTC)
    team = min(teams, key=lambda key: (last_turns.get(key, long_ago), teams[key]))
    return _next_of_team(team, is_long=is_long)


def _next_of_team(team_id: int, *, is_long: bool) -> Submission | None:
    # As between teams: a file that a judge works on in slices has its turn after those that had none.
    waiting = Submission.objects.waiting(is_long=is_long)
    in_turn = waiting.order_by(F("begun_at").asc(nulls_first=True), "received_at")
    # A row that someone else has locked holds up no other.
    with transaction.atomic():
        return in_turn.filter(team=team_id).select_for_update(skip_locked=True).only("status").first()
