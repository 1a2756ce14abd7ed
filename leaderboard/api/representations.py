"""Build the JSON of submissions, boards and rows; `services.visibility` decides what may be seen."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from uuid import UUID

import msgspec
from django.core.paginator import Page
from django.urls import reverse

from leaderboard.api.schema.boards import (
    AsOfSchema,
    BenchmarkSchema,
    BestScoreSchema,
    BoardSchema,
    BreakdownSchema,
    ChangeSchema,
    GoneSchema,
    MetricSchema,
    RowSchema,
    SourceSchema,
    StatisticsSchema,
)
from leaderboard.api.schema.common import (
    ConditionsSchema,
    GroupMetrics,
    GroupRateSchema,
    Rates,
    ReferencesSchema,
    SystemSchema,
)
from leaderboard.api.schema.submissions import (
    FileSchema,
    LineSchema,
    ProgressSchema,
    ResultSchema,
    ScoredBySchema,
    SubmissionPageSchema,
    SubmissionSchema,
    TaskSchema,
)
from leaderboard.http.problems import ProblemSchema
from leaderboard.models import (
    Benchmark,
    DataClass,
    Evaluation,
    Feedback,
    Kind,
    ReferenceRevision,
    Status,
    Submission,
    System,
    Team,
)
from leaderboard.models.evaluations import StandingFigures
from leaderboard.models.systems import CONDITIONS, Facts
from leaderboard.services import data_class, visibility
from leaderboard.services.boards.best_scores import BestScore
from leaderboard.services.boards.board import BoardPage, describe_ranks
from leaderboard.services.boards.row import Row
from leaderboard.services.exports.rows import statistics_metadata
from leaderboard.services.judging.judge import current_identity
from leaderboard.services.record import log
from leaderboard.services.record.past import Removal
from leaderboard.services.statistics.p_values import round_p
from leaderboard.services.text import remove_hidden_characters
from leaderboard.services.visibility import GroupMean, round_figure
from scoring import registry
from scoring.benchmark import Breakdown, Metric
from scoring.verdicts import Rate, Share

Figure = TypeVar("Figure", int, float)


def show_system(facts: Facts, links: System) -> SystemSchema:
    """Show a system. facts: of today, or as a row has them of its own time."""
    return SystemSchema(
        name=facts.name,
        models=facts.model_names,
        organisation=facts.organisation,
        interaction=facts.interaction,
        retrieval=facts.retrieval,
        reasoning=facts.reasoning,
        open_weights=facts.open_weights,
        code_url=links.code_url,
        paper_url=links.paper_url,
        conditions=ConditionsSchema(**{name: getattr(facts, name) for name in CONDITIONS}),
    )


def show_submission(submission: Submission, *, viewer: Team | None) -> SubmissionSchema:
    """Show what `viewer` may see of a submission; only its own team sees report and file name."""
    evaluation = submission.evaluation
    schema = SubmissionSchema(
        id=submission.pk,
        url=_address(submission.pk),
        status=Status(submission.status),
        published=submission.is_published,
        benchmark=submission.benchmark.slug,
        team=submission.team.name,
        system=show_system(submission.system, submission.system),
        result=_result(submission),
        scored_by=_scored_by(evaluation) if evaluation else None,
        file=FileSchema(sha256=submission.sha256, size_bytes=submission.size_bytes, format=submission.format),
        received_at=submission.received_at,
        scored_at=submission.scored_at,
        published_at=submission.published_at,
    )
    if viewer is not None and viewer.pk == submission.team_id:
        _add_private(schema, submission)
    return schema


def _add_private(schema: SubmissionSchema, submission: Submission) -> None:
    """Add what only the submission's own team sees."""
    schema.filename = submission.filename
    schema.failure = submission.failure
    progress = visibility.visible_progress(submission) if submission.is_pending else None
    schema.progress = msgspec.convert(progress, ProgressSchema) if progress else None
    schema.waits_for = submission.waits_for
    schema.resume_at = submission.resume_at
    schema.problems = _stored_problems(submission.problems)
    schema.problems_total = submission.problem_count
    schema.warnings = _stored_problems(submission.warnings)
    schema.warnings_total = submission.warning_count
    schema.withdrawn_at = submission.withdrawn_at
    schema.withdrawal_reason = submission.withdrawal_reason
    schema.disqualified_at = submission.disqualified_at
    schema.disqualification_reason = submission.disqualification_reason
    schema.tasks = _tasks(submission)


def _tasks(submission: Submission) -> list[TaskSchema] | None:
    tasks = visibility.visible_tasks(submission)
    if tasks is None:
        return None
    return [TaskSchema(task_id=task.task_id, correct=task.correct, remark=task.remark) for task in tasks]


def _stored_problems(stored: list[dict[str, Any]]) -> list[ProblemSchema]:
    # They are stored with the parts of their texts, which the struct has no field for.
    return msgspec.convert(stored, list[ProblemSchema])


def _result(submission: Submission) -> ResultSchema | None:
    result = visibility.visible_result(submission)
    if result is None:
        return None
    overall = result.overall
    assert overall.rate is not None, "an evaluation is of at least one task"
    return ResultSchema(
        right=overall.right,
        total=overall.total,
        score=round_figure(overall.rate),
        rounded_to=result.rounded_to,
        metric=result.metric.key,
        interval_95=_interval(*map(round_figure, overall.interval or (None, None))),
        metrics=dict(result.metrics),
        breakdowns=_rates(result.breakdowns),
        group_metrics=_group_metrics(result.group_metrics),
    )


def _scored_by(evaluation: Evaluation) -> ScoredBySchema:
    return ScoredBySchema(
        references=_references(evaluation.revision),
        unusable_tasks=evaluation.revision.unusable_count,
        scorer_version=evaluation.scorer_version,
        judge=evaluation.judge,
        at=evaluation.created_at,
    )


def show_submissions(page: Page[Submission]) -> SubmissionPageSchema:
    return SubmissionPageSchema(
        count=page.paginator.count,
        page=page.number,
        pages=page.paginator.num_pages,
        results=[_line(submission) for submission in page.object_list],
    )


def _line(submission: Submission) -> LineSchema:
    """Show a line of the team's list: the figure that is ranked, and the address of the rest."""
    result = visibility.visible_result(submission)
    return LineSchema(
        id=submission.pk,
        url=_address(submission.pk),
        status=Status(submission.status),
        published=submission.is_published,
        benchmark=submission.benchmark.slug,
        system=submission.system.name,
        score=round_figure(result.overall.rate) if result else None,
        rounded_to=result.rounded_to if result else None,
        metric=visibility.ranked_metric(submission.benchmark).key,
        problems_total=submission.problem_count,
        sha256=submission.sha256,
        received_at=submission.received_at,
    )


def show_benchmark(benchmark: Benchmark) -> BenchmarkSchema:
    family, judge = registry.get(benchmark.family), current_identity(benchmark)
    revision = benchmark.active_revision
    return BenchmarkSchema(
        slug=benchmark.slug,
        title=benchmark.title,
        question=benchmark.question,
        family=benchmark.family,
        version=benchmark.version,
        open=benchmark.is_open,
        demo=benchmark.is_demo,
        tasks=revision.task_count if revision else None,
        unusable_tasks=revision.unusable_count if revision else None,
        feedback=Feedback(benchmark.feedback),
        daily_limit=benchmark.daily_limit,
        data_class=DataClass(benchmark.data_class),
        acknowledgement=data_class.VERSION if benchmark.is_credentialed else None,
        judge=judge,
        agreement=family.agreement(judge),
        mixes_judges=benchmark.mixes_judges,
        metrics=[_metric(metric) for metric in visibility.visible_metrics(benchmark)],
        breakdowns=[_breakdown(breakdown) for breakdown in visibility.visible_breakdowns(benchmark)],
        references=_references(revision) if revision else None,
        scorer_version=family.scorer_version,
        schemas=list(family.schemas()),
        url=reverse("api:benchmark", args=[benchmark.slug]),
        leaderboard_url=reverse("api:leaderboard", args=[benchmark.slug]),
        schema_url=reverse("api:benchmark-schema", args=[benchmark.slug]),
    )


def _metric(metric: Metric) -> MetricSchema:
    return MetricSchema(
        key=metric.key,
        label=metric.label,
        unit=metric.unit,
        higher_is_better=metric.higher_is_better,
        stands_for=metric.stands_for,
    )


def _breakdown(breakdown: Breakdown) -> BreakdownSchema:
    return BreakdownSchema(
        key=breakdown.key,
        label=breakdown.label,
        groups=dict(breakdown.groups),
        ordered=breakdown.ordered,
        metrics=list(breakdown.metrics),
    )


def show_board(board: BoardPage) -> BoardSchema:
    query, provenance, as_of = board.query, board.query.board.provenance, board.query.board.as_of
    revision = provenance.revision
    return BoardSchema(
        benchmark=board.benchmark.slug,
        feedback=Feedback(board.benchmark.feedback),
        systems_rescored=board.counts["rescored"],
        systems_reported=board.counts["reported"],
        baselines=board.counts["baseline"],
        judges=dict(board.census.judges),
        mixes_judges=provenance.mixes_judges,
        ranks=describe_ranks(query.board),
        sort=("-" if query.descending else "") + query.sort,
        count=board.page.paginator.count,
        page=board.page.number,
        pages=board.page.paginator.num_pages,
        event=provenance.event,
        references=_references(revision) if revision else None,
        scorer_version=provenance.scorer_version,
        statistics=msgspec.convert(statistics_metadata(provenance), StatisticsSchema),
        as_of=AsOfSchema(event=as_of.number, at=as_of.at) if as_of else None,
        rows=_rows(board.rows),
    )


def _rows(rows: Sequence[Row]) -> list[RowSchema]:
    """Show rows of one board. Links and revisions are read for all of them at once."""
    links = System.objects.only("code_url", "paper_url").in_bulk([row.standing.system_id for row in rows])
    revision_ids = {row.standing.evaluation.revision_id for row in rows if row.standing.evaluation}
    revisions = ReferenceRevision.objects.without_references().in_bulk(revision_ids)
    return [_row(row, links[row.standing.system_id], revisions) for row in rows]


def _row(row: Row, system: System, revisions: Mapping[int, ReferenceRevision]) -> RowSchema:
    """Show a row. system: of the row. revisions: by primary key, with that of its result."""
    standing, place = row.standing, row.place
    assert isinstance(standing, StandingFigures), "rows of a page are models"
    evaluation = standing.evaluation
    return RowSchema(
        rank=row.rank,
        kind=Kind(standing.kind),
        judge=standing.judge,
        rank_interval_95=_interval(place.low, place.high),
        tie_group=row.group,
        p_next=round_p(place.p_next),
        not_tested=place.why_not,
        system_id=standing.system_id,
        system=show_system(standing, system),
        team=remove_hidden_characters(standing.team_name) or None,
        right=standing.right,
        total=standing.total,
        score=visibility.visible_score(standing.score, standing.kind),
        metric=visibility.ranked_metric(row.benchmark).key,
        interval_95=_interval(round_figure(standing.low), round_figure(standing.high)),
        metrics=dict(row.metrics),
        breakdowns=_rates(row.groups),
        group_metrics=_group_metrics(row.group_metrics),
        date=standing.since,
        chosen_before_score=standing.chosen_before_score,
        files_of_system=standing.files_of_system,
        files_of_team=standing.files_of_team,
        # A result that was withdrawn or disqualified has no page.
        submission=_address(evaluation.submission_id) if evaluation and not row.removal else None,
        gone=_removal(row.removal),
        references=_references(revisions[evaluation.revision_id]) if evaluation else None,
        scorer_version=evaluation.scorer_version if evaluation else None,
        outdated=row.is_outdated,
        source=_source(standing),
    )


def show_change(entry: log.Entry) -> ChangeSchema:
    return ChangeSchema(
        event=entry.number,
        at=entry.at,
        action=entry.action,
        system_id=entry.system_id,
        system=entry.system_name,
        reason=entry.reason,
        right=entry.right,
        total=entry.total,
        score=round_figure(entry.score),
        score_before=round_figure(entry.score_before),
        submission=_address(entry.submission_id) if entry.submission_id else None,
        on_board=entry.is_on_board,
        gone=_removal(entry.removal),
    )


def show_best_score(best: BestScore) -> BestScoreSchema:
    return BestScoreSchema(
        at=best.at,
        system_id=best.system_id,
        system=best.name,
        kind=Kind(best.kind),
        judge=best.judge,
        score=visibility.visible_score(best.score, best.kind),
        interval_95=_interval(round_figure(best.low), round_figure(best.high)),
    )


def seconds_to_wait(submission: Submission) -> int | None:
    """Return how many seconds a client should wait before it asks again; None once settled."""
    if not submission.is_pending:
        return None
    if submission.status == Status.INCOMPLETE:
        # It waits for a judge or an organiser: no client should ask every second for hours.
        return 30
    # Scoring takes milliseconds once it has begun; before that, the wait depends on the queue.
    return 1 if submission.status == Status.SCORING else 2


def _removal(removal: Removal | None) -> GoneSchema | None:
    return GoneSchema(action=removal.action, at=removal.at, reason=removal.reason) if removal else None


def _source(standing: StandingFigures) -> SourceSchema | None:
    if standing.kind == Kind.RESCORED:
        return None
    return SourceSchema(title=standing.source, url=standing.source_url)


def _interval(low: Figure | None, high: Figure | None) -> list[Figure] | None:
    return None if low is None or high is None else [low, high]


def _rates(breakdowns: Mapping[str, Mapping[str, Rate | Share]]) -> Rates:
    return {
        breakdown: {
            group: GroupRateSchema(right=rate.right, total=rate.total, rate=visibility.visible_rate(rate))
            for group, rate in groups.items()
        }
        for breakdown, groups in breakdowns.items()
    }


def _group_metrics(breakdowns: Mapping[str, Mapping[str, Mapping[str, GroupMean]]]) -> GroupMetrics:
    return {
        breakdown: {
            group: {key: mean.value for key, mean in means.items()} for group, means in groups.items()
        }
        for breakdown, groups in breakdowns.items()
    }


def _references(revision: ReferenceRevision) -> ReferencesSchema:
    return ReferencesSchema(revision=revision.number, digest=revision.digest)


def _address(submission_id: UUID) -> str:
    return reverse("api:submission", args=[submission_id])
