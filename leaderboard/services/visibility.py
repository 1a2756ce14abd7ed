"""Decide which parts of a result are visible, and how exactly.

The only gate: every page, response, export and sort order uses it.

- A result that was never published shows its own team the ranked figure alone, rounded to a step, unless the
  board rounds nothing (`Board.rounding` 0): with exact figures, files that differ in a few answers would
  reveal the references one by one. It is over all tasks, whichever are set aside: with each other number
  of tasks, the step would fall elsewhere.
- A published result shows what the board's feedback level allows; each level shows what those before it do:

  - by-task: to its own team, right, wrong or undecided by task, beside what the team's own file holds of the
    task and the remarks that follow from the file alone;
  - by-check: also why, in words that follow from the file and the class of the failure together. They reveal
    no more of a reference than the class does;
  - answers: also the expected answers, and the failed check as exactly as they allow. Where the data need no
    agreement, every reader sees them of published results.
- Means have three decimals at most, since the further ones of a mean can be made to carry a verdict on each
  task. Means of a group over fewer than 20 tasks are left out, unless the references are public.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from leaderboard.models import Board, Evaluation, Feedback, Kind, Submission
from leaderboard.services.text import percent_range
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Breakdown, Metric
from wardboard.scoring.statistics import wilson_interval
from wardboard.scoring.verdicts import Rate, Share


def _shows(board: Board, level: Feedback) -> bool:
    return Feedback(board.feedback).shows(level)


def by_group(board: Board) -> bool:
    """Return whether figures of groups of tasks are visible."""
    return _shows(board, Feedback.BY_TYPE)


def by_task(board: Board) -> bool:
    """Return whether right and wrong are visible task by task."""
    return _shows(board, Feedback.BY_TASK)


def shows_answers(board: Board) -> bool:
    """Return whether the expected answers are visible."""
    return _shows(board, Feedback.ANSWERS)


def known_breakdown(board: Board) -> Breakdown | None:
    """Return the breakdown by which tasks are listed: the strata, where the group of a task is no secret."""
    benchmark = registry.get(board.benchmark)
    strata = next((item for item in benchmark.breakdowns if item.key == benchmark.strata), None)
    is_visible = strata is not None and by_task(board) and (strata.is_known or shows_answers(board))
    return strata if is_visible else None


# The official figure where organisers have set tasks aside. It is stored with each result of such a revision.
ALL_TASKS = Metric(
    key="all_tasks",
    label=gettext_noop("Score over all tasks"),
    short=gettext_noop("All tasks"),
    public=True,
    stands_for=gettext_noop(
        "the official figure, over all tasks of the benchmark, with those that the organisers have set aside"
    ),
    formula=gettext_noop("the formula of the ranked metric, over all tasks"),
)


def metrics_of(board: Board) -> tuple[Metric, ...]:
    """Return the metrics of a board's benchmark, and the score over all tasks where some are set aside."""
    metrics = registry.get(board.benchmark).metrics
    return (*metrics, ALL_TASKS) if board.set_aside_count else metrics


def visible_metrics(board: Board) -> list[Metric]:
    """Return the visible metrics of rescored results, the ranked one first."""
    return [metric for metric in metrics_of(board) if metric.public or by_group(board)]


def ranked_metric(board: Board) -> Metric:
    """Return the metric that the leaderboard is ranked by."""
    return registry.get(board.benchmark).metrics[0]


def visible_breakdowns(board: Board) -> tuple[Breakdown, ...]:
    """Return the breakdowns whose figures are visible."""
    return registry.get(board.benchmark).breakdowns if by_group(board) else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLine:
    """What a reader may see of the verdicts on a task.

    - correct: whether it is right in all of `runs` runs; None where the judge left it open
    - remark: that of the first run, which follows from the file; "" where the runs have different ones
    - reasons: the grading reason of each run; () below the level by-check
    - failures: what is wrong in any run, in English, as far as that has a name; () below the level by-check
    """

    task_id: str
    correct: bool | None
    remark: str
    right_runs: int
    runs: int
    reasons: Sequence[str] = ()
    failures: Sequence[str] = ()


_STEPS_OF_PROGRESS = 10


def visible_progress(submission: Submission) -> dict[str, Any] | None:
    """Return the stored progress of a submission with `judged_share`; None where there is none.

    How many answers a judge has to decide depends on the references: where these are hidden, only the share
    that is judged is visible, in tenths.
    """
    if submission.work.progress is None:
        return None
    progress = {"judged_share": None, **submission.work.progress}
    if to_judge := progress.get("to_judge"):
        steps = _STEPS_OF_PROGRESS * progress["judged"] // to_judge
        progress["judged_share"] = steps / _STEPS_OF_PROGRESS
    if submission.board.rounding:
        progress |= dict.fromkeys(("to_judge", "judged", "undecided"))
    return progress


# Of these, None stays None.
_Figure = TypeVar("_Figure", float, float | None)
FEWEST_TASKS = 20  # of a group whose means are shown


def round_figure(value: _Figure) -> _Figure:
    """Return a mean, a rate or an end of an interval as it leaves the service: with three decimals."""
    return None if value is None else round(value, 3)


def visible_score(score: _Figure, kind: str) -> _Figure:
    """Return a row's score as it leaves the service: as printed in its publication, else rounded."""
    return score if kind == Kind.REPORTED else round_figure(score)


def visible_rate(rate: Rate | Share) -> float | None:
    """Return a rate as it leaves the service: as printed in a publication, else rounded."""
    return rate.rate if isinstance(rate, Share) else round_figure(rate.rate)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundedRate(Share):
    """A rate rounded to the nearest multiple of a step up to 1. aside: how many tasks are set aside."""

    rounded_to: float
    aside: int

    @property
    def points(self) -> int:
        """The step in percentage points."""
        return round(100 * self.rounded_to)

    @property
    def is_highest(self) -> bool:
        """Whether it includes all rates above it."""
        return self.points + round(100 * self.rate) > 100

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the highest rate that it may be, in 0..1, over the tasks that are not set aside."""
        kept = self.total - self.aside
        high = 1.0 if self.is_highest else self.rate + self.rounded_to / 2
        low = ((self.rate - self.rounded_to / 2) * self.total - self.aside) / kept
        return max(0.0, low), min(1.0, high * self.total / kept)


def rate_words(rate: Rate | Share) -> str:
    """Print a rate: 45.0%, 45.0–53.3% where a judge left tasks open, about 97% where it is rounded."""
    if not rate.rounded_to:
        return percent_range(rate.rate, rate.upper)
    return _("about %(figure)s") % {"figure": percent_range(rate.rate, rate.upper, 0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMean:
    """A mean over the tasks of a group. is_withheld: whether it is left out for its few tasks."""

    value: float | None
    is_withheld: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleRun:
    """The visible figures of one of several runs: `right` of `total` tasks, the ranked one, and all."""

    right: int
    total: int
    score: float
    score_words: str
    metrics: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleSpread:
    """How much several runs differ, as wardboard.scoring.statistics.runs.RunSpread; all figures in 0..1.

    passes: pass^k for k from 1 on, None where hidden. pass_intervals: their 95% intervals; none of rounded
    ones. rounded_to: the step to which all but pass^1 are rounded; None where they have three decimals.
    """

    deviation: float
    passes: Sequence[float | None]
    pass_intervals: Sequence[tuple[float, float]]
    flips: float
    rounded_to: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleResult:
    """The visible part of an evaluation.

    overall: the rate by `metric`, the ranked one
    is_complete: whether it is all that the feedback level allows; otherwise `overall` is rounded, and there
        are no other figures
    per_run: the figures of each of several runs; empty where they are not visible, and for one run
    """

    metric: Metric
    overall: Rate | RoundedRate
    is_complete: bool
    metrics: Mapping[str, float | None]
    evaluation: Evaluation
    breakdowns: Mapping[str, Mapping[str, Rate | Share]] = field(default_factory=dict)
    group_metrics: Mapping[str, Mapping[str, Mapping[str, GroupMean]]] = field(default_factory=dict)
    spread: VisibleSpread | None = None
    per_run: Sequence[VisibleRun] = ()

    @property
    def upper(self) -> float | None:
        """The upper end of `overall`, in 0..1, where a judge left tasks open; None elsewhere."""
        return upper_end(self.metric, self.overall.rate, self.metrics)

    @property
    def score_words(self) -> str:
        """The ranked figure in print: 45.0%, 45.0–53.3% where a judge left tasks open, about 45%."""
        return percent_range(self.overall.rate, self.upper) if self.is_complete else rate_words(self.overall)


def upper_end(metric: Metric, score: float | None, metrics: Mapping[str, float | None]) -> float | None:
    """Return the upper end of a ranked figure whose judge left tasks open, 0..1; None where none are."""
    upper = metrics.get(metric.upper_key)
    # Means of several runs carry rounding errors.
    if upper is None or score is None or round_figure(upper - 1e-9) <= round_figure(score):
        return None
    return round_figure(upper)


def score_words(metric: Metric, score: float | None, metrics: Mapping[str, float | None]) -> str:
    """Print a ranked figure as its row has it: 45.0%, or 45.0–53.3% where a judge left tasks open."""
    return percent_range(score, upper_end(metric, score, metrics))


def visible_result(
    submission: Submission, *, evaluation: Evaluation | None = None, to_organiser: bool = False
) -> VisibleResult | None:
    """Return the visible part of a result; None where there is none yet.

    evaluation: an earlier one of the submission, instead of its present one
    to_organiser: whether the reader may see every submission, and so sees it as if it were published
    """
    evaluation = evaluation or submission.evaluation
    if evaluation is None:
        return None
    board = submission.board.as_graded_by(evaluation.scorer_version)
    metric = ranked_metric(board)
    if not (to_organiser or submission.has_exact_score):
        overall = _rounded_rate(evaluation, board.rounding)
        return VisibleResult(
            metric=metric,
            overall=overall,
            is_complete=False,
            metrics={metric.key: overall.rate},
            evaluation=evaluation,
        )
    # The score over all tasks is there where the evaluation has it, so the receipt of a result stays the same
    # while tasks are set aside or put back, until it is rescored.
    metrics = [metric for metric in visible_metrics(board) if metric is not ALL_TASKS]
    return VisibleResult(
        metric=metric,
        overall=evaluation.rate,
        is_complete=True,
        metrics={
            m.key: m.rounded(evaluation.metrics)
            for m in ([*metrics, ALL_TASKS] if ALL_TASKS.key in evaluation.metrics else metrics)
        },
        breakdowns=visible_groups(board, evaluation.breakdowns, runs=evaluation.runs),
        group_metrics=visible_group_metrics(board, evaluation.group_metrics),
        evaluation=evaluation,
        spread=visible_spread(board, evaluation),
        per_run=_visible_runs(board, evaluation, to_organiser=to_organiser),
    )


def visible_spread(board: Board, evaluation: Evaluation) -> VisibleSpread | None:
    """Return how much the runs of a published evaluation differ; None for one run.

    With hidden references it is rounded (exact mean and spread of two runs are the scores of both), and of
    pass^k only the last is shown: all together tell how many tasks were right in one run, in two, and so on.
    """
    spread = evaluation.spread
    if spread is None:
        return None
    step = step_of(board.rounding, evaluation.tasks) / 100 if board.rounding else None

    def shown(value: float) -> float:
        return round_figure(value if step is None else min(1.0, int(value / step + 0.5) * step))

    first, *between, last = spread["passes"]
    middle = [round_figure(value) if step is None else None for value in between]
    passes = [round_figure(first), *middle, shown(last)]
    flips, deviation = shown(spread["flips"]), shown(spread["deviation"])
    tasks, clustered = evaluation.tasks, (evaluation.clustered_interval or {}).get("passes")
    # Wilson's: the chance of a task is in 0..1, so its variance is at most that of right or wrong.
    intervals = clustered or [wilson_interval(power * tasks, tasks) for power in spread["passes"]]
    ends = [(round_figure(low), round_figure(high)) for low, high in intervals if step is None]
    return VisibleSpread(
        deviation=deviation, passes=passes, pass_intervals=ends, flips=flips, rounded_to=step
    )


def _visible_runs(board: Board, evaluation: Evaluation, *, to_organiser: bool) -> tuple[VisibleRun, ...]:
    """Return the figures of each run if visible: ten scores reveal as much as ten files."""
    if not evaluation.per_run or not (to_organiser or not board.rounding or by_task(board)):
        return ()
    metrics = visible_metrics(board)
    return tuple(
        VisibleRun(
            right=run["right"],
            total=run["total"],
            score=round_figure(run["right"] / run["total"]),
            score_words=score_words(metrics[0], run["right"] / run["total"], run["metrics"]),
            metrics={metric.key: metric.rounded(run["metrics"]) for metric in metrics},
        )
        for run in evaluation.per_run
    )


_TASKS_OF_STEP = 3


def step_of(rounding: int, total: int) -> int:
    """Return the step in whole percentage points: `rounding`, but no less than what three tasks are worth."""
    return max(rounding, -(-100 * _TASKS_OF_STEP // total))


def _rounded_rate(evaluation: Evaluation, rounding: int) -> RoundedRate:
    # By the number of tasks: more runs of them must not make the step finer.
    right, total, tasks, aside = evaluation.right, evaluation.total, evaluation.tasks, 0
    if (over_all := evaluation.metrics.get(ALL_TASKS.key)) is not None:
        aside, tasks = len(evaluation.revision.set_aside), evaluation.revision.file_task_count
        total = tasks * evaluation.runs
        right = round(over_all * total)
    step = step_of(rounding, tasks)
    # In whole numbers: the nearest multiple, and of two as near ones the higher.
    multiples = (2 * 100 * right + step * total) // (2 * step * total)
    # Where the step does not divide 100, "100" would reveal that nearly all answers are right.
    points = min(multiples, 100 // step) * step
    return RoundedRate(rate=points / 100, rounded_to=step / 100, total=tasks, aside=aside)


def group_rate(board: Board, stored: Sequence[Any], *, runs: int = 1) -> Rate | Share:
    """Return the rate that `standings.stored_breakdowns` stored, of `runs` runs.

    With hidden references the rate of several runs is rounded to whole tasks: runs that differ in few answers
    would otherwise weigh the verdicts on them, and one sum would tell them all.
    """
    right, total, more = (*stored, 0)[:3]
    if right is None:
        return Share(rate=more, total=total)
    if runs > 1 and board.rounding and total:
        # The tasks of a group can differ between runs, so that the mean of their numbers is not whole.
        tasks = max(1, round(total / runs))
        low, high = (round_figure(round(count / runs) / tasks) for count in (right, right + more))
        upper = high if high > low else None
        return Share(rate=low, total=tasks, upper=upper, rounded_to=round_figure(1 / tasks))
    return Rate(right=right, total=total, runs=runs, left_open=more)


def visible_groups(
    board: Board, stored: Mapping[str, Any], *, runs: int = 1
) -> dict[str, dict[str, Rate | Share]]:
    """Return the visible breakdowns among the stored ones as rates, in the benchmark's order."""
    return {
        breakdown.key: {
            group: group_rate(board, stored[breakdown.key][group], runs=runs)
            for group in breakdown.groups
            if group in stored.get(breakdown.key, {})
        }
        for breakdown in visible_breakdowns(board)
    }


def visible_group_metrics(
    board: Board, stored: Mapping[str, Any], *, is_printed: bool = False
) -> dict[str, dict[str, dict[str, GroupMean]]]:
    """Return the visible figures beside the rates of groups, in the benchmark's order.

    is_printed: whether means without their number of tasks are from a publication, and so public
    """
    return {
        breakdown.key: {
            group: {
                key: _group_mean(board, stored[breakdown.key][group].get(key), is_printed=is_printed)
                for key in breakdown.metrics
            }
            for group in breakdown.groups
            if group in stored.get(breakdown.key, {})
        }
        for breakdown in visible_breakdowns(board)
        if breakdown.metrics
    }


def _group_mean(board: Board, stored: Sequence[Any] | float | None, *, is_printed: bool) -> GroupMean:
    """Return a mean that is stored as [mean, tasks with a figure], or alone where the number is not known."""
    if isinstance(stored, Sequence):
        value, tasks = stored
        shows = tasks >= FEWEST_TASKS
    else:
        value, shows = stored, stored is None or is_printed
    if shows or board.is_demo:
        return GroupMean(value=round_figure(value))
    return GroupMean(value=None, is_withheld=True)


def shows_tasks(submission: Submission) -> bool:
    """Return whether the submitting team may see its verdicts task by task."""
    # The evaluation of a draft is not stored, and has no key.
    has_result = submission.evaluation_id is not None or submission.evaluation is not None
    return has_result and by_task(submission.board) and submission.has_exact_score


def by_task_to_all(board: Board) -> bool:
    """Return whether every reader may see right and wrong of published results task by task."""
    return shows_answers(board) and not board.is_credentialed


def scores_at_once(board: Board) -> bool:
    """Return whether a file is scored before it is submitted, and as exactly as a published one.

    A demonstration alone: of other boards with public answers, none is public before a result is published.
    """
    return board.is_demo and by_task_to_all(board) and not board.rounding


def visible_tasks(submission: Submission) -> list[TaskLine] | None:
    """Return the verdicts task by task, for those to whom they are shown; None where they are not visible.

    Below the level by-check reasons are hidden: the check that failed reveals what the reference asks for.
    """
    evaluation = submission.evaluation
    if evaluation is None or not shows_tasks(submission):
        return None
    benchmark = registry.get(submission.board.benchmark)
    shows_reasons = _shows(submission.board, Feedback.BY_CHECK)
    tasks = evaluation.revision.task_ids
    codes = bytes(evaluation.verdicts)
    runs = [codes[start : start + len(tasks)] for start in range(0, len(codes), len(tasks))]
    lines = []
    for task_id, of_task in zip(tasks, zip(*runs, strict=True), strict=True):
        reasons = [benchmark.reasons[code] for code in of_task]
        verdicts = [benchmark.is_correct(reason) for reason in reasons]
        wrong = [reason for reason, correct in zip(reasons, verdicts, strict=True) if correct is False]
        failures = dict.fromkeys(benchmark.failures.get(reason, "") for reason in wrong)
        lines.append(
            TaskLine(
                task_id=task_id,
                correct=False if False in verdicts else None if None in verdicts else True,
                remark=benchmark.remarks.get(reasons[0], "") if len(set(of_task)) == 1 else "",
                right_runs=verdicts.count(True),
                runs=len(runs),
                reasons=[*map(str, reasons)] if shows_reasons else (),
                failures=[*filter(None, failures)] if shows_reasons else (),
            )
        )
    return lines
