"""How things are shown by the API. Plain dicts: a response is made in microseconds, not in milliseconds.

documents.py describes the same shapes; a test holds the two together. What may be seen of a result comes
from services/feedback.py alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse

from leaderboard.models import Benchmark, Kind, ReferenceRevision, Standing, Status, Submission, System, Team
from leaderboard.models.systems import Facts
from leaderboard.services import visibility
from leaderboard.services.boards.board import Board, Row, words_on_ranks
from leaderboard.services.exports.rows import show_statistics, written
from leaderboard.services.files.remarks import without_parts
from leaderboard.services.judging import judge as judging
from leaderboard.services.record.past import Gone
from leaderboard.services.text import remove_hidden_characters
from scoring import registry
from scoring.benchmark import Metric
from scoring.verdicts import Rate, Share


def show_system(system: System) -> dict[str, Any]:
    return {**_facts(system), "code_url": system.code_url, "paper_url": system.paper_url}


def _facts(known: Facts) -> dict[str, Any]:
    """Return what is known of a system: by itself today, by a row when the row was made."""
    return {
        "name": known.name,
        "models": known.model_names,
        "organisation": known.organisation,
        "interaction": known.interaction,
        "retrieval": known.retrieval,
        "reasoning": known.reasoning,
        "open_weights": known.open_weights,
    }


def show_submission(submission: Submission, *, viewer: Team | None) -> dict[str, Any]:
    """Return the submission as `viewer` may see it; its own team sees the report and the file name too."""
    shown = {
        "id": str(submission.pk),
        "url": reverse("api:submission", args=[submission.pk]),
        "status": submission.status,
        "published": submission.is_published,
        "benchmark": submission.benchmark.slug,
        "team": submission.team.name,
        "system": show_system(submission.system),
        "result": None,
        "scored_by": None,
        "file": {
            "sha256": submission.sha256,
            "size_bytes": submission.size_bytes,
            "format": submission.format,
        },
        "received_at": _time(submission.received_at),
        "scored_at": _time(submission.scored_at),
        "published_at": _time(submission.published_at),
    }
    evaluation = submission.evaluation
    if evaluation is not None:
        shown["result"] = visibility.visible_result(submission.benchmark, evaluation).as_dict()
        shown["scored_by"] = {
            "references": _revision(evaluation.revision),
            "unusable_tasks": evaluation.revision.unusable_count,
            "scorer_version": evaluation.scorer_version,
            "judge": evaluation.judge,
            "at": _time(evaluation.created_at),
        }
    if viewer is not None and viewer.pk == submission.team_id:
        shown |= _for_its_team(submission)
    return shown


def _for_its_team(submission: Submission) -> dict[str, Any]:
    tasks = None
    if submission.evaluation is not None:
        tasks = visibility.visible_tasks(submission.benchmark, submission.evaluation)
    return {
        "filename": submission.filename,
        "failure": submission.failure,
        "progress": submission.progress if submission.is_pending else None,
        "waits_for": submission.waits_for,
        "resume_at": _time(submission.resume_at),
        "problems": without_parts(submission.problems),
        "problems_total": submission.problem_count,
        "warnings": without_parts(submission.warnings),
        "warnings_total": submission.warning_count,
        "withdrawn_at": _time(submission.withdrawn_at),
        "withdrawal_reason": submission.withdrawal_reason,
        "disqualified_at": _time(submission.disqualified_at),
        "disqualification_reason": submission.disqualification_reason,
        "tasks": tasks
        and [{"task_id": task.task_id, "correct": task.correct, "remark": task.remark} for task in tasks],
    }


def show_line(submission: Submission) -> dict[str, Any]:
    """Return a line of the team's list: the figure that is ranked, and where to ask for the rest."""
    evaluation = submission.evaluation
    return {
        "id": str(submission.pk),
        "url": reverse("api:submission", args=[submission.pk]),
        "status": submission.status,
        "published": submission.is_published,
        "benchmark": submission.benchmark.slug,
        "system": submission.system.name,
        "score": evaluation and evaluation.right / evaluation.total,
        "metric": visibility.ranked_metric(submission.benchmark).key,
        "problems_total": submission.problem_count,
        "sha256": submission.sha256,
        "received_at": _time(submission.received_at),
    }


def show_benchmark(benchmark: Benchmark) -> dict[str, Any]:
    family, judge = registry.get(benchmark.family), judging.current_identity(benchmark)
    revision = benchmark.active_revision
    return {
        "slug": benchmark.slug,
        "title": benchmark.title,
        "question": benchmark.question,
        "family": benchmark.family,
        "version": benchmark.version,
        "open": benchmark.is_open,
        "demo": benchmark.is_demo,
        "tasks": revision and revision.task_count,
        "unusable_tasks": revision and revision.unusable_count,
        "feedback": benchmark.feedback,
        "daily_limit": benchmark.daily_limit,
        "judge": judge,
        "agreement": family.agreement(judge),
        "mixes_judges": benchmark.mixes_judges,
        "metrics": [_metric(metric) for metric in visibility.visible_metrics(benchmark)],
        "breakdowns": [
            {
                "key": breakdown.key,
                "label": breakdown.label,
                "groups": dict(breakdown.groups),
                "ordered": breakdown.ordered,
                "metrics": list(breakdown.metrics),
            }
            for breakdown in visibility.visible_breakdowns(benchmark)
        ],
        "references": revision and _revision(revision),
        "scorer_version": family.scorer_version,
        "schemas": list(family.schemas()),
        "url": reverse("api:benchmark", args=[benchmark.slug]),
        "leaderboard_url": reverse("api:leaderboard", args=[benchmark.slug]),
        "schema_url": reverse("api:benchmark-schema", args=[benchmark.slug]),
    }


def _metric(metric: Metric) -> dict[str, Any]:
    return {
        "key": metric.key,
        "label": metric.label,
        "unit": metric.unit.value,
        "higher_is_better": metric.higher_is_better,
        "stands_for": metric.stands_for,
    }


def show_board(board: Board) -> dict[str, Any]:
    query, provenance, as_of = board.query, board.query.board.provenance, board.query.board.as_of
    revision = provenance.revision
    return {
        "benchmark": board.benchmark.slug,
        "feedback": board.benchmark.feedback,
        "systems_rescored": board.counts["rescored"],
        "systems_reported": board.counts["reported"],
        "baselines": board.counts["baseline"],
        "judges": dict(board.census.judges),
        "mixes_judges": provenance.mixes_judges,
        "ranks": words_on_ranks(query.board),
        "sort": ("-" if query.descending else "") + query.sort,
        "count": board.page.paginator.count,
        "page": board.page.number,
        "pages": board.page.paginator.num_pages,
        "event": provenance.event,
        "references": revision and _revision(revision),
        "scorer_version": provenance.scorer_version,
        "statistics": show_statistics(provenance),
        "as_of": as_of and {"event": as_of.number, "at": _time(as_of.at)},
        "rows": show_rows(board.rows),
    }


def show_rows(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return rows of one board. What they do not have themselves is asked for all of them at once."""
    links = System.objects.only("code_url", "paper_url").in_bulk([row.standing.system_id for row in rows])
    asked = {row.standing.evaluation.revision_id for row in rows if row.standing.evaluation_id}
    revisions = ReferenceRevision.objects.only("number", "digest").in_bulk(asked)
    return [show_row(row, links[row.standing.system_id], revisions) for row in rows]


def show_row(row: Row, system: System, revisions: Mapping[int, ReferenceRevision]) -> dict[str, Any]:
    """Return a row. system: for its links. revisions: by primary key, that of the row's result among them."""
    standing = row.standing
    evaluation = standing.evaluation if standing.evaluation_id else None
    return {
        "rank": row.rank,
        "kind": standing.kind,
        "judge": standing.judge,
        "rank_interval_95": [row.rank_low, row.rank_high] if row.place.is_known else None,
        "tie_group": row.group,
        "p_next": row.place.p_next and row.place.p_next.exact,
        "not_tested": row.place.why_not and row.place.why_not.value,
        "system_id": standing.system_id,
        "system": {**_facts(standing), "code_url": system.code_url, "paper_url": system.paper_url},
        "team": remove_hidden_characters(standing.team_name) or None,
        "right": standing.right,
        "total": standing.total,
        "score": standing.score,
        "metric": visibility.ranked_metric(standing.benchmark).key,
        "interval_95": None if standing.score is None else [standing.low, standing.high],
        "metrics": dict(row.metrics),
        "breakdowns": {
            name: {key: _rate(rate) for key, rate in groups.items()} for name, groups in row.groups.items()
        },
        "group_metrics": dict(row.group_metrics),
        "date": _time(standing.since),
        # Of what stands no longer there is nothing at its address.
        "submission": reverse("api:submission", args=[evaluation.submission_id])
        if evaluation and not row.gone
        else None,
        "gone": show_gone(row.gone),
        "references": evaluation and _revision(revisions[evaluation.revision_id]),
        "scorer_version": evaluation and evaluation.scorer_version,
        "outdated": row.is_outdated,
        "source": _source(standing),
    }


def show_gone(gone: Gone | None) -> dict[str, str] | None:
    return gone and {"action": gone.action.value, "at": written(gone.at), "reason": gone.reason}


def _source(standing: Standing) -> dict[str, str] | None:
    if standing.kind == Kind.RESCORED:
        return None
    return {"title": standing.source, "url": standing.source_url}


def _rate(rate: Rate | Share) -> dict[str, Any]:
    return {"right": rate.right, "total": rate.total, "rate": rate.rate}


def _revision(revision) -> dict[str, Any]:
    return {"revision": revision.number, "digest": revision.digest}


def _time(at) -> str | None:
    return at and at.isoformat().replace("+00:00", "Z")


def seconds_to_wait(submission: Submission) -> int | None:
    """Return after how many seconds it is worth asking again; None when it is settled."""
    if not submission.is_pending:
        return None
    if submission.status == Status.INCOMPLETE:
        # It waits for somebody else, and no client should look every second for hours.
        return 30
    # Taken off the queue, it is a matter of milliseconds; before, it depends on the queue.
    return 1 if submission.status == Status.SCORING else 2
