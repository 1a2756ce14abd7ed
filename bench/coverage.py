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
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from _report import report
from scipy.special import expit

from scoring.statistics import claim_p, pairwise_p, rank_intervals, tied_for_first, wilson_interval
from scoring.statistics.clusters import rate_interval
from scoring.statistics.rank_claims import ranks_from_p, tied_from_p

BOARDS, QUICK_BOARDS = 1000, 20
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
    left_open: the largest share of a system's answers that a judge leaves open, from none of the first system
        to this share of the last.
    """

    name: str
    rates: Sequence[float]
    tasks: int = MEDAGENTBENCH
    runs: int = 1
    interaction: float | None = None
    left_open: float = 0.0

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
    overturned: claims that one system is better, of two tested alone, that are no longer significant when the
        open answers turn out in some way drawn at random.
    taken_as_wrong: `dividers` if open answers simply counted as not right.
    """

    ranks: float
    dividers: float
    type1: float
    rates: float
    wilson: float
    overturned: float
    taken_as_wrong: float


def all_settings() -> list[Setting]:
    spread = np.arange(0.12, 0.881, 0.04).tolist()
    close = [*np.arange(0.20, 0.57, 0.04), *np.arange(0.60, 0.646, 0.005)]
    return [
        Setting(name="20, 4 points apart", rates=spread),
        Setting(name="20, ten within 4.5 points", rates=close),
        Setting(name="20, groups of five equals", rates=np.repeat([0.3, 0.45, 0.6, 0.75], 5).tolist()),
        *(Setting(name=f"{number} equals", rates=[0.6] * number) for number in (5, 10, 20, 50)),
        Setting(name="20 equals, five runs", rates=[0.6] * 20, runs=5),
        Setting(name="20, ten within 4.5 points, five runs", rates=close, runs=5),
        Setting(name="20, ten within 4.5 points, 2,931 tasks", rates=close, tasks=FHIR_AGENTBENCH),
        Setting(name="20 equals, 2,931 tasks", rates=[0.6] * 20, tasks=FHIR_AGENTBENCH),
        Setting(name="20 equals, up to 10% open", rates=[0.6] * 20, left_open=0.1),
        Setting(name="20, 4 points apart, up to 10% open", rates=spread, left_open=0.1),
        Setting(name="20, 4 points apart, up to 10% open, five runs", rates=spread, left_open=0.1, runs=5),
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
        Setting(
            name="20, 4 points apart, clusters, up to 10% open",
            rates=spread,
            tasks=FHIR_AGENTBENCH,
            interaction=0.37,
            left_open=0.1,
        ),
        Setting(
            name="20 equals, clusters, up to 10% open",
            rates=[0.3] * 20,
            tasks=FHIR_AGENTBENCH,
            interaction=0.37,
            left_open=0.1,
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
    equals = [row for row in all_settings() if row.equal and len(row.rates) == 20]
    clustered = [row.name for row in equals if row.interaction is not None and not row.left_open]
    independent = [row.name for row in equals if row.interaction is None and not row.left_open]
    with_open = [row for row in all_settings() if row.left_open]
    equals_with_open = [row.name for row in with_open if row.equal]
    figures = {
        "coverage_min": min(row.ranks for row in measured.values()),
        "false_dividers": max(measured[name].dividers for name in independent),
        "false_dividers_clustered": max(measured[name].dividers for name in clustered),
        "type1_max": max(measured[name].type1 for name in clustered),
        "rate_coverage_min": min(measured[name].rates for name in clustered),
        "false_dividers_open": max(measured[name].dividers for name in equals_with_open),
        "claims_overturned": np.nanmax([measured[row.name].overturned for row in with_open]),
        **json.loads(worker.stdout),
    }
    rows = [[name, *map(_share, vars(row).values())] for name, row in measured.items()]
    header = (
        *("systems (300 tasks if not stated)", "ranks", "dividers", "type I", "rates", "Wilson"),
        *("overturned", "open as wrong"),
    )
    report(f"{boards:,} boards of each kind", header, rows, figures)


def measure(setting: Setting, boards: int) -> Measured:
    """Return what is measured on so many boards of a setting; the seed is fixed."""
    rng = np.random.default_rng(2931)
    true = np.asarray(setting.rates)
    first = 1 + (true > true[:, np.newaxis]).sum(axis=1)
    last = true.size - (true < true[:, np.newaxis]).sum(axis=1)
    pairs = np.triu_indices(true.size, 1)
    covered = np.zeros(true.size)
    dividers, type1, rates, wilson, taken_as_wrong = [], [], [], [], []
    claims = overturned = 0
    for _ in range(boards):
        scores, clusters = draw_board(setting, rng)
        is_open = draw_open(setting, scores.shape, rng)
        lower, upper = np.where(is_open, 0, scores), np.where(is_open, 1, scores)
        p, means = claim_p(lower, upper, clusters), lower.mean(axis=1)
        low, high = ranks_from_p(p, means)
        covered += (low <= first) & (high >= last)
        dividers.append(not tied_from_p(p, means).all())
        type1.append((p[pairs] < 0.05).mean())
        if setting.left_open:
            as_wrong = pairwise_p(lower, clusters)
            taken_as_wrong.append(not tied_from_p(as_wrong, means).all())
            way = draw_way(lower, upper, rng)
            of_way = np.where(np.sign(difference_of(way.mean(axis=1))) == np.sign(difference_of(means)), 0, 1)
            holds = np.maximum(pairwise_p(way, clusters), of_way) < 0.05
            claims += int((p[pairs] < 0.05).sum())
            overturned += int(((p < 0.05) & ~holds)[pairs].sum())
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
        overturned=overturned / claims if claims else np.nan,
        taken_as_wrong=float(np.mean(taken_as_wrong)) if setting.equal and setting.left_open else np.nan,
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
    skills = find_skills(tuple(setting.rates), variance**0.5)
    chance = expit(skills[:, np.newaxis] - difficulty - own)
    return rng.binomial(setting.runs, chance) / setting.runs, clusters


def draw_open(setting: Setting, shape: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Draw which answers a judge leaves open, systems x tasks; of none, nothing is drawn."""
    if not setting.left_open:
        return np.zeros(shape, dtype=np.bool_)
    shares = np.linspace(0, setting.left_open, shape[0])
    return rng.random(shape) < shares[:, np.newaxis]


def draw_way(
    lower: npt.NDArray[np.float64], upper: npt.NDArray[np.float64], rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Draw how the open answers turn out: of each system, another share of them is right."""
    shares = rng.random((len(lower), 1))
    return np.where(rng.random(lower.shape) < shares, upper, lower)


def difference_of(means: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return means[:, np.newaxis] - means


# All boards of a setting have the same.
@cache
def find_skills(rates: tuple[float, ...], deviation: float) -> npt.NDArray[np.float64]:
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
            # Every system has open answers, so that each pair is tested twice.
            lower = np.where(rng.random(scores.shape) < 0.1, 0, scores)
            started = time.perf_counter()
            rank_intervals(lower, labels, upper=scores)
            tied_for_first(lower, labels, upper=scores)
            seconds.append(time.perf_counter() - started)
    # Of the whole process since its start; Linux counts in KiB.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB
    return {"seconds_1000": max(seconds), "peak_mb": peak}


def _share(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.3f}"


if __name__ == "__main__":
    main()
