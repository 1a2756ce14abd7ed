"""Which rows of a board take part in paired tests, and what they got right task by task."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from leaderboard.models import Benchmark, Evaluation, Standing
from scoring import registry

# More than pages show, few enough to be tested pair by pair.
MOST = 2_000
_AT_ONCE = 200  # evaluations in one query
_PIECE = 512  # evaluations of which the verdicts are in memory at a time


@dataclass(slots=True, kw_only=True)
class Entrants:
    """Rows of one judge ("" where the board mixes judges), the best first.

    systems, evaluations: primary keys of those that take part. others: evaluations of those beyond the first
    MOST: they count for the ranks of these, and are told nothing themselves. fixed: scores of the ranked rows
    that take no part: reported ones, and those scored against other references. gaps: after how many of
    `systems` one of these stands, before the next.
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
    """Return who takes part today, for each judge of whom a row does."""
    rows = Standing.objects.filter(benchmark=benchmark).ranked().best_first()
    found: dict[str, Entrants] = {}
    columns = ("system_id", "evaluation_id", "evaluation__revision_id", "judge", "score")
    for system, evaluation, revision, judge, score in rows.values_list(*columns).iterator():
        of = "" if benchmark.mixes_judges else judge
        among = found.setdefault(of, Entrants(judge=of))
        if evaluation is None or revision != benchmark.active_revision_id:
            among.fixed.append(score)
            among.gaps.add(len(among.systems))
        elif len(among.systems) < MOST:
            among.systems.append(system)
            among.evaluations.append(evaluation)
        else:
            among.others.append(evaluation)
    return [among for among in found.values() if among.systems]


def right_of(family: str, evaluations: Sequence[int], tasks: int) -> npt.NDArray[np.bool_]:
    """Return evaluations x tasks, whether right; a row for each primary key, in their order."""
    codes = np.empty((len(evaluations), tasks), dtype=np.uint8)
    for place, verdicts in _read("verdicts", evaluations):
        codes[place] = np.frombuffer(verdicts, dtype=np.uint8)
    scorer = registry.get(family)
    is_right = np.zeros(256, dtype=np.bool_)
    for code in np.flatnonzero(np.bincount(codes.ravel(), minlength=256)):
        is_right[code] = bool(scorer.is_correct(int(code)))
    return is_right[codes]


def right_in_pieces(family: str, evaluations: Sequence[int], tasks: int) -> Iterator[npt.NDArray[np.bool_]]:
    """Yield what `right_of` returns a piece at a time, so that there may be any number of evaluations."""
    for start in range(0, len(evaluations), _PIECE):
        yield right_of(family, evaluations[start : start + _PIECE], tasks)


def figures_of(family: str, evaluations: Sequence[int], tasks: int) -> dict[str, npt.NDArray[np.float32]]:
    """Return metric -> evaluations x tasks of the figures beside the verdict, NaN where there is none."""
    scorer = registry.get(family)
    found: dict[str, npt.NDArray[np.float32]] = {}
    for place, details in _read("details", evaluations):
        for metric, figures in scorer.figures(details, tasks).items():
            if metric not in found:
                found[metric] = np.full((len(evaluations), tasks), np.nan, dtype=np.float32)
            found[metric][place] = np.array(figures, dtype=np.float32)
    return found


def _read(column: str, evaluations: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    """Yield the place in `evaluations` and the column of each."""
    places = {key: place for place, key in enumerate(evaluations)}
    for start in range(0, len(evaluations), _AT_ONCE):
        rows = Evaluation.objects.filter(pk__in=evaluations[start : start + _AT_ONCE])
        for key, content in rows.values_list("pk", column):
            yield places[key], bytes(content)
