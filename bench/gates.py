"""Measure how often gates fail an unchanged system, and miss a fall: `make bench NAME=gates`.

README.md beside this file describes what is measured.
"""

import numpy as np
from _report import report

from wardboard.scoring.statistics.comparisons import mcnemar_mid_p

TASKS, DRAWS = 300, 40_000
FALL = 9  # tasks, which is 3 points
# Share of the tasks with another verdict in a second run of the same system: few, some, and many.
FLIPS = (0.03, 0.06, 0.12)
HEADER = (
    *("tasks that flip", "tolerance 0", "1 point", "best of five", "--significant"),
    *("misses: tolerance 0", "1 point", "--significant"),
)


def main() -> None:
    rows, figures = [], {}
    for flips in FLIPS:
        shares = measure(flips)
        rows.append([f"{flips:.0%}", *(f"{share:.0%}" for share in shares.values())])
        figures |= {f"{name}_{100 * flips:.0f}": share for name, share in shares.items()}
    report(f"{TASKS} tasks, {DRAWS:,} pairs of runs", HEADER, rows, figures)


def measure(flips: float) -> dict[str, float]:
    """Return the shares of jobs, in 0..1, that a gate fails for an unchanged system, or passes for a fall.

    flips: as in FLIPS. A task flips where a run solves it in half of the cases; all others never do.
    """
    rng, unstable = np.random.default_rng(1), round(2 * flips * TASKS)
    entries = rng.random((DRAWS, 5, unstable), dtype=np.float32) < 0.5
    new = rng.random((DRAWS, unstable), dtype=np.float32) < 0.5
    entry = entries[:, 0]
    lost, won = (entry & ~new).sum(axis=1), (new & ~entry).sum(axis=1)
    fallen = lost + FALL
    return {
        "unchanged": float((lost > won).mean()),
        "tolerance": float((lost - won > 0.01 * TASKS).mean()),
        "best": float((new.sum(axis=1) < entries.sum(axis=2).max(axis=1)).mean()),
        "significant": float(((mcnemar_mid_p(lost, won) < 0.05) & (lost > won)).mean()),
        "missed": float((fallen <= won).mean()),
        "missed_tolerance": float((fallen - won <= 0.01 * TASKS).mean()),
        "missed_significant": float(1 - ((mcnemar_mid_p(fallen, won) < 0.05) & (fallen > won)).mean()),
    }


if __name__ == "__main__":
    main()
