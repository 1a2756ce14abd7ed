"""The rows of a board that are compared, and their scores task by task."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from leaderboard.models import Board, Evaluation, Standing
from leaderboard.services.rows.lead_rules import LeadRules
from wardboard.scoring import registry
from wardboard.scoring.runs import split_details

# More rows than pages show, but few enough to test each pair.
MOST = 2_000
_QUERY_SIZE = 200  # evaluations


class Entrant(NamedTuple):
    """A compared row. evaluation: primary key; its scores task by task are of the board's tasks"""

    system: int
    evaluation: int
    score: float


class Scores(NamedTuple):
    """Scores by task of evaluations, two arrays of evaluations x tasks, in 0..1.

    Each is the mean over the runs; of one run, 1 for a right answer and 0 for any other. What a judge left
    open is not right in `lower`, and right in `upper`; without such answers both are the same array.
    """

    lower: npt.NDArray[np.float64]
    upper: npt.NDArray[np.float64]
    runs: npt.NDArray[np.int64]

    @property
    def has_open(self) -> bool:
        return self.upper is not self.lower


@dataclass(slots=True, kw_only=True)
class Entrants:
    """The ranked rows of one judge ("" where the board mixes judges), best first.

    compared: the first MOST rows, without those below
    uncompared: number of rows that were scored against other references
    left_out: number of further rows, which have scores no higher than the last compared one
    """

    judge: str
    compared: list[Entrant] = field(default_factory=list)
    uncompared: int = 0
    left_out: int = 0


def entrants_of(*, board: Board) -> list[Entrants]:
    """Return the compared rows of the current board, for each judge that has any."""
    rows = Standing.objects.filter(LeadRules.of(board).condition, board=board)
    by_judge: dict[str, Entrants] = {}
    columns = ("system_id", "evaluation_id", "evaluation__revision_id", "judge", "score")
    for system, evaluation, revision, judge, score in (
        rows.ranked().best_first().values_list(*columns).iterator()
    ):
        key = "" if board.mixes_judges else judge
        entrants = by_judge.setdefault(key, Entrants(judge=key))
        if len(entrants.compared) == MOST:
            entrants.left_out += 1
        elif revision != board.active_revision_id:
            entrants.uncompared += 1
        else:
            entrants.compared.append(Entrant(system, evaluation, score))
    return [entrants for entrants in by_judge.values() if entrants.compared]


def scores_of(benchmark_slug: str, evaluations: Sequence[int], tasks: int) -> Scores:
    """Return the scores of evaluations, given by primary key, of a revision with so many tasks."""
    verdicts = ((place, content) for place, _, content in _read("verdicts", evaluations))
    return scores_by_verdicts(benchmark_slug, verdicts, len(evaluations), tasks)


def scores_by_verdicts(
    benchmark_slug: str, verdicts: Iterable[tuple[int, bytes]], rows: int, tasks: int
) -> Scores:
    """Return the scores of so many rows. verdicts: places of rows, with what evaluations store of them"""
    benchmark = registry.get(benchmark_slug)
    decisions = [benchmark.is_correct(reason) for reason in benchmark.reasons]
    # By the number of a grading reason: whether an answer with it is right, and if it is open.
    is_right, is_open = np.zeros(256, dtype=np.bool_), np.zeros(256, dtype=np.bool_)
    is_right[: len(decisions)] = [decision is True for decision in decisions]
    is_open[: len(decisions)] = [decision is None for decision in decisions]
    scores = np.empty((rows, tasks), dtype=np.float64)
    runs = np.ones(rows, dtype=np.int64)
    left_open: dict[int, npt.NDArray[np.float64]] = {}
    for place, content in verdicts:
        by_run = np.frombuffer(content, dtype=np.uint8).reshape(-1, tasks)
        runs[place] = len(by_run)
        scores[place] = is_right[by_run].mean(axis=0)
        if is_open[by_run].any():
            # The mean of both at once, so that rounding leaves nothing above 1.
            left_open[place] = (is_right | is_open)[by_run].mean(axis=0)
    if not left_open:
        return Scores(scores, scores, runs)
    upper = scores.copy()
    upper[list(left_open)] = list(left_open.values())
    return Scores(scores, upper, runs)


def figures_of(
    benchmark_slug: str, evaluations: Sequence[int], tasks: int
) -> dict[str, npt.NDArray[np.float32]]:
    """Return metric -> array, evaluations x tasks, of figures; NaN for a missing one.

    With several runs, a figure is the mean over the runs that have one of the task.
    """
    benchmark = registry.get(benchmark_slug)
    by_metric: dict[str, npt.NDArray[np.float32]] = {}
    for place, runs, details in _read("details", evaluations):
        by_run = [benchmark.figures(part, tasks) for part in split_details(details, runs)]
        for metric in by_run[0]:
            if metric not in by_metric:
                by_metric[metric] = np.full((len(evaluations), tasks), np.nan, dtype=np.float32)
            figures = np.array([of_run[metric] for of_run in by_run], dtype=np.float32)
            known = ~np.isnan(figures)
            means = np.full(figures.shape[1], np.nan, dtype=np.float32)
            np.divide(figures.sum(axis=0, where=known), known.sum(axis=0), out=means, where=known.any(axis=0))
            by_metric[metric][place] = means
    return by_metric


def _read(column: str, evaluations: Sequence[int]) -> Iterator[tuple[int, int, bytes]]:
    """Yield the index in `evaluations`, the number of runs and the value of the column, for each."""
    places = {key: place for place, key in enumerate(evaluations)}
    for start in range(0, len(evaluations), _QUERY_SIZE):
        rows = Evaluation.objects.filter(pk__in=evaluations[start : start + _QUERY_SIZE])
        for key, runs, content in rows.values_list("pk", "runs", column):
            yield places[key], runs, bytes(content)
