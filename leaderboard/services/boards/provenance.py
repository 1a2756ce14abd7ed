"""The provenance of a board's figures: event, ground truth, scorer and statistics."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.crypto import salted_hmac

from leaderboard.models import Board, BoardEvent, ReferenceRevision
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.statistics.lead import HeldLead
from leaderboard.services.statistics.rank_statistics import RankStatistics, statistics_by_judge
from wardboard.scoring import registry

METHOD = (
    "95% interval of each rank: from 1 + the number of systems significantly better, to the number of all "
    "systems - those significantly worse, by tests of all pairs, Holm-adjusted over all pairs, so that all "
    "intervals hold at once. "
    "Tied for first: the interval begins at 1, so no system is significantly better. {test}; "
    "between different numbers of runs, p is at least that of an exact test within tasks; rows without "
    "results by task by two unpaired rates.{open_answers}"
)
_OPEN_ANSWERS = (
    " Open answers of the system ahead count as not right in each test, and those of the other as right, so "
    "that a claim holds whichever way they turn out."
)
_TESTS = {
    False: "Tests by task: mid-p McNemar",
    True: "Tests by task: Student's t with standard errors that are robust to clusters of tasks",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsRun:
    """How the rank intervals of one judge's rows were computed.

    judge: "" where the board mixes judges or nothing is judged
    method_version: of the method, raised when the same rows would get other figures
    left_out: number of rows beyond the most that are compared
    is_clustered: whether the tests allow for clusters of tasks
    has_open: whether a judge left answers of some compared system open
    digest: keyed digest of all input
    lead: since when the first system has been significantly better than each other; None where it is not, or
        where that is not known
    """

    judge: str
    method_version: int
    is_clustered: bool
    has_open: bool
    tasks: int
    systems: int
    left_out: int
    computed_at: datetime
    digest: str
    lead: HeldLead | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """The provenance of a table.

    event: number of the board's last event, which retrieves the same table later; 0 without one
    at: time of that event, None without one
    revision: the ground truth
    outdated: number of rows that were scored against another one, and not again since
    is_past: whether the board has changed since
    runs: one for each judge; empty where nothing was computed
    """

    event: int
    at: datetime | None
    revision: ReferenceRevision | None
    outdated: int
    scorer_version: str
    is_past: bool
    mixes_judges: bool
    runs: tuple[StatisticsRun, ...]


def describe_method(provenance: Provenance) -> str:
    """Return the method of the rank intervals in words."""
    return METHOD.format(
        test=_TESTS[any(run.is_clustered for run in provenance.runs)],
        open_answers=_OPEN_ANSWERS if any(run.has_open for run in provenance.runs) else "",
    )


def provenance_of(board_at: RecordedBoard) -> Provenance:
    return board_at.remember("provenance", lambda: _provenance_of(board_at))


def _provenance_of(board_at: RecordedBoard) -> Provenance:
    event = board_at.as_of.event if board_at.as_of else _last_event(board_at.board)
    revision = _revision(event.revision_id if event else board_at.board.active_revision_id)
    rescored = board_at.rows.filter(evaluation__isnull=False)
    return Provenance(
        event=event.number if event else 0,
        at=event.at if event and event.number else None,
        revision=revision,
        outdated=rescored.exclude(evaluation__revision=revision).count(),
        scorer_version=scorer_of(board_at),
        is_past=board_at.is_past,
        mixes_judges=board_at.mixes_judges,
        runs=tuple(_run_of(judge, statistics) for judge, statistics in statistics_by_judge(board_at).items()),
    )


def _run_of(judge: str, statistics: RankStatistics) -> StatisticsRun:
    names = ("is_clustered", "has_open", "tasks", "systems", "left_out", "computed_at")
    return StatisticsRun(
        judge=judge,
        method_version=statistics.method,
        **{name: getattr(statistics, name) for name in names},
        # Key the digest: otherwise someone who knows all references but one could test guesses with it.
        digest=salted_hmac("wardboard.statistics", statistics.digest, algorithm="sha256").hexdigest(),
        lead=statistics.claims.lead,
    )


def revision_of(board_at: RecordedBoard) -> ReferenceRevision | None:
    """Return the ground truth of the board; None if it has, or had, none."""
    if board_at.revision_id == board_at.board.active_revision_id:
        return board_at.board.active_revision
    return _revision(board_at.revision_id)


def scorer_of(board_at: RecordedBoard) -> str:
    """Return the version of the scorer; for a past board, the versions that scored its rows."""
    today = registry.get(board_at.board.benchmark).scorer_version
    if not board_at.is_past:
        return today

    def make() -> str:
        rows = board_at.rows.filter(evaluation__isnull=False).order_by()
        versions = rows.values_list("evaluation__scorer_version", flat=True).distinct()
        return ", ".join(sorted(versions)) or today

    return board_at.remember("scorer", make)


def revisions_of(board: Board) -> dict[int, tuple[int, str]]:
    """Return primary key -> number and digest of each revision of the board's references."""
    rows = ReferenceRevision.objects.filter(board=board).order_by()
    return {key: (number, digest) for key, number, digest in rows.values_list("pk", "number", "digest")}


def _last_event(board: Board) -> BoardEvent | None:
    # The counter was read with the board, so the event is never newer than the table.
    return BoardEvent.objects.filter(board=board, number=board.state.number).first()


def _revision(key: int | None) -> ReferenceRevision | None:
    if key is None:
        return None
    return ReferenceRevision.objects.without_references().get(pk=key)
