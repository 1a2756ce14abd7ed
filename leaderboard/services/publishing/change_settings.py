"""Change the settings of a leaderboard."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from leaderboard.models import AuditEvent, Board, User
from leaderboard.services import audit
from leaderboard.services.data_class import llm_refusal
from leaderboard.services.errors import WrongState
from leaderboard.services.record import events
from leaderboard.services.rows.lead_rules import LeadRule

# The fields that organisers of all leaderboards set on one page, in its order. The feedback level has a page
# of its own; an import sets the others.
SETTINGS = (
    *("title", "question", "position", "access", "daily_limit", "monthly_limit", "revision_limit"),
    *("publication_limit", "newcomer_limit", "newcomers_daily_limit", "address_limit", "storage_mib"),
    *(rule.value for rule in LeadRule),
    *("rounding", "is_demo", "judge_mode", "mixes_judges", "keep_originals", "public_traces", "data_class"),
)


@transaction.atomic
def change_settings(
    *, board: Board, values: Mapping[str, Any], by: User | None = None, reason: str = ""
) -> bool:
    """Set fields of a leaderboard, and return whether any changed. All other fields keep their values.

    values: by the names of the fields. reason: for the audit log, "" for none.
    Raises WrongState where the data class does not allow the judge, or public traces. Once the data are
    credentialed, the next sweep removes the files that were kept as uploaded.
    """
    locked = Board.objects.select_for_update(no_key=True).get(pk=board.pk)
    changes = {
        name: {"was": getattr(locked, name), "now": value}
        for name, value in values.items()
        if getattr(locked, name) != value
    }
    for name, change in changes.items():
        setattr(locked, name, change["now"])
    if {"data_class", "judge_mode"} & {*values} and (
        refusal := llm_refusal(locked, data_class=locked.data_class, judge_mode=locked.judge_mode)
    ):
        raise WrongState(refusal)
    if locked.public_traces and locked.is_credentialed:
        raise WrongState(_("Traces of credentialed data are never public."))
    if locked.needs_traces and not locked.keeps_files:
        raise WrongState(_("Traces can be required only where files are kept as they came."))
    if not changes:
        return False
    locked.save(update_fields=changes)
    facts: dict[str, Any] = {"fields": changes} | ({"reason": reason} if reason else {})
    audit.record(AuditEvent.Action.BENCHMARK_CHANGED, actor=by, board=locked, **facts)
    events.record_settings(board=locked, changed=changes)
    return True
