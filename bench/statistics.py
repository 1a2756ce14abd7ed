"""Measure rank intervals, tie groups and adjacent pairs of a leaderboard: `make bench NAME=statistics`.

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
RESAMPLES, ROUNDS = 2000, 3
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
            *(f"{run[part]:.3f} s" for part in ("ranks", "groups", "pairs")),
            f"{run['peak_mb']:.0f} MB",
        ]
        for systems, run in runs.items()
    ]
    header = ("systems", "intervals of ranks", "tie groups", "adjacent pairs", "peak memory")
    figures = {
        "seconds": {systems: run["ranks"] for systems, run in runs.items()},
        "peak_mb": {systems: run["peak_mb"] for systems, run in runs.items()},
        "evaluation_bytes": _bytes_of_evaluation(),
    }
    stored = f"{figures['evaluation_bytes']:,} bytes of database for each published evaluation"
    report(f"2,931 tasks in 8 strata, {RESAMPLES:,} resamples; {stored}", header, rows, figures)


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
    from scoring.statistics.pairs import adjacent_pairs, tie_groups  # noqa: PLC0415
    from scoring.statistics.ranks import rank_intervals  # noqa: PLC0415

    verdicts, strata = make_board(systems)
    times = {
        "ranks": _median(lambda: rank_intervals(verdicts, strata, seed=1, resamples=RESAMPLES)),
        "groups": _median(lambda: tie_groups(verdicts)),
        "pairs": _median(lambda: adjacent_pairs(verdicts)),
    }
    # Of the whole process since its start; Linux counts in KiB.
    return times | {"peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB}


def make_board(systems: int) -> tuple[Any, Any]:
    """Return invented verdicts, the best system first, and the strata of FHIR-AgentBench's questions.

    Systems of different skill meet tasks of different difficulty, so neighbours agree on most tasks.
    """
    import numpy as np  # noqa: PLC0415

    from scoring.fhir_agentbench.grading.breakdowns import PUBLISHED_SIZES  # noqa: PLC0415

    strata = np.repeat(list(PUBLISHED_SIZES), list(PUBLISHED_SIZES.values()))
    rng = np.random.default_rng(2931)
    skill = rng.normal(0, 1, (systems, 1))
    difficulty = rng.normal(0, 2, strata.size)
    verdicts = rng.logistic(size=(systems, strata.size)) < skill - difficulty
    return verdicts[np.argsort(-verdicts.sum(axis=1), kind="stable")], strata


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
