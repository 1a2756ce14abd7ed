"""Measure tests of all pairs of a leaderboard, and ranks from them: `make bench NAME=statistics`.

README.md beside this file describes what is measured.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from _report import report

SYSTEMS = (100, 1000)
ROUNDS = 3
PATIENTS, TEMPLATES = 94, 130
MB = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--systems", type=int, nargs="+", default=SYSTEMS, help="sizes of boards")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(run_worker(options.worker)))
        return
    runs = {str(number): _in_process(number) for number in options.systems}
    rows = [
        [
            f"{int(systems):,}",
            *(f"{run[part]:.3f} s" for part in ("tests", "clustered", "ranks")),
            f"{run['peak_mb']:.0f} MB",
        ]
        for systems, run in runs.items()
    ]
    header = ("systems", "mid-p McNemar, all pairs", "two-way clusters, all pairs", "ranks", "peak memory")
    figures = {
        "seconds": {systems: run["clustered"] + run["ranks"] for systems, run in runs.items()},
        "peak_mb": {systems: run["peak_mb"] for systems, run in runs.items()},
        "evaluation_bytes": _bytes_of_evaluation(),
    }
    stored = f"{figures['evaluation_bytes']:,} bytes of database for each published evaluation"
    report(f"2,931 tasks; {stored}", header, rows, figures)


def _in_process(systems: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--worker", str(systems)]
    process = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(process.stdout)


def _bytes_of_evaluation() -> int:
    # In its own process, because it sets up Django.
    command = [sys.executable, str(Path(__file__).with_name("_storage.py"))]
    return int(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def run_worker(systems: int) -> dict[str, float]:
    """Return the median seconds of each part for so many systems, and the peak memory in MB."""
    from wardboard.scoring.statistics.comparisons import pairwise_p  # noqa: PLC0415
    from wardboard.scoring.statistics.rank_claims import claims_from_p  # noqa: PLC0415

    scores, clusters = make_board(systems)
    p, means = pairwise_p(scores), scores.mean(axis=1)

    def rank() -> None:
        assert claims_from_p(p, means).ranks.low.min() == 1

    times = {
        "tests": _median(lambda: pairwise_p(scores)),
        "clustered": _median(lambda: pairwise_p(scores, clusters)),
        "ranks": _median(rank),
    }
    # Of the whole process since its start; Linux counts in KiB.
    return times | {"peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB}


def make_board(systems: int) -> tuple[Any, Any]:
    """Return invented scores of 2,931 tasks, the best system first, and the tasks' patients and templates.

    Systems of different skill meet tasks of different difficulty, so neighbours agree on most tasks.
    """
    import numpy as np  # noqa: PLC0415

    rng, tasks = np.random.default_rng(2931), 2931
    skill = rng.normal(0, 1, (systems, 1))
    difficulty = rng.normal(0, 2, tasks)
    scores = (rng.logistic(size=(systems, tasks)) < skill - difficulty).astype(np.float64)
    clusters = [rng.integers(PATIENTS, size=tasks), rng.integers(TEMPLATES, size=tasks)]
    return scores[np.argsort(-scores.sum(axis=1), kind="stable")], clusters


def _median(action: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return sorted(times)[ROUNDS // 2]


def _restore_statistics_module() -> None:
    """Replace this module by the standard library's `statistics`.

    Python searches the program's folder first, so other benches, and Django's SQLite functions, that import
    `statistics` find this file.
    """
    del sys.modules["statistics"]
    here = Path(__file__).resolve().parent
    path, sys.path = sys.path, [folder for folder in sys.path if Path(folder).resolve() != here]
    import statistics  # noqa: F401, PLC0415

    sys.path = path


if __name__ == "__main__":
    main()
else:
    _restore_statistics_module()
