"""Show submissions as the structs of `leaderboard.api.schema`.

`services.visibility` decides which parts of a result may be seen.
"""

from datetime import datetime
from typing import Any, TypeVar

import msgspec
from django.core.paginator import Page
from msgspec import UNSET

from leaderboard.api.representations.parts import (
    show_group_metrics,
    show_interval,
    show_rates,
    show_references,
    show_system,
    submission_address,
)
from leaderboard.api.schema.submissions import (
    CiJobSchema,
    EntrySchema,
    FileSchema,
    FromLogSchema,
    LineSchema,
    ProgressSchema,
    RankSchema,
    ResultSchema,
    RunFileSchema,
    RunResultSchema,
    SameAnswersSchema,
    ScoredBySchema,
    SpreadSchema,
    SubmissionPageSchema,
    SubmissionSchema,
    TaskSchema,
)
from leaderboard.http.problems import ProblemSchema
from leaderboard.models import (
    CiJob,
    Evaluation,
    ProvenanceLevel,
    Status,
    Submission,
    Trace,
)
from leaderboard.models.systems import RELEASE
from leaderboard.services import visibility
from leaderboard.services.boards.ranks import ranks_of_result
from leaderboard.services.record.entry import entry_of
from leaderboard.services.rows.lead_rules import LeadRules
from leaderboard.services.submissions.digests import same_answers_before
from leaderboard.services.visibility import round_figure
from wardboard.scoring.facts_of_logs import public_facts
from wardboard.scoring.reading.formats.log_facts import LogFacts, log_facts_of
from wardboard.scoring.verdicts import ClusteredRate

_Time = TypeVar("_Time", datetime, datetime | None)


def show_submission(submission: Submission, *, to_team: bool) -> SubmissionSchema:
    """Show a submission. to_team: to its own team, which alone sees report and file name."""
    evaluation = submission.evaluation
    schema = SubmissionSchema(
        id=submission.pk,
        url=submission_address(submission.pk),
        status=Status(submission.status),
        published=submission.is_published,
        benchmark=submission.board.slug,
        unranked=submission.board.is_unranked,
        team=submission.team.name,
        system=show_system(submission.system, submission.system),
        result=_result(submission),
        entry=_entry(submission),
        scored_by=_scored_by(submission, evaluation) if evaluation else None,
        file=FileSchema(sha256=submission.sha256, size_bytes=submission.size_bytes, format=submission.format),
        runs=submission.runs,
        retries=submission.retries,
        deterministic=submission.deterministic,
        same_files=submission.same_files,
        designation=submission.designation,
        **{name: getattr(submission, name) for name in RELEASE},
        provenance=ProvenanceLevel(submission.provenance),
        ci_job=show_ci_job(submission.ci_job) if submission.ci_job else None,
        trace=Trace(submission.trace) if submission.trace else None,
        from_log=show_log_facts(log_facts_of(submission.log_facts)),
        received_at=_to_the_second(submission.received_at),
        scored_at=_to_the_second(submission.scored_at),
        published_at=_to_the_second(submission.published_at),
    )
    if to_team:
        _add_private(schema, submission)
    return schema


def show_log_facts(facts: LogFacts) -> FromLogSchema | None:
    """Show what a file states of its runs."""
    stated = public_facts(facts)
    return msgspec.convert(stated, FromLogSchema) if stated else None


def _entry(submission: Submission) -> EntrySchema | None:
    entry = entry_of(submission)
    if entry is None:
        return None
    return EntrySchema(
        submission=entry.submission_id,
        url=submission_address(entry.submission_id),
        is_this=entry.is_this,
        score=entry.score,
        score_upper=round_figure(entry.upper),
        reason=entry.reason,
        explanation=entry.reason.sentence,
    )


def _to_the_second(at: _Time) -> _Time:
    """Return a time in whole seconds: from finer ones would follow how long grading took, and so verdicts."""
    return at.replace(microsecond=0) if at else at


def show_ci_job(job: CiJob) -> CiJobSchema:
    """Show what an issuer signed about a job."""
    return CiJobSchema(**{name: getattr(job, name) for name in CiJobSchema.__struct_fields__})


def _add_private(schema: SubmissionSchema, submission: Submission) -> None:
    """Add what only the submission's own team sees."""
    schema.filename = submission.filename
    files = enumerate(submission.run_files or (), 1)
    schema.run_files = [RunFileSchema(run=number, **file) for number, file in files]
    schema.failure = submission.failure
    progress = visibility.visible_progress(submission) if submission.is_pending else None
    schema.progress = msgspec.convert(progress, ProgressSchema) if progress else None
    schema.waits_for = submission.waits_for
    schema.resume_at = submission.resume_at
    schema.problems = _stored_problems(submission.problems)
    schema.problems_total = submission.problem_count
    schema.problems_by_code = submission.problems_by_code or UNSET
    schema.warnings = _stored_problems(submission.warnings)
    schema.warnings_total = submission.warning_count
    schema.warnings_by_code = submission.warnings_by_code or UNSET
    schema.withdrawn_at = submission.withdrawn_at
    schema.withdrawal_reason = submission.withdrawal_reason
    schema.disqualified_at = submission.disqualified_at
    schema.disqualification_reason = submission.disqualification_reason
    schema.rank = _rank(submission)
    earlier = same_answers_before(submission)
    schema.same_answers = msgspec.convert(earlier, SameAnswersSchema | None, from_attributes=True)
    schema.tasks = _tasks(submission)


def _rank(submission: Submission) -> RankSchema | None:
    result = visibility.visible_result(submission)
    if submission.board.is_unranked:
        return None
    if result is None or LeadRules.of(submission.board).unmet_by_result(submission):
        return None
    best, worst, systems = ranks_of_result(result, submission.board, system=submission.system_id)
    return RankSchema(best=best, worst=worst, systems=systems)


def _tasks(submission: Submission) -> list[TaskSchema] | None:
    tasks = visibility.visible_tasks(submission)
    return msgspec.convert(tasks, list[TaskSchema] | None, from_attributes=True)


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
        runs=result.evaluation.runs,
        right=overall.right,
        total=overall.total,
        score=round_figure(overall.rate),
        rounded_to=result.rounded_to,
        metric=result.metric.key,
        interval_95=show_interval(*map(round_figure, overall.interval or (None, None))),
        interval_clusters=list(overall.by) if isinstance(overall, ClusteredRate) else [],
        metrics=dict(result.metrics),
        breakdowns=show_rates(result.breakdowns),
        group_metrics=show_group_metrics(result.group_metrics),
        spread=msgspec.convert(result.spread, SpreadSchema | None, from_attributes=True),
        per_run=msgspec.convert(result.per_run or None, list[RunResultSchema] | None, from_attributes=True),
    )


def _scored_by(submission: Submission, evaluation: Evaluation) -> ScoredBySchema:
    return ScoredBySchema(
        references=show_references(submission.board, evaluation.revision),
        unusable_tasks=evaluation.revision.unusable_count,
        scorer_version=evaluation.scorer_version,
        judge=evaluation.judge,
        at=_to_the_second(evaluation.created_at),
    )


def show_submissions(page: Page[Submission], *, number: int, following: str | None) -> SubmissionPageSchema:
    """Show page `number` of the list, empty where `page` is another. following: address of the next page."""
    return SubmissionPageSchema(
        count=page.paginator.count,
        page=number,
        pages=page.paginator.num_pages,
        next=following,
        results=[_line(submission) for submission in page.object_list] if page.number == number else [],
    )


def _line(submission: Submission) -> LineSchema:
    """Show a line of the team's list: the figure that is ranked, and the address of the rest."""
    result = visibility.visible_result(submission)
    return LineSchema(
        id=submission.pk,
        url=submission_address(submission.pk),
        status=Status(submission.status),
        published=submission.is_published,
        benchmark=submission.board.slug,
        system=submission.system.name,
        version=submission.version,
        commit=submission.commit,
        score=round_figure(result.overall.rate) if result else None,
        rounded_to=result.rounded_to if result else None,
        metric=visibility.ranked_metric(submission.board).key,
        problems_total=submission.problem_count,
        sha256=submission.sha256,
        received_at=submission.received_at,
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
