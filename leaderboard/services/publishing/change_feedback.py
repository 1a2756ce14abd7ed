"""Change how much of the verdicts of a leaderboard is shown."""

from django.db import transaction

from leaderboard.models import AuditEvent, Benchmark, Feedback, User
from leaderboard.services import audit
from leaderboard.services.record import events


@transaction.atomic
def change_feedback(*, benchmark: Benchmark, level: Feedback, by: User, reason: str) -> bool:
    """Set the feedback level, and return whether it changed. reason: for the audit log."""
    locked = Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
    if locked.feedback == level:
        return False
    was, locked.feedback = locked.feedback, level
    locked.save(update_fields=["feedback"])
    changes = {"feedback": {"was": was, "now": level.value}}
    audit.record(
        AuditEvent.Action.BENCHMARK_CHANGED, actor=by, benchmark=locked, fields=changes, reason=reason
    )
    events.record_settings(benchmark=locked, changed=["feedback"])
    return True
