"""Set what is known of the errors of a judge, which changes the pages of its leaderboard."""

from dataclasses import asdict

from django.db import transaction

from leaderboard.models import AuditEvent, Board, JudgeErrors
from leaderboard.services import audit
from leaderboard.services.record import events
from wardboard.scoring.statistics.misclassification import JudgeErrorCounts


@transaction.atomic
def set_known_errors(
    *,
    board: Board,
    judge: str,
    counts: JudgeErrorCounts | None,
    source: str = "",
) -> None:
    """Store the counts in place of earlier ones for the same judge; None removes them.

    judge: its identity. source: who labelled, which pages show.
    """
    if counts is None:
        JudgeErrors.objects.filter(board=board, judge=judge).delete()
    else:
        JudgeErrors.objects.update_or_create(
            board=board, judge=judge, defaults={**asdict(counts), "source": source}
        )
    labelled = None if counts is None else counts.right + counts.wrong
    change = {"judge_errors": {"judge": judge, "labelled": labelled}}
    audit.record(AuditEvent.Action.BENCHMARK_CHANGED, board=board, fields=change)
    events.touch(board=board)
