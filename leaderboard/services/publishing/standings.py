"""Update standings, the rows of leaderboards, in the transaction that publishes or removes.

There is at most one standing for a system and a leaderboard.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from leaderboard.models import (
    Board,
    BoardAction,
    BoardEvent,
    Evaluation,
    Kind,
    Standing,
    Status,
    Submission,
    System,
)
from leaderboard.services.publishing.standing_facts import facts_for_standing, lock_systems
from leaderboard.services.record import events
from wardboard.scoring import registry
from wardboard.scoring.reported import ReportedRow
from wardboard.scoring.runs import PooledCard
from wardboard.scoring.verdicts import Rate, Scorecard, Share


@transaction.atomic
def refresh_standing(*, submission: Submission, action: BoardAction, reason: str = "") -> BoardEvent:
    """Set the standing of a system to its entry among the published results, and log `action`.

    Which one that is, `SubmissionQuerySet.entry_first` decides, never the score. A system without any
    published result loses its standing.
    """
    board = submission.board
    # Lock the system first: two of its submissions may be published at once.
    (system,) = lock_systems(pk=submission.system_id)
    was = Standing.objects.filter(board=board, system=system).first()
    published = Submission.objects.filter(board=board, system=system).published()
    chosen = published.select_related("evaluation").entry_first().first()
    rows: list[Standing] = []
    removed: list[Standing] = []
    if chosen is not None and chosen.evaluation is not None:
        figures = _rescored_values(chosen.evaluation, since=chosen.published_at)
        if was is None or was.evaluation_id != chosen.evaluation_id:
            figures |= _choice(chosen)
        rows = _save(was, board, system, figures)
    elif was is not None:
        removed = [was]
        Standing.objects.filter(pk=was.pk).delete()
    return events.record(
        board=board,
        action=action,
        system=system,
        submission=submission,
        reason=reason,
        rows=rows,
        removed=removed,
    )


def _save(was: Standing | None, board: Board, system: System, figures: dict[str, Any]) -> list[Standing]:
    """Create or update the system's standing; return the changed rows, one or none."""
    values = {**facts_for_standing(system), **figures}
    if was is None:
        return [Standing.objects.create(board=board, system=system, **values)]
    changed = [name for name, value in values.items() if getattr(was, name) != value]
    for name in changed:
        setattr(was, name, values[name])
    if changed:
        was.save(update_fields=changed)
    return [was] if changed else []


def _choice(chosen: Submission) -> dict[str, Any]:
    """Return how a system's published result was chosen, and from how many files."""
    scored = Submission.objects.filter(board=chosen.board_id, status=Status.SCORED)
    of_system = scored.filter(system=chosen.system_id)
    # Look at all scored files, published or not: a team that withdraws a file chooses by its score.
    first = of_system.filter(disqualified_at=None).entry_first().first()
    return {
        "chosen_before_score": chosen.sent_for_publication and first == chosen,
        "files_of_system": of_system.count(),
        "files_of_team": scored.filter(team=chosen.team_id).count(),
    }


def _rescored_values(evaluation: Evaluation, *, since: datetime | None) -> dict[str, Any]:
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
        **_clustered_ends(evaluation),
    }


def _clustered_ends(evaluation: Evaluation) -> dict[str, float]:
    interval = evaluation.clustered_interval
    return {} if interval is None else {"low": interval["low"], "high": interval["high"]}


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
    return _save(was, board, system, {**_reported_values(board, row, since), **(groups or {})})


def _published_ends(board: Board, overall: Rate | Share) -> dict[str, float]:
    """Return the ends of the interval of a row without an evaluation, where they are not Wilson's."""
    clusters = registry.get(board.benchmark).published_clusters
    if clusters is None or overall.rate is None:
        return {}
    low, high = clusters.interval(overall.rate, overall.total)
    return {"low": low, "high": high}


def put_reported(*, board: Board, system: System, row: ReportedRow, since: datetime) -> None:
    """Save the row of a published figure that nobody states at the desk, and log it where it is new."""
    _put(board, system, _reported_values(board, row, since), BoardAction.REPORTED)


def _reported_values(board: Board, row: ReportedRow, since: datetime) -> dict[str, Any]:
    return {
        **_card_values(row),
        **_published_ends(board, row.overall),
        "kind": Kind.BASELINE if row.is_baseline else Kind.REPORTED,
        "judge": row.judge,
        "since": since,
    }


def put_baseline(*, board: Board, system: System, card: Scorecard, judge: str, since: datetime) -> None:
    """Save the standing of an agent without a model, which has no rank."""
    figures = {
        **_card_values(card),
        **_published_ends(board, card.overall),
        "kind": Kind.BASELINE,
        "judge": judge,
        "since": since,
    }
    _put(board, system, figures, BoardAction.BASELINE)


@transaction.atomic
def take_off(*, rows: Iterable[Standing], data: Mapping[str, Any] | None = None) -> None:
    """Take standings that are not rescored off their leaderboards. data: of the events, None for none."""
    for row in rows:
        (system,) = lock_systems(pk=row.system_id)
        Standing.objects.filter(pk=row.pk).delete()
        events.record(board=row.board, action=BoardAction.UNLISTED, system=system, removed=[row], data=data)


@transaction.atomic
def _put(board: Board, system: System, figures: dict[str, Any], action: BoardAction) -> None:
    (system,) = lock_systems(pk=system.pk)
    was = Standing.objects.filter(board=board, system=system).first()
    # Imports are repeated: an unchanged row makes no event.
    if rows := _save(was, board, system, figures):
        events.record(board=board, action=action, system=system, rows=rows)


def _card_values(card: ReportedRow | Scorecard) -> dict[str, Any]:
    return {
        **_figures(card.overall),
        "metrics": dict(card.metrics),
        "breakdowns": stored_breakdowns(card.breakdowns),
        "group_metrics": stored_group_metrics(card),
    }


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
    """Return [right, total] for each group, or [null, total, share] where the count is unknown."""
    return {
        name: {
            key: [None, rate.total, rate.rate] if isinstance(rate, Share) else [rate.right, rate.total]
            for key, rate in groups.items()
        }
        for name, groups in breakdowns.items()
    }
