"""Update standings, the rows of leaderboards, in the transaction that changes them.

There is at most one standing for a system and a leaderboard.
"""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Model

from leaderboard.models import (
    Board,
    BoardAction,
    Evaluation,
    Kind,
    Standing,
    Status,
    Submission,
    System,
)
from leaderboard.models.seasons import behind
from leaderboard.models.submissions import SubmissionQuerySet
from leaderboard.services.record import events
from leaderboard.services.record.event_kinds import FACTS
from leaderboard.services.record.events import Change
from leaderboard.services.rows.lead_rules import has_links
from leaderboard.services.text import build_models_text, build_search_text
from wardboard.scoring import registry
from wardboard.scoring.facts import IN_ROWS
from wardboard.scoring.reported import ReportedRow
from wardboard.scoring.runs import PooledCard
from wardboard.scoring.verdicts import ClusteredRate, Rate, Scorecard, Share


@transaction.atomic
def refresh_standings(submissions: Sequence[Submission], *, action: BoardAction, reason: str = "") -> None:
    """Set the standings of systems to their entries among the published results; log `action` of each result.

    submissions: one or more, all on one board
    Which one is the entry, `SubmissionQuerySet.entry_first` decides, never the score. A system without any
    published result loses its standing.
    """
    board = submissions[0].board
    # Lock the systems first: two submissions of one may be published at once.
    systems = {row.pk: row for row in lock_systems(pk__in={one.system_id for one in submissions})}
    present = {row.system_id: row for row in Standing.objects.filter(board=board, system__in=systems)}
    entries = _entries(Submission.objects.filter(board=board, system__in=systems).published())
    changed = [
        chosen
        for key, chosen in entries.items()
        if key not in present or present[key].evaluation_id != chosen.evaluation_id
    ]
    choices = _choices(board, changed)
    rows, removed = defaultdict[int, list[Standing]](list), defaultdict[int, list[Standing]](list)
    for key, system in systems.items():
        was, chosen = present.get(key), entries.get(key)
        if chosen is not None and chosen.evaluation is not None:
            figures = _rescored_values(chosen.evaluation, since=chosen.published_at)
            rows[key] = _save(was, board, system, figures | choices.get(key, {}))
        elif was is not None:
            removed[key] = [was]
            Standing.objects.filter(pk=was.pk).delete()
    changes = []
    # The event of the entry has the row, where it is among several results of a system.
    behind = {key: chosen.pk for key, chosen in entries.items() if chosen in submissions}
    for one in submissions:
        has_row = behind.get(one.system_id, one.pk) == one.pk
        change = Change(
            action=action,
            system=systems[one.system_id],
            submission=one,
            reason=reason,
            rows=rows.pop(one.system_id, ()) if has_row else (),
            removed=removed.pop(one.system_id, ()) if has_row else (),
        )
        changes.append(change)
    events.record(*changes, board=board)


def _entries(rows: SubmissionQuerySet) -> dict[int, Submission]:
    """Return system id -> its entry, the first of its results."""
    first: dict[int, uuid.UUID] = {}
    for system, key in rows.entry_first().values_list("system", "pk"):
        first.setdefault(system, key)
    found = Submission.objects.filter(pk__in=first.values()).select_related("evaluation")
    unread = ("problems", "warnings", "evaluation__verdicts", "evaluation__details")
    return {one.system_id: one for one in found.defer(*unread)}


def _save(was: Standing | None, board: Board, system: System, figures: dict[str, Any]) -> list[Standing]:
    """Create or update the system's standing; return the changed rows, one or none."""
    values = {**facts_for_standing(system), **figures}
    if was is None:
        return [Standing.objects.create(board=board, system=system, **values)]
    return [was] if save_changes(was, values) else []


def save_changes(row: Model, values: Mapping[str, Any]) -> list[str]:
    """Store the values that a row does not have yet; return their names."""
    changed = [name for name, value in values.items() if getattr(row, name) != value]
    for name in changed:
        setattr(row, name, values[name])
    if changed:
        row.save(update_fields=changed)
    return changed


def _choices(board: Board, entries: Collection[Submission]) -> dict[int, dict[str, Any]]:
    """Return how each system's published result was chosen, and from how many files, by system."""
    scored = Submission.objects.filter(board=board, status=Status.SCORED)
    of_systems = scored.filter(system__in={entry.system_id for entry in entries})
    of_teams = scored.filter(team__in={entry.team_id for entry in entries})
    # Look at all scored files, published or not: a team that withdraws a file chooses by its score.
    first = _entries(of_systems.filter(disqualified_at=None))
    by_system, by_team = (
        dict(rows.order_by().values_list(name).annotate(Count("pk")))
        for rows, name in ((of_systems, "system"), (of_teams, "team"))
    )
    return {
        entry.system_id: {
            "chosen_before_score": entry.sent_for_publication and first.get(entry.system_id) == entry,
            "files_of_system": by_system[entry.system_id],
            # In a season it would tell of which named system's team one without a name is.
            "files_of_team": (by_system[entry.system_id] if board.is_season else by_team[entry.team_id]),
        }
        for entry in entries
    }


def _rescored_values(evaluation: Evaluation, *, since: datetime | None) -> dict[str, Any]:
    clustered = evaluation.clustered_interval or {}
    return {
        **_figures(Rate(right=evaluation.right, total=evaluation.total, runs=evaluation.runs)),
        "kind": Kind.RESCORED,
        "judge": evaluation.judge,
        "evaluation_id": evaluation.pk,
        "metrics": evaluation.metrics,
        # Pages show the breakdowns of the evaluation.
        "breakdowns": {},
        "group_metrics": {},
        "since": since,
        **{end: clustered[end] for end in ("low", "high") if clustered},
    }


def save_reported(
    *,
    board: Board,
    system: System,
    row: ReportedRow,
    since: datetime,
    groups: Mapping[str, Any] | None = None,
) -> list[Standing]:
    """Save the row of a result published elsewhere; return it where it is new or changed, else nothing.

    The caller has locked the system, and logs the change.
    groups: "breakdowns" and "group_metrics" as a standing has them, where the row has none
    """
    was = Standing.objects.filter(board=board, system=system).first()
    figures = _values_of(board, row, kind=Kind.REPORTED, judge=row.judge, since=since)
    return _save(was, board, system, {**figures, **(groups or {})})


def _published_ends(board: Board, overall: Rate | Share) -> dict[str, float]:
    """Return the ends of the interval of a rate without verdicts by task, where they are not Wilson's."""
    clusters = registry.get(board.benchmark).published_clusters
    if clusters is None or overall.rate is None or isinstance(overall, ClusteredRate):
        return {}
    low, high = clusters.interval(overall.rate, overall.total)
    return {"low": low, "high": high}


def _values_of(
    board: Board, card: ReportedRow | Scorecard, *, kind: Kind, judge: str, since: datetime
) -> dict[str, Any]:
    return {
        **_figures(card.overall),
        **_published_ends(board, card.overall),
        "metrics": dict(card.metrics),
        "breakdowns": stored_breakdowns(card.breakdowns),
        "group_metrics": stored_group_metrics(card),
        "kind": kind,
        "judge": judge,
        "since": since,
    }


@transaction.atomic
def put_baseline(
    *,
    board: Board,
    system: System,
    card: ReportedRow | Scorecard,
    judge: str,
    since: datetime,
    action: BoardAction = BoardAction.BASELINE,
) -> None:
    """Save the standing of an agent without a model, which has no rank, and log it where it is new.

    card: its scores, or what was published of it; then `action` is that it was reported
    """
    (system,) = lock_systems(pk=system.pk)
    was = Standing.objects.filter(board=board, system=system).first()
    figures = _values_of(board, card, kind=Kind.BASELINE, judge=judge, since=since)
    # Imports are repeated: an unchanged row makes no event.
    if rows := _save(was, board, system, figures):
        events.record(Change(action=action, system=system, rows=rows), board=board)


@transaction.atomic
def take_off(*, rows: Iterable[Standing], data: Mapping[str, Any] | None = None) -> None:
    """Take standings that are not rescored off their leaderboards. data: of the events, None for none."""
    for row in rows:
        (system,) = lock_systems(pk=row.system_id)
        Standing.objects.filter(pk=row.pk).delete()
        change = Change(action=BoardAction.UNLISTED, system=system, removed=[row], data=data)
        events.record(change, board=row.board)


def stored_group_metrics(card: ReportedRow | Scorecard | PooledCard) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the means of groups as they are stored: [mean, tasks with a figure], or a printed mean alone."""
    counts = {} if isinstance(card, ReportedRow) else card.group_counts

    def stored(breakdown: str, group: str, key: str, value: float | None) -> Any:
        count = counts.get(breakdown, {}).get(group, {}).get(key)
        return value if value is None or count is None else [value, count]

    return {
        breakdown: {
            group: {key: stored(breakdown, group, key, value) for key, value in figures.items()}
            for group, figures in groups.items()
        }
        for breakdown, groups in card.group_metrics.items()
    }


def _figures(overall: Rate | Share) -> dict[str, Any]:
    low, high = overall.interval or (None, None)
    return {"right": overall.right, "total": overall.total, "score": overall.rate, "low": low, "high": high}


def stored_breakdowns(
    breakdowns: Mapping[str, Mapping[str, Rate | Share]],
) -> dict[str, dict[str, list[Any]]]:
    """Return [right, total], with what is left open if any, or [null, total, share] without a count."""
    return {
        name: {
            key: [None, rate.total, rate.rate]
            if isinstance(rate, Share)
            else [rate.right, rate.total, *filter(None, [rate.left_open])]
            for key, rate in groups.items()
        }
        for name, groups in breakdowns.items()
    }


def facts_for_standing(system: System) -> dict[str, Any]:
    """Return the facts of a system by the names of a standing's fields."""
    team_name, models = system.team_name, system.model_names
    return {
        **{fact.field: getattr(system, fact.field) for fact in IN_ROWS},
        "team_name": team_name,
        "organisation_confirmed": system.organisation_confirmed,
        "has_links": has_links(behind(system), {}),
        "source": system.source,
        "source_url": system.source_url,
        "models_text": build_models_text(models),
        "search": build_search_text(
            name=system.name, organisation=system.organisation, team_name=team_name, models=models
        ),
    }


def lock_systems(**lookup: Any) -> list[System]:
    """Lock the systems that match `lookup`, in the one order of locks; return them with teams."""
    rows = System.objects.select_for_update(of=("self",), no_key=True).select_related("team")
    return list(rows.filter(**lookup).order_by("pk"))


@transaction.atomic
def update_standings(*, is_by_organiser: bool = False, **lookup: Any) -> None:
    """Copy the facts of changed systems to their standings, and log which facts changed.

    is_by_organiser: whether an organiser changed them, which the public log says
    lookup: selects the systems, as in System.objects.filter.
    """
    # All systems are locked before the first leaderboard, as everywhere.
    systems = {system.pk: system for system in lock_systems(**lookup)}
    rows = Standing.objects.filter(system__in=systems).select_related("board")
    for row in rows.defer("board__question").order_by("board_id", "system_id"):
        system = systems[row.system_id]
        facts, before = facts_for_standing(system), {"name": row.name, "team_name": row.team_name}
        changed = save_changes(row, facts)
        if not changed:
            # The system's own page shows more facts than a standing has.
            events.touch(board=row.board)
            continue
        data = _changed_facts(before, facts, changed)
        data["by_organiser"] = is_by_organiser
        change = Change(action=BoardAction.FACTS, system=system, data=data, rows=[row])
        events.record(change, board=row.board)


def _changed_facts(
    before: Mapping[str, str], facts: Mapping[str, Any], changed: Collection[str]
) -> dict[str, Any]:
    """Return what the public log says of changed facts, except who changed them."""
    logged = [name for name in changed if name in FACTS]
    if "name" in changed:
        logged.remove("name")
        return {"kind": "renamed", "from": before["name"], "changed": logged}
    if "team_name" not in changed or not before["team_name"]:
        return {"kind": "facts", "changed": logged}
    logged.remove("team_name")
    if not facts["team_name"]:
        return {"kind": "account-deleted", "changed": logged}
    return {"kind": "team-renamed", "from": before["team_name"], "changed": logged}
