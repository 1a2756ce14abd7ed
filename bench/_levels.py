"""Measure the level of each test by the number of tasks, intervals of ranges, and power on whole boards."""

from math import comb

import numpy as np
from _invented_boards import FHIR_AGENTBENCH, MEDAGENTBENCH, Setting, draw_board
from _single_claims import ALPHA, Line

from wardboard.scoring import registry
from wardboard.scoring.fhir_agentbench.boards import DEMONSTRATION
from wardboard.scoring.statistics.clusters import rate_interval
from wardboard.scoring.statistics.comparisons import mcnemar_mid_p, pairwise_p
from wardboard.scoring.statistics.power import smallest_detectable_difference

RATES = (0.3, 0.6, 0.9)
# Pairs of a board that share no system, so that they are independent.
PAIRS = 4
DISCORDANT = 0.2


def levels(boards: int) -> list[Line]:
    """Return how often each test finds two equal systems to differ, and the standard error of that.

    Of the rate of `RATES` with the most. The 60 tasks are clustered as those of the demonstration.
    """
    kinds = {
        "McNemar": {},
        "t, 5 runs": {"runs": 5},
        "1 v 10 runs": {"runs": (1, 10) * PAIRS},
        "flips": {"interaction": 0.37},
        "flips, strong": {"interaction": 1.0},
    }
    lines = []
    for tasks in (50, 60, MEDAGENTBENCH, FHIR_AGENTBENCH):
        figures = {}
        for name, options in kinds.items():
            shares = [_level(tasks, rate, boards, **options) for rate in RATES]
            figures[name], figures[f"se of {name}"] = max(shares)
        lines.append(Line(f"{tasks:,} tasks", figures))
    return lines


def _level(tasks: int, rate: float, boards: int, **options: object) -> tuple[float, float]:
    rng = np.random.default_rng(44)
    setting = Setting(name="", rates=[rate] * 2 * PAIRS, tasks=tasks, **options)
    labels = _demonstration() if tasks == 60 and setting.interaction is not None else None
    found = []
    for _ in range(boards):
        scores, clusters = draw_board(setting, rng, labels)
        p = pairwise_p(scores, clusters, setting.runs_of_each)
        found.append(np.mean([p[2 * pair, 2 * pair + 1] < ALPHA for pair in range(PAIRS)]))
    return float(np.mean(found)), float(np.std(found) / boards**0.5)


def _demonstration() -> list[np.ndarray]:
    references = DEMONSTRATION.references()
    by_key = registry.get("fhir-agentbench").cluster_labels(references)
    return [
        np.unique([labels[task] for task in references], return_inverse=True)[1] for labels in by_key.values()
    ]


def range_intervals(boards: int) -> list[Line]:
    """Return how often the interval of a range holds the true rate, and that of its low end alone."""
    return [
        _range_intervals(tasks, interaction, left_open, boards)
        for tasks, interaction in ((60, None), (MEDAGENTBENCH, None), (FHIR_AGENTBENCH, 0.37))
        for left_open in (0.02, 0.05, 0.1, 0.2)
    ]


def _range_intervals(tasks: int, interaction: float | None, left_open: float, boards: int) -> Line:
    rng = np.random.default_rng(4)
    figures = {}
    for rate in (0.5, 0.8):
        setting = Setting(name="", rates=[rate], tasks=tasks, interaction=interaction)
        for right in (0.5, 0.9):
            held, low_end = [], []
            for _ in range(boards):
                (scores,), clusters = draw_board(setting, rng)
                # Of the answers left open, this share is right.
                chance = left_open * np.where(scores, right / rate, (1 - right) / (1 - rate))
                is_open = rng.random(tasks) < chance
                lower, upper = np.where(is_open, 0, scores), np.where(is_open, 1, scores)
                of_low, of_high = (rate_interval(part, clusters) for part in (lower, upper))
                held.append(of_low.low <= rate <= of_high.high)
                low_end.append(of_low.low <= rate <= of_low.high)
            figures[f"{rate:.0%}, {right:.0%} right"] = float(np.mean(held))
            figures[f"{rate:.0%}, {right:.0%}, low end"] = float(np.mean(low_end))
    clusters = "" if interaction is None else ", clusters"
    return Line(f"{left_open:.0%} open of {tasks:,}{clusters}", figures)


def power_on_boards(boards: int) -> list[Line]:
    """Return how often McNemar's test finds the difference of a pair alone, and that of a board's size.

    Both at .05 over all pairs of the board, the first step of Holm's procedure, of 300 tasks of which only
    one of two systems solves 20%.
    """
    rng = np.random.default_rng(45)
    lines = []
    for systems in (2, 5, 10, 20, 40):
        level = ALPHA / comb(systems, 2)
        figures = {}
        for name, pairs in (("alone", 1), ("here", comb(systems, 2))):
            points = smallest_detectable_difference(MEDAGENTBENCH, DISCORDANT, level=1 - ALPHA / pairs)
            shares = [(DISCORDANT + points) / 2, (DISCORDANT - points) / 2, 1 - DISCORDANT]
            drawn = rng.multinomial(MEDAGENTBENCH, shares, 10 * boards)
            figures[name] = 100 * points
            figures[f"found, {name}"] = float((mcnemar_mid_p(drawn[:, 0], drawn[:, 1]) < level).mean())
        lines.append(Line(f"{systems} systems", figures))
    return lines
