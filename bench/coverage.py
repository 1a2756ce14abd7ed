"""Measure what the claims of a leaderboard are worth, on invented boards: `make bench NAME=coverage`.

README.md beside this file describes what is measured.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from _report import report
from scipy.special import expit

from scoring.statistics import pairwise_p, rank_intervals, tied_for_first, wilson_interval
from scoring.statistics.clusters import rate_interval
from scoring.statistics.rank_claims import ranks_from_p, tied_from_p

BOARDS, QUICK_BOARDS = 500, 20
MEDAGENTBENCH, FHIR_AGENTBENCH = 300, 2931
PATIENTS, TEMPLATES = 94, 130
# Standard deviations, in logits: of difficulties that all systems share, and of a system's own luck with a
# task, which its runs share.
SHARED_BY_TASKS, OWN_OF_TASKS = 1.5, 1.0
# Of difficulties that all systems share with a patient or a template; the interaction is a system's own.
SHARED_BY_CLUSTERS = 1.0
# Of the logarithm of the number of questions of a patient or template; of real patients it is 0.64.
UNEVENNESS = 0.6
MB = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A kind of board.

    name: as the table has it.
    rates: the true rate of each system, 0..1.
    tasks, runs: how many.
    interaction: how much each system does better or worse with a patient or a template, as a standard
        deviation in logits; None for independent tasks.
    """

    name: str
    rates: Sequence[float]
    tasks: int = MEDAGENTBENCH
    runs: int = 1
    interaction: float | None = None

    @property
    def equal(self) -> bool:
        return len(set(self.rates)) == 1


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Shares of boards, 0..1; NaN where a setting has no such figure.

    ranks: intervals that hold every rank the system may truly have, of the rate with the fewest.
    dividers: boards of equal systems on which some are not tied for first.
    type1: pairs of equal systems with p below .05.
    rates, wilson: intervals of a rate that hold the true one, as on the leaderboard and by Wilson's.
    """

    ranks: float
    dividers: float
    type1: float
    rates: float
    wilson: float


def all_settings() -> list[Setting]:
    close = [*np.arange(0.20, 0.57, 0.04), *np.arange(0.60, 0.646, 0.005)]
    return [
        Setting(name="20, 4 points apart", rates=np.arange(0.12, 0.881, 0.04).tolist()),
        Setting(name="20, ten within 4.5 points", rates=close),
        Setting(name="20, groups of five equals", rates=np.repeat([0.3, 0.45, 0.6, 0.75], 5).tolist()),
        *(Setting(name=f"{number} equals", rates=[0.6] * number) for number in (5, 10, 20, 50)),
        Setting(name="20 equals, five runs", rates=[0.6] * 20, runs=5),
        Setting(name="20, ten within 4.5 points, five runs", rates=close, runs=5),
        Setting(name="20, ten within 4.5 points, 2,931 tasks", rates=close, tasks=FHIR_AGENTBENCH),
        Setting(name="20 equals, 2,931 tasks", rates=[0.6] * 20, tasks=FHIR_AGENTBENCH),
        *(
            Setting(name=name, rates=[rate] * 20, tasks=FHIR_AGENTBENCH, interaction=size, runs=runs)
            for name, rate, size, runs in (
                ("20 equals, clusters, weak interaction", 0.3, 0.25, 1),
                ("20 equals, clusters, moderate interaction", 0.3, 0.37, 1),
                ("20 equals, clusters, strong interaction", 0.3, 0.5, 1),
                ("20 equals, clusters, strong interaction, five runs", 0.3, 0.5, 5),
                ("20 equals at 2%, clusters, moderate interaction", 0.02, 0.37, 1),
                ("20 equals at 97%, clusters, moderate interaction", 0.97, 0.37, 1),
            )
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_BOARDS} boards of each kind")
    parser.add_argument("--boards", type=int, help=f"boards of each kind; {BOARDS:,} by default")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(measure_thousand()))
        return
    boards = options.boards or (QUICK_BOARDS if options.quick else BOARDS)
    measured = {setting.name: measure(setting, boards) for setting in all_settings()}
    worker = subprocess.run(
        [sys.executable, __file__, "--worker"], check=True, stdout=subprocess.PIPE, text=True
    )
    clustered = [setting.name for setting in all_settings() if setting.interaction is not None]
    twenty_equals = {row.name for row in all_settings() if row.equal and len(row.rates) == 20}
    figures = {
        "coverage_min": min(row.ranks for row in measured.values()),
        "false_dividers": max(measured[name].dividers for name in twenty_equals - set(clustered)),
        "false_dividers_clustered": max(measured[name].dividers for name in clustered),
        "type1_max": max(measured[name].type1 for name in clustered),
        "rate_coverage_min": min(measured[name].rates for name in clustered),
        **json.loads(worker.stdout),
    }
    rows = [[name, *map(_share, vars(row).values())] for name, row in measured.items()]
    header = ("systems (300 tasks if not stated)", "ranks", "dividers", "type I", "rates", "Wilson")
    report(f"{boards:,} boards of each kind", header, rows, figures)


def measure(setting: Setting, boards: int) -> Measured:
    """Return what is measured on so many boards of a setting; the seed is fixed."""
    rng = np.random.default_rng(2931)
    true = np.asarray(setting.rates)
    first = 1 + (true > true[:, np.newaxis]).sum(axis=1)
    last = true.size - (true < true[:, np.newaxis]).sum(axis=1)
    pairs = np.triu_indices(true.size, 1)
    covered = np.zeros(true.size)
    dividers, type1, rates, wilson = [], [], [], []
    for _ in range(boards):
        scores, clusters = draw_board(setting, rng)
        p, means = pairwise_p(scores, clusters), scores.mean(axis=1)
        low, high = ranks_from_p(p, means)
        covered += (low <= first) & (high >= last)
        dividers.append(not tied_from_p(p, means).all())
        type1.append((p[pairs] < 0.05).mean())
        for row, rate in zip(scores[:4], true[:4], strict=True):
            interval = rate_interval(row, clusters)
            rates.append(interval.low <= rate <= interval.high)
            low_end, high_end = wilson_interval(float(row.sum()), setting.tasks)
            wilson.append(low_end <= rate <= high_end)
    return Measured(
        # Systems of the same rate are drawn alike.
        ranks=float(min(covered[true == rate].mean() for rate in true) / boards),
        dividers=float(np.mean(dividers)) if setting.equal else np.nan,
        type1=float(np.mean(type1)) if setting.equal else np.nan,
        rates=float(np.mean(rates)),
        wilson=float(np.mean(wilson)),
    )


def draw_board(
    setting: Setting, rng: np.random.Generator
) -> tuple[npt.NDArray[np.float64], list[npt.NDArray[Any]] | None]:
    """Draw scores, systems x tasks, and the labels of clusters, if there are any.

    Tasks, patients, templates and what a system makes of each are drawn anew for every board, so systems of
    equal rates are equal over all tasks that might have been.
    """
    systems, tasks = len(setting.rates), setting.tasks
    difficulty = rng.normal(0, SHARED_BY_TASKS, tasks)
    own = rng.normal(0, OWN_OF_TASKS, (systems, tasks))
    variance = SHARED_BY_TASKS**2 + OWN_OF_TASKS**2
    clusters = None
    if setting.interaction is not None:
        clusters = [_draw_labels(rng, number, tasks) for number in (PATIENTS, TEMPLATES)]
        for labels in clusters:
            number = labels.max() + 1
            difficulty += rng.normal(0, SHARED_BY_CLUSTERS, number)[labels]
            own += rng.normal(0, setting.interaction, (systems, number))[:, labels]
            variance += SHARED_BY_CLUSTERS**2 + setting.interaction**2
    skills = find_skills(setting.rates, variance**0.5)
    chance = expit(skills[:, np.newaxis] - difficulty - own)
    return rng.binomial(setting.runs, chance) / setting.runs, clusters


def find_skills(rates: Sequence[float], deviation: float) -> npt.NDArray[np.float64]:
    """Return the skills, in logits, with which systems have these rates over tasks of all difficulties."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    skills = np.linspace(-20, 20, 4001)
    expected = expit(skills[:, np.newaxis] - deviation * nodes) @ weights / weights.sum()
    return np.interp(rates, expected, skills)


def _draw_labels(rng: np.random.Generator, number: int, tasks: int) -> npt.NDArray[Any]:
    sizes = rng.lognormal(0, UNEVENNESS, number)
    return rng.choice(number, tasks, p=sizes / sizes.sum())


def measure_thousand() -> dict[str, float]:
    """Return the seconds for 1,000 systems with 2,931 tasks, the slowest way, and the peak memory in MB."""
    rng = np.random.default_rng(1)
    clusters = [_draw_labels(rng, number, FHIR_AGENTBENCH) for number in (PATIENTS, TEMPLATES)]
    seconds = []
    for runs in (1, 5):
        scores = rng.binomial(runs, 0.5, (1000, FHIR_AGENTBENCH)) / runs
        for labels in (None, clusters):
            started = time.perf_counter()
            rank_intervals(scores, labels)
            tied_for_first(scores, labels)
            seconds.append(time.perf_counter() - started)
    # Of the whole process since its start; Linux counts in KiB.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB
    return {"seconds_1000": max(seconds), "peak_mb": peak}


def _share(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.3f}"


if __name__ == "__main__":
    main()
