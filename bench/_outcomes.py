"""What became of the files of a fault: lost, doubled, stuck or wrong.

Django has to be set up before any of these is called.
"""

import time
from contextlib import suppress
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the files of a fault.

    seconds: from its end until no file that was accepted by then was on its way.
    seconds_all: the same for all files, also those that were sent again after its end.
    pages_p95, pages_worst: seconds that readers waited for a page during the fault.
    pages_missing: pages that were not shown then.
    """

    files: int
    lost: int
    doubled: int
    stuck: int
    wrong: int
    seconds: float
    seconds_all: float
    refused: int
    pages_p95: float
    pages_worst: float
    pages_missing: int


def wait_for_end(accepted: list[str], until: float) -> int:
    """Return how many are still on their way at the end."""
    from django.db import DatabaseError, close_old_connections  # noqa: PLC0415

    from leaderboard.models import Submission  # noqa: PLC0415
    from leaderboard.models.submissions import PENDING  # noqa: PLC0415

    left = len(accepted)
    while left:
        with suppress(DatabaseError):
            close_old_connections()
            left = Submission.objects.filter(pk__in=accepted, status__in=PENDING).count()
        if left and time.monotonic() > until:
            break
        time.sleep(0.3)
    return left


def count(accepted: list[str], files: int) -> tuple[int, int]:
    """Return how many files are lost (never accepted, without a row, or failed), and how many doubled."""
    from django.db.models import Count, Q  # noqa: PLC0415

    from leaderboard.models import AuditEvent, Evaluation, Status, Submission  # noqa: PLC0415

    rows = Submission.objects.filter(pk__in=accepted)
    ended_badly = Q(status__in=(Status.FAILED, Status.CANCELLED, Status.REJECTED))
    lost = files - rows.exclude(ended_badly).count()
    evaluations = Evaluation.objects.filter(submission__in=accepted).values("submission")
    twice = evaluations.annotate(times=Count("pk")).filter(times__gt=1).count()
    events = AuditEvent.objects.filter(submission__in=accepted, action=AuditEvent.Action.SCORED)
    twice += events.values("submission").annotate(times=Count("pk")).filter(times__gt=1).count()
    return lost, twice + len(accepted) - len(set(accepted))


def count_wrong(accepted: list[str]) -> int:
    """Return how many results differ from an undisturbed scoring, by the verdicts that the judge gave."""
    from leaderboard.models import Submission  # noqa: PLC0415
    from leaderboard.services.judging import judge as judging  # noqa: PLC0415
    from leaderboard.services.judging.budget import DatabaseLedger  # noqa: PLC0415
    from leaderboard.services.submissions import grade  # noqa: PLC0415

    wrong = 0
    rows = Submission.objects.filter(pk__in=accepted, evaluation__isnull=False)
    for submission in rows.select_related("board__active_revision", "evaluation__revision"):
        ledger = DatabaseLedger(submission=submission)
        judge = judging.judge_of_board(submission.board, ledger)
        revision = submission.evaluation.revision
        card = grade.grade(submission, revision, judge)
        again = grade.build_evaluation(submission, revision, card, judge)
        figures = [(row.right, row.metrics, bytes(row.verdicts)) for row in (submission.evaluation, again)]
        wrong += figures[0] != figures[1] or bool(ledger.recorded)
    return wrong
