"""Change the data class of a leaderboard."""

from django.db import transaction

from leaderboard.models import AuditEvent, Benchmark, User
from leaderboard.services import audit
from leaderboard.services.data_class import llm_refusal
from leaderboard.services.errors import WrongState
from leaderboard.services.record import events


@transaction.atomic
def change_data_class(*, benchmark: Benchmark, data_class: str, by: User | None = None) -> bool:
    """Set the data class, and return whether it changed. Raises WrongState where the judge does not allow it.

    Files that were kept as they came are removed by the next sweep once the data are credentialed.
    """
    locked = Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
    if refusal := llm_refusal(locked, data_class=data_class, judge_mode=locked.judge_mode):
        raise WrongState(refusal)
    if locked.data_class == data_class:
        return False
    was, locked.data_class = locked.data_class, data_class
    locked.save(update_fields=["data_class"])
    changes = {"data_class": {"was": was, "now": data_class}}
    audit.record(AuditEvent.Action.BENCHMARK_CHANGED, actor=by, benchmark=locked, fields=changes)
    events.record_settings(benchmark=locked, changed=["data_class"])
    return True
