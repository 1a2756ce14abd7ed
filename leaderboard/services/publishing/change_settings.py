"""Change the settings of a leaderboard."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.models import AuditEvent, Board, BoardAction, Phase, Submission, User
from leaderboard.services import audit
from leaderboard.services.data_class import is_llm_allowed
from leaderboard.services.errors import WrongState
from leaderboard.services.judging.judge import why_not_judged
from leaderboard.services.record.events import Change, record, record_settings
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.rows.lead_rules import RULE_SETTINGS, LeadRules
from leaderboard.services.text import remove_hidden_characters
from wardboard.scoring import registry

# The fields that organisers of all leaderboards set on one page, in its order. The feedback level has a page
# of its own; an import sets the others.
SETTINGS = (
    *("title", "question", "position", "access", "daily_limit", "monthly_limit", "revision_limit"),
    *("publication_limit", "newcomer_limit", "address_limit"),
    *RULE_SETTINGS,
    "unranked_lane_of",
    *("rounding", "is_demo", "judge_mode", "mixes_judges", "keep_originals", "public_traces", "data_class"),
)


@transaction.atomic
def change_settings(
    *, board: Board, values: Mapping[str, Any], by: User | None = None, reason: str = ""
) -> bool:
    """Set fields of a leaderboard, and return whether any changed. All other fields keep their values.

    values: by the names of the fields. reason: for the audit log, "" for none.
    Raises WrongState where the data class does not allow the judge, or public traces, where the server lacks
    what the judge needs, and where the board cannot be an unranked lane. Once the data are credentialed, the
    next sweep removes the files that were kept as uploaded.
    """
    locked = Board.objects.select_for_update(no_key=True).get(pk=board.pk)
    changes = {
        name: {"was": getattr(locked, name), "now": value}
        for name, value in values.items()
        if getattr(locked, name) != value
    }
    was = LeadRules.of(locked) if {*RULE_SETTINGS} & {*changes} else None
    for name, change in changes.items():
        setattr(locked, name, change["now"])
    missing = why_not_judged(locked, locked.judge_mode) if {"data_class", "judge_mode"} & {*values} else ""
    if missing and ("judge_mode" in changes or not is_llm_allowed(locked)):
        raise WrongState(missing)
    if locked.public_traces and locked.is_credentialed:
        raise WrongState(_("Traces of credentialed data are never public."))
    if locked.needs_traces and not locked.keeps_files:
        raise WrongState(_("Traces can be required only where files are kept as they came."))
    if "unranked_lane_of" in changes:
        _require_lane(locked)
    if (
        was is not None
        and locked.is_season
        and locked.season.phase(timezone.now()) in (Phase.CLOSED, Phase.REVEALED)
    ):
        raise WrongState(_("The conditions of a season do not change once it is closed."))
    if not changes:
        return False
    locked.save(update_fields=changes)
    # A leaderboard among the values is logged by its slug.
    fields = {
        name: {when: getattr(value, "slug", value) for when, value in each.items()}
        for name, each in changes.items()
    }
    facts: dict[str, Any] = {"fields": fields} | ({"reason": reason} if reason else {})
    audit.record(AuditEvent.Action.BENCHMARK_CHANGED, actor=by, board=locked, **facts)
    record_settings(board=locked, changed=changes, was=was)
    return True


@transaction.atomic
def add_board(*, values: Mapping[str, Any], by: User) -> Board:
    """Add a leaderboard, which takes files once its reference answers are active; raise WrongState.

    values: by the names of fields; all others are those with which every leaderboard begins
    """
    slug, state = values["slug"], (values["benchmark"], values["version"])
    benchmark, plan = registry.named_boards().get(slug, (None, None))
    if benchmark and plan and (benchmark.slug, plan.version) != state:
        raise WrongState(f"“{slug}” is the name of {plan.title}, version {plan.version}: choose another one.")
    board, is_new = Board.objects.get_or_create(slug=slug, defaults=values)
    if not is_new:
        raise WrongState(f"“{slug}” is the name of another leaderboard: choose another one.")
    fields = {name: {"was": None, "now": value} for name, value in values.items()}
    audit.record(AuditEvent.Action.BENCHMARK_CHANGED, actor=by, board=board, fields=fields)
    return board


@transaction.atomic
def join_models(*, board: Board, names: Mapping[str, str] | None = None, by: User | None = None) -> int:
    """Decide which models the strings that rows state name; return on how many this decides.

    names: string as stated -> name of the model, "" for the string itself; None for all proposals
    """
    board = Board.objects.without_references().get(pk=board.pk)
    known = RecordedBoard(board).model_names
    shown, decided = {**known.names, **known.proposals}, {}
    for text, posted in (known.proposals if names is None else names).items():
        plain, before = remove_hidden_characters(posted), shown.get(text, posted)
        same = [name for name in (before, text) if remove_hidden_characters(name) == plain]
        name = same[0] if same else plain[:120] or text
        if text in known.proposals or name != before:
            decided[text] = name
    if decided:
        data = [{"kind": "model", "from": text, "to": name} for text, name in decided.items()]
        changes = (Change(action=BoardAction.SETTINGS, data=each, is_reranked=False) for each in data)
        record(*changes, board=board)
        audit.record(AuditEvent.Action.BENCHMARK_CHANGED, actor=by, board=board, models=decided)
    return len(decided)


def _require_lane(board: Board) -> None:
    """Check that a board may become an unranked lane, or no longer be one. Raises WrongState.

    A result that was sent to a lane can never be published, so the setting is fixed by the first file.
    """
    if Submission.objects.filter(board=board).exists():
        raise WrongState(_("Files were sent to this leaderboard, so whether it is ranked cannot change."))
    ranked = board.unranked_lane_of
    if ranked is None:
        return
    if ranked.pk == board.pk or ranked.is_unranked or Board.objects.filter(unranked_lane_of=board).exists():
        raise WrongState(
            _("Only a ranked leaderboard has an unranked lane: choose one that is no lane itself.")
        )
    if lane := Board.objects.filter(unranked_lane_of=ranked).exclude(pk=board.pk).first():
        raise WrongState(
            _("%(title)s has an unranked lane already: %(lane)s.")
            % {"title": _(ranked.title), "lane": _(lane.title)}
        )
    if refusal := lane_refusal(board):
        raise WrongState(refusal)


def lane_refusal(board: Board) -> str:
    """Return why an unranked lane takes no files: a task of it counts on its leaderboard; "" otherwise.

    Who may try as often as they like would learn the hidden reference answers of such a task.
    """
    tasks = board.tasks_that_count_elsewhere()
    if not tasks or board.unranked_lane_of is None:
        return ""
    return _(
        "Tasks of this unranked lane, %(task)s for one (of %(count)s), also count on %(title)s. Set them "
        "aside there, or leave them out here."
    ) % {"count": len(tasks), "task": tasks[0], "title": _(board.unranked_lane_of.title)}
