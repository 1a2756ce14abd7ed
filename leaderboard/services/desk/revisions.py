"""Compare revisions of the references of a board, by ids of tasks, and preview what one would change.

No function here returns a reference, or what depends on one beyond scores.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic

from django.core.cache import caches
from django.db.models import Sum

from leaderboard.models import (
    AuditEvent,
    Benchmark,
    Evaluation,
    JudgeMode,
    ReferenceRevision,
    Standing,
    Submission,
)
from leaderboard.services.desk.preview import RankChange, current_rows, rank_changes
from leaderboard.services.errors import StorageAway
from leaderboard.services.judging.judge import make_judge
from leaderboard.services.judging.references import changed_tasks
from leaderboard.services.submissions import grade, rescore
from scoring import registry
from scoring.judging import Judge
from scoring.runs import pool_runs

_SECONDS = 8.0  # of grading for one page
_KEPT = 24 * 3600
_cache = caches["boards"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionLine:
    """A revision in the list of a board. was_active: whether it ever was."""

    revision: ReferenceRevision
    is_active: bool
    was_active: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionDifference:
    """The ids of the tasks in which a revision differs from the active one."""

    added: Sequence[str]
    removed: Sequence[str]
    changed: Sequence[str]

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.removed or self.changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegradingPreview:
    """What rescoring every published result against a revision would change.

    graded: rows that were graded. left: rows for which the time did not suffice; the next call goes on
    kept: systems whose file cannot be graded by the revision, so that they keep their present row
    """

    changes: Sequence[RankChange]
    graded: int
    left: int
    kept: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RescoringEstimate:
    """What rescoring a board takes at most.

    count: submissions whose score is not by the present revision, grader and judge
    seconds: of grading and judging, one after the other, by their last scores
    cost: US dollars of judging, 0 where no LLM is asked; None where nothing is known of what a file costs
    """

    count: int
    seconds: float
    cost: float | None


def list_revisions(benchmark: Benchmark) -> list[RevisionLine]:
    """Return the revisions of a board, the newest first, with their task ids, without references."""
    rows = (
        ReferenceRevision.objects.filter(benchmark=benchmark).defer("content").select_related("imported_by")
    )
    events = AuditEvent.objects.filter(benchmark=benchmark, action=AuditEvent.Action.ACTIVATED)
    numbers = {data.get("revision") for data in events.values_list("data", flat=True)}
    return [
        RevisionLine(
            revision=row,
            is_active=row.pk == benchmark.active_revision_id,
            was_active=row.number in numbers,
        )
        for row in rows.order_by("-number")
    ]


def difference(old: ReferenceRevision, new: ReferenceRevision) -> RevisionDifference:
    """Return in which tasks `new` differs from `old`."""
    before, after = set(old.task_ids), set(new.task_ids)
    return RevisionDifference(
        added=[task for task in new.task_ids if task not in before],
        removed=[task for task in old.task_ids if task not in after],
        changed=changed_tasks(old, new),
    )


def asks_llm(benchmark: Benchmark) -> bool:
    """Return whether grading on a board asks a language model, which a preview must not pay for."""
    return registry.get(benchmark.family).needs_judge and benchmark.judge_mode != JudgeMode.RULES


def preview_revision(
    benchmark: Benchmark, revision: ReferenceRevision, *, seconds: float = _SECONDS
) -> RegradingPreview | None:
    """Grade the published results against a revision, store nothing, and return what would change.

    None on a board that asks a language model. Grades are kept by process, so that the next call goes on.
    """
    if asks_llm(benchmark):
        return None
    family = registry.get(benchmark.family)
    judge = make_judge(JudgeMode.RULES, family=family.slug) if family.needs_judge else None
    before = current_rows(benchmark)
    after, graded, left, kept = dict(before), 0, 0, []
    deadline = monotonic() + seconds
    rows = Standing.objects.filter(benchmark=benchmark, evaluation__isnull=False)
    for row in rows.select_related("evaluation__submission__benchmark", "evaluation__submission__system"):
        if row.evaluation is None or row.system_id not in before:
            continue
        submission = row.evaluation.submission
        score = _known_score(submission, revision, judge)
        if score is None:
            if monotonic() > deadline:
                left += 1
                continue
            score = _grade(submission, revision, judge)
        if isinstance(score, str):
            kept.append(row.name)
            continue
        graded += 1
        identity = judge.identity if judge else ""
        after[row.system_id] = replace(before[row.system_id], score=score, judge=identity)
    return RegradingPreview(
        changes=rank_changes(benchmark, before, after), graded=graded, left=left, kept=kept
    )


def _key(submission: Submission, revision: ReferenceRevision, judge: Judge | None) -> str:
    version = registry.get(submission.benchmark.family).scorer_version
    return f"regraded:{submission.pk}:{revision.pk}:{version}:{judge.identity if judge else ''}".replace(
        " ", "-"
    )


def _known_score(
    submission: Submission, revision: ReferenceRevision, judge: Judge | None
) -> float | str | None:
    """Return the score against a revision where it was computed before; None where it was not."""
    known = (
        Evaluation.objects.filter(
            submission=submission,
            revision=revision,
            scorer_version=registry.get(submission.benchmark.family).scorer_version,
            judge=judge.identity if judge else "",
        )
        .values_list("right", "total")
        .first()
    )
    if known is not None:
        return known[0] / known[1]
    kept: float | str | None = _cache.get(_key(submission, revision, judge))
    return kept


def _grade(submission: Submission, revision: ReferenceRevision, judge: Judge | None) -> float | str:
    """Return the score of a stored file against a revision, or why it has none."""
    try:
        if rescore.count_unknown_tasks(submission, set(revision.task_ids)):
            score: float | str = "tasks"
        else:
            scored = grade.grade(submission, revision, judge)
            family = registry.get(submission.benchmark.family)
            rate = pool_runs(family, scored.cards).overall if not scored.undecided else None
            score = rate.right / rate.total if rate else "undecided"
    except (FileNotFoundError, StorageAway):
        # Perhaps there again soon, so not kept.
        return "file"
    _cache.set(_key(submission, revision, judge), score, _KEPT)
    return score


def estimate_rescoring(benchmark: Benchmark) -> RescoringEstimate:
    """Return what rescoring a board takes, by what its last scores took."""
    rows = rescore.outdated(benchmark)
    count = rows.count()
    milliseconds = rows.aggregate(sum=Sum("evaluation__duration_ms"))["sum"] or 0
    cost: float | None = 0.0
    if asks_llm(benchmark) and count:
        spent = Evaluation.objects.filter(submission__benchmark=benchmark).exclude(spending={})
        costs = [one.get("cost", 0.0) for one in spent.values_list("spending", flat=True)]
        cost = count * sum(costs) / len(costs) if costs else None
    return RescoringEstimate(count=count, seconds=milliseconds / 1000, cost=cost)
