"""Read the public facts about a system: its row on each board, and the fate of its results."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.db.models import Q, TextChoices

from leaderboard.models import (
    Board,
    BoardAction,
    BoardEvent,
    CiJob,
    Evaluation,
    Kind,
    PastStanding,
    Standing,
    Submission,
    System,
)
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.read_rows import rows_of
from leaderboard.services.boards.row import Row
from leaderboard.services.errors import NotFound
from leaderboard.services.record.past import Removal, is_public, removal_of
from leaderboard.services.text import percent_range
from wardboard.scoring import registry
from wardboard.scoring.statistics.selection import gain_of_best
from wardboard.scoring.verdicts import Rate

_MOST_RESULTS = 100


class Fate(TextChoices):
    """The fate of a published result."""

    STANDS = "stands", "on the leaderboard"
    SUPERSEDED = "superseded", "not the system’s entry"
    WITHDRAWN = "withdrawn", "withdrawn"
    DISQUALIFIED = "disqualified", "disqualified"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedResult:
    """A result that is or was published.

    removal: None unless it was withdrawn or disqualified
    rate, evaluation: those at its removal, even if it has been rescored since
    upper: the score with all answers right that a judge left open; None where it left none open
    """

    submission: Submission
    evaluation: Evaluation
    rate: Rate
    fate: Fate
    removal: Removal | None = None
    upper: float | None = None

    @property
    def score_words(self) -> str:
        """The score in print: 84.7%, or 75.0–88.0% where the judge left answers open."""
        return percent_range(self.rate.rate, self.upper)


@dataclass(frozen=True, slots=True, kw_only=True)
class OnBoard:
    """A system on one board.

    row: None if the system has no public result there now
    evaluation: of a rescored row, with its revision
    above, below: the neighbouring rescored systems of the same judge
    next: the next system that was compared, scored here or published elsewhere; None without a test
    gain_by_choice: by how much the best of as many equal runs as the system's scored files would exceed their
        mean, in 0..1; None for a single file
    of_several_runs: the submission behind the row, where it is of several runs
    ci_job: that sent the file behind the row; None where an account did
    """

    board: Board
    row: Row | None
    evaluation: Evaluation | None
    agreement: str
    above: Standing | None
    below: Standing | None
    next: Row | None
    results: Sequence[PublishedResult]
    gain_by_choice: float | None = None
    of_several_runs: Submission | None = None
    ci_job: CiJob | None = None


def find_public_system(*, pk: int) -> System:
    """Return a system that is or was on a board, with its team. Raises NotFound for all others."""
    system = System.objects.select_related("team").filter(pk=pk).first() if pk < 2**63 else None
    if system is None or not is_public(system.pk):
        raise NotFound("There is no such system, or nothing of it was ever published.")
    return system


def boards_of_system(*, system: System) -> list[OnBoard]:
    """Return the system on each board where it is or was, in the order of the boards."""
    rows = {row.board_id: row for row in Standing.objects.filter(system=system).with_revision()}
    results = _results(system)
    past = PastStanding.objects.filter(system=system).order_by().values_list("board", flat=True)
    keys = {*rows, *(result.submission.board_id for result in results), *past.distinct()}
    boards = Board.objects.without_references().filter(pk__in=keys)
    return [_on_board(board, rows.get(board.pk), results) for board in boards]


def _on_board(board: Board, standing: Standing | None, results: Sequence[PublishedResult]) -> OnBoard:
    board_at = BoardAt(board)
    row = None
    if standing is not None:
        [row] = rows_of(board_at, [standing])
    board_results = [result for result in results if result.submission.board_id == board.pk]
    scored = standing if standing and standing.kind == Kind.RESCORED and standing.score is not None else None
    evaluation, judge = scored.evaluation if scored else None, standing.judge if standing else ""
    has_runs = evaluation is not None and evaluation.runs > 1
    jobs = CiJob.objects.filter(submissions__evaluations=evaluation)
    files, tasks = (scored.files_of_system or 0, scored.total or 0) if scored else (0, 0)
    return OnBoard(
        board=board,
        row=row,
        evaluation=evaluation,
        agreement=registry.get(board.benchmark).agreement(judge) if judge else "",
        above=_neighbour(scored, is_above=True) if scored else None,
        below=_neighbour(scored, is_above=False) if scored else None,
        next=_next(row) if row else None,
        results=[_of_board(result, board, standing) for result in board_results],
        gain_by_choice=gain_of_best(files, tasks) if files > 1 and tasks else None,
        of_several_runs=Submission.objects.with_result().get(evaluations=evaluation) if has_runs else None,
        ci_job=jobs.first() if scored and scored.repository else None,
    )


def _next(row: Row) -> Row | None:
    """Return the next row that the row was compared with."""
    statistics = row.board_at.statistics_for(row.standing.judge)
    system_id = row.standing.system_id
    next_id = statistics.next_of(system_id) if statistics else None
    if next_id is None:
        return None
    standing = Standing.objects.filter(board=row.board, system=next_id).with_revision().first()
    return rows_of(row.board_at, [standing])[0] if standing else None


def _neighbour(standing: Standing, *, is_above: bool) -> Standing | None:
    """Return the next scored row of the same judge, in the order of the board."""
    score, since, key = standing.score, standing.since, standing.system_id
    rows = Standing.objects.filter(board=standing.board_id, judge=standing.judge, kind=Kind.RESCORED).only(
        "system_id", "name", "score"
    )
    if is_above:
        equal = Q(score=score) & (Q(since__lt=since) | Q(since=since, system__lt=key))
        return rows.filter(Q(score__gt=score) | equal).order_by("score", "-since", "-system_id").first()
    equal = Q(score=score) & (Q(since__gt=since) | Q(since=since, system__gt=key))
    return rows.filter(Q(score__lt=score) | equal).best_first().first()


def _results(system: System) -> list[PublishedResult]:
    """Return the results of the system that were ever published, the newest first."""
    rows = (
        Submission.objects.filter(system=system, published_at__isnull=False, evaluation__isnull=False)
        .with_revision()
        .order_by("-published_at", "pk")
    )
    submissions = list(rows[:_MOST_RESULTS])
    at_removal = _evaluations_at_removal([item for item in submissions if removal_of(item)])
    pairs = ((submission, at_removal.get(submission.pk, submission.evaluation)) for submission in submissions)
    return [_published_result(submission, evaluation) for submission, evaluation in pairs if evaluation]


def _evaluations_at_removal(submissions: Sequence[Submission]) -> dict[UUID, Evaluation]:
    """Return primary key -> the evaluation of the submission when it was removed from its board."""
    events: dict[UUID, BoardEvent] = {}
    removals = BoardEvent.objects.filter(
        submission__in=submissions, action__in=(BoardAction.WITHDRAWN, BoardAction.DISQUALIFIED)
    )
    for event in removals.order_by("number"):
        if event.submission_id is not None:
            events[event.submission_id] = event
    evaluations = Evaluation.objects.filter(submission__in=events).with_revision()
    by_submission: dict[UUID, Evaluation] = {}
    for evaluation in evaluations.order_by("created_at", "pk"):
        event = events[evaluation.submission_id]
        if not _may_match(evaluation, event):
            continue
        best = by_submission.get(evaluation.submission_id)
        # If a ground truth became active again, the evaluation of that time may be older than others with the
        # same figures.
        if best is None or best.revision_id != event.revision_id:
            by_submission[evaluation.submission_id] = evaluation
    return by_submission


def _may_match(evaluation: Evaluation, event: BoardEvent) -> bool:
    """Return whether `event` may be about `evaluation`."""
    is_same = (evaluation.right, evaluation.total) == (event.right, event.total)
    return is_same and evaluation.created_at <= event.at


def _published_result(submission: Submission, evaluation: Evaluation) -> PublishedResult:
    removal = removal_of(submission)
    rate = Rate(right=evaluation.right, total=evaluation.total, runs=evaluation.runs)
    fate = Fate(removal.action) if removal else Fate.SUPERSEDED
    return PublishedResult(
        submission=submission, evaluation=evaluation, rate=rate, fate=fate, removal=removal
    )


def _of_board(result: PublishedResult, board: Board, standing: Standing | None) -> PublishedResult:
    """Return the result with its upper end, marked as current where it is the row of the system."""
    ranked = visibility.ranked_metric(board)
    upper = visibility.upper_end(ranked, result.rate.rate, result.evaluation.metrics)
    result = replace(result, upper=upper)
    if standing is None or result.submission.evaluation_id != standing.evaluation_id:
        return result
    return replace(result, fate=Fate.STANDS)
