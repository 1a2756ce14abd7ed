"""Count the statements on simulated boards that contradict each other; there must be none.

Each board is drawn by tests/support/simulated_boards.py, and its statements are checked against each other
by tests/support/claims.py. The same checks read real pages and exports in tests/leaderboard/test_claims.py.
"""

import argparse
import json
import os
import secrets
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    os.environ.setdefault("SECRET_KEY", secrets.token_urlsafe(50))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    import django  # noqa: PLC0415 - the environment has to be set first

    django.setup()
    import numpy as np  # noqa: PLC0415

    from tests.support.claims import contradictions, tied_count  # noqa: PLC0415
    from tests.support.simulated_boards import simulated_views  # noqa: PLC0415

    started, numbers, found = time.perf_counter(), Counter[str](), Counter[str]()
    for number in range(arguments.boards):
        for view in simulated_views(np.random.default_rng([arguments.seed, number])):
            numbers["views"] += 1
            numbers["rows"] += len(view.rows)
            numbers["head_sentences"] += tied_count(view.sentences) is not None
            numbers["lines"] += view.line is not None
            numbers["pairs"] += len(view.better)
            numbers["significant_pairs"] += sum(map(bool, view.better.values()))
            for sentence in contradictions(view):
                found[sentence] += 1
                if sum(found.values()) <= 10:
                    print(f"board {number}: {sentence}")
    figures = {"boards": arguments.boards, "contradictions": sum(found.values()), **numbers}
    for name, figure in figures.items():
        print(f"{name.replace('_', ' '):20}{figure:>12,}")
    print(json.dumps({**figures, "seconds": round(time.perf_counter() - started, 1)}))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
