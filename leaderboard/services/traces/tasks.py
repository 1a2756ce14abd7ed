"""Read the tasks of a submission: verdicts, its own answers, and why they are wrong.

`visibility` decides how much of that a reader sees; a reference is read for leaderboards alone that show the
expected answers. The stored verdict is explained, never graded again.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Literal
from uuid import UUID

from django.utils.translation import gettext as _

from leaderboard.models import Evaluation, Submission
from leaderboard.services import visibility
from leaderboard.services.access import Reader, may_read_verdicts
from leaderboard.services.errors import NotFound, StorageAway
from leaderboard.services.files.read import open_runs
from leaderboard.services.judging.references import references_of, texts_of
from leaderboard.services.judging.task_groups import load_task_groups
from leaderboard.services.visibility import TaskLine
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Breakdown
from wardboard.scoring.explanations import ComparedPost, ExpectedWork, OwnWork


class Outcome(StrEnum):
    """The verdict on a task over all runs; WRONG is wrong in at least one of them."""

    WRONG = "wrong"
    RIGHT = "right"
    OPEN = "open"


Part = Literal["outcome", "group", "failure"]
_PARTS: Sequence[Part] = ("outcome", "group", "failure")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which tasks are chosen; None where any is.

    outcome: an Outcome. group: its key in the breakdown of the list. failure: what is wrong, in English
    """

    outcome: str | None = None
    group: str | None = None
    failure: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What one run, or several that agree, did at a task.

    - runs: their numbers, from 1
    - outcome: the verdict; None where that of single runs is not visible
    - why: the check that failed, in English; "" for right answers and where it is not visible
    - code: the grading reason of a wrong answer; "" where it is not visible, as where it says more than `why`
    - own: None where the file has no record of the task, and where it cannot be read
    - compared: the POSTs beside those that were due; () where that is not visible, and where none is wrong
    """

    runs: Sequence[int]
    outcome: Outcome | None
    why: str
    code: str
    own: OwnWork | None
    compared: Sequence[ComparedPost] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task as a page shows it."""

    line: TaskLine
    group: str
    instruction: str
    attempts: Sequence[Attempt]
    expected: ExpectedWork | None

    @property
    def outcome(self) -> Outcome:
        """The verdict over all runs."""
        return outcome_of(self.line.correct)

    @property
    def failed_checks(self) -> Mapping[str, Sequence[int]]:
        """Check that failed -> the runs in which it did; () where all runs of the task agree."""
        runs: dict[str, list[int]] = {}
        for attempt in self.attempts:
            if attempt.why:
                runs[attempt.why] = sorted([*runs.get(attempt.why, ()), *attempt.runs])
        return {why: () if len(of_why) == self.line.runs else of_why for why, of_why in runs.items()}


def outcome_of(correct: bool | None) -> Outcome:
    return Outcome.OPEN if correct is None else Outcome.RIGHT if correct else Outcome.WRONG


@dataclass(frozen=True, kw_only=True)
class TaskList:
    """The visible verdicts of a submission, to be counted and chosen from. breakdown: None without groups."""

    submission: Submission
    evaluation: Evaluation
    lines: Sequence[TaskLine]
    breakdown: Breakdown | None

    @cached_property
    def groups(self) -> Mapping[str, str]:
        """Task id -> the key of its group."""
        if self.breakdown is None:
            return {}
        numbers = load_task_groups(board=self.submission.board, revision_id=self.evaluation.revision_id)
        keys = [*self.breakdown.groups]
        return {
            line.task_id: keys[number]
            for line, number in zip(self.lines, numbers.breakdowns[self.breakdown.key], strict=True)
            if number < len(keys)
        }

    @property
    def wrong(self) -> list[TaskLine]:
        return self.chosen(Choice(outcome=Outcome.WRONG))

    def chosen(self, choice: Choice) -> list[TaskLine]:
        """Return the lines that fit, wrong ones first, then open ones."""
        order = (Outcome.WRONG, Outcome.OPEN, Outcome.RIGHT)
        fitting = (line for line in self.lines if self._fits(line, choice))
        return sorted(fitting, key=lambda line: order.index(outcome_of(line.correct)))

    def counts(self, part: Part, choice: Choice = Choice()) -> Counter[str]:
        """Return how many tasks have each value of a part of a choice, of those that fit its other parts."""
        fitting = self.chosen(replace(choice, **{part: None}))
        return Counter(value for line in fitting for value in self._values(part, line))

    def _fits(self, line: TaskLine, choice: Choice) -> bool:
        chosen = ((part, getattr(choice, part)) for part in _PARTS)
        return all(value is None or value in self._values(part, line) for part, value in chosen)

    def _values(self, part: Part, line: TaskLine) -> Collection[str]:
        match part:
            case "outcome":
                return [outcome_of(line.correct)]
            case "group":
                return [self.groups[line.task_id]] if line.task_id in self.groups else []
            case "failure":
                # By its reasons, or by the file alone.
                return line.failures or ([line.remark] if line.remark and not line.correct else [])


def find_tasks(reader: Reader, submission_id: UUID) -> TaskList:
    """Return the tasks of a submission that a reader may read. Raises NotFound."""
    submission = Submission.objects.with_result().filter(pk=submission_id).first()
    listed = tasks_of(reader, submission) if submission is not None else None
    if listed is None:
        raise NotFound(_("You may not read the tasks of this submission."))
    return listed


def tasks_of(reader: Reader, submission: Submission) -> TaskList | None:
    """Return the tasks of a submission; None where they are hidden from a reader."""
    return list_tasks(submission) if may_read_verdicts(reader, submission) else None


def list_tasks(submission: Submission) -> TaskList | None:
    """Return the tasks of a submission for one who may read its verdicts; None where the level hides them."""
    lines, evaluation = visibility.visible_tasks(submission), submission.evaluation
    if lines is None or evaluation is None:
        return None
    breakdown = visibility.known_breakdown(submission.board)
    return TaskList(submission=submission, evaluation=evaluation, lines=lines, breakdown=breakdown)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTasks:
    """Some tasks as a page shows them. are_answers_away: whether the file cannot be read now."""

    tasks: Sequence[Task]
    are_answers_away: bool


def explain_tasks(listed: TaskList, lines: Sequence[TaskLine]) -> ShownTasks:
    """Return `lines` with what the file holds of these tasks, and with what else the level shows."""
    board, revision = listed.submission.board, listed.evaluation.revision
    benchmark = registry.get(board.benchmark)
    references = references_of(revision) if visibility.shows_answers(board) else {}
    instructions = _instructions_of(listed.submission)
    try:
        by_run = _records(listed.submission, {line.task_id for line in lines})
    except (FileNotFoundError, StorageAway):
        by_run = None
    tasks = []
    for line in lines:
        reference = references.get(line.task_id)
        records = [run.get(line.task_id) for run in by_run or ()]
        group = listed.groups.get(line.task_id)
        merged: list[Attempt] = []
        for attempt in _attempts(listed, line, records, reference):
            for place, earlier in enumerate(merged):
                if replace(attempt, runs=earlier.runs) == earlier:
                    merged[place] = replace(earlier, runs=[*earlier.runs, *attempt.runs])
                    break
            else:
                merged.append(attempt)
        tasks.append(
            Task(
                line=line,
                group=listed.breakdown.groups[group] if listed.breakdown and group else "",
                instruction=instructions.get(line.task_id, ""),
                attempts=merged,
                expected=benchmark.expected_work(next(filter(None, records), None), reference)
                if reference is not None
                else None,
            )
        )
    return ShownTasks(tasks=tasks, are_answers_away=by_run is None)


def _instructions_of(submission: Submission) -> Mapping[str, str]:
    """Return task id -> what the task asks for, where the leaderboard has it and may show it."""
    board, evaluation = submission.board, submission.evaluation
    if evaluation is None:
        return {}
    texts = texts_of(evaluation.revision)
    if texts or not visibility.shows_answers(board):
        return texts
    benchmark = registry.get(board.benchmark)
    return {name: benchmark.instruction(of) for name, of in references_of(evaluation.revision).items()}


def _records(submission: Submission, tasks: Collection[str]) -> list[dict[str, Any]]:
    """Return for each run task id -> record, of these tasks. Raises FileNotFoundError, StorageAway."""
    records = registry.get(submission.board.benchmark).records
    with open_runs(submission) as files:
        return [
            {record.task_id: record for record in records(file) if record.task_id in tasks} for file in files
        ]


def _attempts(
    listed: TaskList, line: TaskLine, records: Sequence[Any], reference: Any | None
) -> Iterator[Attempt]:
    benchmark = registry.get(listed.submission.board.benchmark)
    for number in range(line.runs):
        record = records[number] if number < len(records) else None
        reason = line.reasons[number] if line.reasons else None
        correct = line.correct if line.runs == 1 else None
        if reason is not None:
            correct = benchmark.is_correct(reason)
        is_visible = reason is not None or line.runs == 1
        why: str = ""
        if correct is False or reason is None:
            why = line.remark if reason is None else benchmark.failures.get(reason, "")
        compared: Sequence[ComparedPost] = ()
        if record is not None and reason is not None and not correct:
            why = benchmark.failed_check(record, reason, reference) or why
            compared = benchmark.compared_posts(record, reason, reference) if reference is not None else ()
        # A reason that is a class of failures by itself reveals no more than the class.
        is_named = reference is not None or (
            [*benchmark.failures.values()].count(benchmark.failures.get(reason or "", "")) == 1
        )
        yield Attempt(
            runs=[number + 1],
            outcome=outcome_of(correct) if is_visible else None,
            why=why,
            code=reason if reason is not None and correct is False and is_named else "",
            own=None if record is None else benchmark.own_work(record),
            compared=compared,
        )
