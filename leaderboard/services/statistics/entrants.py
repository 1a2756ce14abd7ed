"""The rows of a board that are tested in pairs, and their verdicts task by task."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from leaderboard.models import Benchmark, Evaluation, Standing
from scoring import registry

# More than pages show, but few enough to test each pair.
MOST = 2_000
_QUERY_SIZE = 200  # evaluations
_PIECE = 512  # evaluations whose verdicts are in memory at a time


@dataclass(slots=True, kw_only=True)
class Entrants:
    """The rows of one judge ("" where the board mixes judges), best first.

    systems, evaluations: primary keys of the tested rows
    others: evaluations beyond the first MOST, which count for the ranks of the tested rows but get no results
    fixed: scores of ranked rows that are not tested: reported, or scored against other references
    gaps: numbers of tested rows above each row of `fixed`
    """

    judge: str
    systems: list[int] = field(default_factory=list)
    evaluations: list[int] = field(default_factory=list)
    others: list[int] = field(default_factory=list)
    fixed: list[float] = field(default_factory=list)
    gaps: set[int] = field(default_factory=set)

    @property
    def left_out(self) -> int:
        return len(self.others)


def entrants_of(*, benchmark: Benchmark) -> list[Entrants]:
    """Return the tested rows of the current board, for each judge that has any."""
    rows = Standing.objects.filter(benchmark=benchmark).ranked().best_first()
    by_judge: dict[str, Entrants] = {}
    columns = ("system_id", "evaluation_id", "evaluation__revision_id", "judge", "score")
    for system, evaluation, revision, judge, score in rows.values_list(*columns).iterator():
        key = "" if benchmark.mixes_judges else judge
        entrants = by_judge.setdefault(key, Entrants(judge=key))
        if evaluation is None or revision != benchmark.active_revision_id:
            entrants.fixed.append(score)
            entrants.gaps.add(len(entrants.systems))
        elif len(entrants.systems) < MOST:
            entrants.systems.append(system)
            entrants.evaluations.append(evaluation)
        else:
            entrants.others.append(evaluation)
    return [entrants for entrants in by_judge.values() if entrants.systems]


def scores_of(family_slug: str, evaluations: Sequence[int], tasks: int) -> npt.NDArray[np.float64]:
    """Return an array, evaluations x tasks, of the mean score of each task over its runs, in 0..1.

    Of one run, as every evaluation is of now, it is 1 for a right answer and 0 for any other.
    """
    return right_of(family_slug, evaluations, tasks).astype(np.float64)


def right_of(family_slug: str, evaluations: Sequence[int], tasks: int) -> npt.NDArray[np.bool_]:
    """Return an array, evaluations x tasks, of whether each answer is right, in the given order."""
    codes = np.empty((len(evaluations), tasks), dtype=np.uint8)
    for place, verdicts in _read("verdicts", evaluations):
        codes[place] = np.frombuffer(verdicts, dtype=np.uint8)
    family = registry.get(family_slug)
    is_right = np.zeros(256, dtype=np.bool_)
    for code in np.flatnonzero(np.bincount(codes.ravel(), minlength=256)):
        is_right[code] = bool(family.is_correct(int(code)))
    return is_right[codes]


def right_in_pieces(
    family_slug: str, evaluations: Sequence[int], tasks: int
) -> Iterator[npt.NDArray[np.bool_]]:
    """Yield the rows of `right_of` in pieces, to bound the memory for any number of evaluations."""
    for start in range(0, len(evaluations), _PIECE):
        yield right_of(family_slug, evaluations[start : start + _PIECE], tasks)


def figures_of(
    family_slug: str, evaluations: Sequence[int], tasks: int
) -> dict[str, npt.NDArray[np.float32]]:
    """Return metric -> array, evaluations x tasks, of figures; NaN for a missing one."""
    family = registry.get(family_slug)
    by_metric: dict[str, npt.NDArray[np.float32]] = {}
    for place, details in _read("details", evaluations):
        for metric, figures in family.figures(details, tasks).items():
            if metric not in by_metric:
                by_metric[metric] = np.full((len(evaluations), tasks), np.nan, dtype=np.float32)
            by_metric[metric][place] = np.array(figures, dtype=np.float32)
    return by_metric


def _read(column: str, evaluations: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    """Yield the index in `evaluations` and the value of the column, for each."""
    places = {key: place for place, key in enumerate(evaluations)}
    for start in range(0, len(evaluations), _QUERY_SIZE):
        rows = Evaluation.objects.filter(pk__in=evaluations[start : start + _QUERY_SIZE])
        for key, content in rows.values_list("pk", column):
            yield places[key], bytes(content)
