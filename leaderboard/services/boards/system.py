"""Read the public facts about a system, or about all results with a model, on each board."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import TextChoices

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
from leaderboard.services.boards.query import Query, select_rows
from leaderboard.services.boards.read_rows import rows_by_key, rows_of
from leaderboard.services.boards.row import Row
from leaderboard.services.errors import NotFound
from leaderboard.services.record.past import Removal, is_public, removal_of
from leaderboard.services.text import percent_range
from wardboard.scoring import registry
from wardboard.scoring.verdicts import Rate

_MOST_RESULTS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOnBoard:
    """The results with a model on one board. rows: the best _MOST_RESULTS of `count`"""

    query: Query
    count: int
    rows: Sequence[Row]

    @property
    def comparable(self) -> Sequence[Row]:
        """The scored rows of the judge with most of them, best first; none where some rows are left out."""
        scored = [row for row in self.rows if row.standing.score is not None]
        judge = Counter(row.standing.judge for row in scored).most_common(1)
        is_whole = len(self.rows) == self.count
        return [row for row in scored if row.standing.judge == judge[0][0]] if is_whole else []


class Fate(TextChoices):
    """The fate of a published result."""

    STANDS = "stands", "on the leaderboard"
    SUPERSEDED = "superseded", "not the system’s entry"
    WITHDRAWN = "withdrawn", "withdrawn"
    DISQUALIFIED = "disqualified", "disqualified"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedResult:
    """A result that is or was published.

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

    row: None if the system has no public result there now. evaluation: of a rescored row, with its revision
    next: key of the next system that was compared; None without a test
    of_several_runs: the submission behind the row, where it is of several runs
    ci_job: that sent the file behind the row; None where an account did
    """

    board: Board
    row: Row | None
    evaluation: Evaluation | None
    agreement: str
    next: int | None
    results: Sequence[PublishedResult]
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
    published = Submission.objects.filter(system=system, published_at__isnull=False, evaluation__isnull=False)
    submissions = published.with_revision().order_by("-published_at", "pk")[:_MOST_RESULTS]
    removals = BoardEvent.objects.filter(
        submission__in=[result for result in submissions if removal_of(result)],
        action__in=(BoardAction.WITHDRAWN, BoardAction.DISQUALIFIED),
    )
    # A result that was withdrawn may be disqualified later: the last one counts.
    last = dict(removals.order_by("number").values_list("submission", "evaluation"))
    evaluations = Evaluation.objects.with_revision().in_bulk(last.values())
    at_removal = {submission: evaluations[key] for submission, key in last.items() if submission and key}
    results = [(result, at_removal.get(result.pk, result.evaluation)) for result in submissions]
    past = PastStanding.objects.filter(system=system).order_by().values_list("board", flat=True)
    keys = {*rows, *(result.board_id for result, _ in results), *past.distinct()}
    boards = Board.objects.without_references().filter(pk__in=keys)
    return [_on_board(board, rows.get(board.pk), results) for board in boards]


def _on_board(
    board: Board, standing: Standing | None, results: Iterable[tuple[Submission, Evaluation | None]]
) -> OnBoard:
    board_at = BoardAt(board)
    row = None
    if standing is not None:
        [row] = rows_of(board_at, [standing])
    scored = standing if standing and standing.kind == Kind.RESCORED and standing.score is not None else None
    evaluation, judge = scored.evaluation if scored else None, standing.judge if standing else ""
    statistics = board_at.statistics_for(judge)
    has_runs = evaluation is not None and evaluation.runs > 1
    jobs = CiJob.objects.filter(submissions__evaluations=evaluation)
    return OnBoard(
        board=board,
        row=row,
        evaluation=evaluation,
        agreement=registry.get(board.benchmark).agreement(judge) if judge else "",
        next=statistics.next_of(standing.system_id) if standing and statistics else None,
        results=[
            _of_board(result, evaluation, standing, board)
            for result, evaluation in results
            if result.board_id == board.pk and evaluation
        ],
        of_several_runs=Submission.objects.with_result().get(evaluations=evaluation) if has_runs else None,
        ci_job=jobs.first() if scored and scored.repository else None,
    )


def _of_board(
    submission: Submission, evaluation: Evaluation, standing: Standing | None, board: Board
) -> PublishedResult:
    removal = removal_of(submission)
    rate = evaluation.rate
    stands = standing is not None and standing.evaluation_id == evaluation.pk
    return PublishedResult(
        submission=submission,
        evaluation=evaluation,
        rate=rate,
        fate=Fate(removal.action) if removal else Fate.STANDS if stands else Fate.SUPERSEDED,
        removal=removal,
        upper=visibility.upper_end(visibility.ranked_metric(board), rate.rate, evaluation.metrics),
    )


def boards_of_model(name: str) -> list[ModelOnBoard]:
    """Return the results with a model on each board that has any. name: any of its spellings.

    Raises NotFound where no board has one.
    """
    found = []
    for board in Board.objects.installed().without_references().order_by("position", "slug"):
        board_at = BoardAt(board)
        model = board_at.model_names.name_of(name)
        if model in board_at.model_names.names.values():
            query = Query(board_at=board_at, filters={"model": model})
            keys = list(select_rows(query).values_list("pk", flat=True))
            rows = rows_by_key(query, keys[:_MOST_RESULTS])
            found.append(ModelOnBoard(query=query, count=len(keys), rows=rows))
    if not found:
        raise NotFound("No published result names this model.")
    return found


def public_models() -> list[str]:
    """Return the names of the models of all rows."""
    boards = Board.objects.installed().without_references()
    return sorted({name for board in boards for name in BoardAt(board).model_names.names.values()})
