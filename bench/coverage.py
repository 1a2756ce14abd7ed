"""Measure what the claims of a leaderboard are worth, on invented boards: `make bench NAME=coverage`.

README.md beside this file describes what is measured.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from _invented_boards import (
    FHIR_AGENTBENCH,
    PATIENTS,
    TEMPLATES,
    Setting,
    draw_board,
    draw_labels,
    draw_open,
    draw_way,
)
from _levels import levels, power_on_boards, range_intervals
from _report import print_table, report
from _single_claims import (
    Line,
    designated_files,
    detectable,
    growing_boards,
    other_metrics,
    power_of_runs,
    published_rows,
    unequal_runs,
    walked_versions,
)

from wardboard.scoring.statistics import wilson_interval
from wardboard.scoring.statistics.clusters import rate_interval
from wardboard.scoring.statistics.comparisons import pairwise_p
from wardboard.scoring.statistics.open_answers import claim_p
from wardboard.scoring.statistics.rank_claims import claims_from_p

BOARDS, QUICK_BOARDS = 1000, 20
MB = 1_000_000


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
        *(
            Setting(name=f"20 equals at {rate:.1%}, one run or ten", rates=[rate] * 20, runs=(1, 10) * 10)
            for rate in (0.6, 0.99, 0.997)
        ),
        Setting(name="20, ten within 4.5 points, one run or ten", rates=close, runs=(1, 10) * 10),
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
                (
                    "20 equals at 99%, clusters, moderate interaction, one run or ten",
                    0.99,
                    0.37,
                    (1, 10) * 10,
                ),
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
    parser.add_argument(
        "--quick", action="store_true", help=f"{QUICK_BOARDS} boards of each kind, and no time or memory"
    )
    parser.add_argument("--boards", type=int, help=f"boards of each kind; {BOARDS:,} by default")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--only", help="the tables alone whose title has this word, in any case")
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(measure_thousand()))
        return
    boards = options.boards or (QUICK_BOARDS if options.quick else BOARDS)
    if options.only:
        chosen = {title: make for title, make in TABLES.items() if options.only.lower() in title.lower()}
        for title, make in chosen.items():
            print_lines(title, make(boards))
        return
    tables = {title: print_lines(title, make(boards)) for title, make in TABLES.items()}
    measured = {setting.name: measure(setting, boards) for setting in all_settings()}
    equals = [row for row in all_settings() if row.equal and len(row.rates) == 20]
    clustered = [row.name for row in equals if row.interaction is not None and not row.left_open]
    independent = [row.name for row in equals if row.interaction is None and not row.left_open]
    mixed = [row.name for row in equals if not isinstance(row.runs, int)]
    with_open = [row for row in all_settings() if row.left_open]
    equals_with_open = [row.name for row in with_open if row.equal]
    figures = {
        "coverage_min": min(row.ranks for row in measured.values()),
        "false_dividers": max(measured[name].dividers for name in independent),
        "false_dividers_clustered": max(measured[name].dividers for name in clustered),
        "false_dividers_runs": max(measured[name].dividers for name in mixed),
        "type1_runs": max(measured[name].type1 for name in mixed),
        "type1_max": max(measured[name].type1 for name in clustered),
        "rate_coverage_min": min(measured[name].rates for name in clustered),
        "false_dividers_open": max(measured[name].dividers for name in equals_with_open),
        "claims_overturned": np.nanmax([measured[row.name].overturned for row in with_open]),
        **figures_of(tables),
        **({} if options.quick else measure_apart()),
    }
    rows = [[name, *map(_share, vars(row).values())] for name, row in measured.items()]
    header = (
        *("systems (300 tasks if not stated)", "ranks", "dividers", "type I", "rates", "Wilson"),
        *("overturned", "open as wrong"),
    )
    report(f"{boards:,} boards of each kind", header, rows, figures)


def print_lines(title: str, lines: list[Line]) -> list[Line]:
    """Print a table as soon as it is measured, and return its lines."""
    names = list(dict.fromkeys(name for line in lines for name in line.figures))
    rows = [[line.name, *(_share(line.figures.get(name, np.nan)) for name in names)] for line in lines]
    print_table(title, ("", *names), rows)
    sys.stdout.flush()
    return lines


TABLES = {
    "Level of each test: pairs of equal systems with p below .05": levels,
    "Intervals of ranges that hold the rate": range_intervals,
    "Power on a board: points, and how often they are found": power_on_boards,
    "Different numbers of runs: pairs of equal systems with p below .05": unequal_runs,
    "Power with one run against ten": power_of_runs,
    "Other means and groups of questions: intervals of two equal systems that leave out 0": other_metrics,
    "Rows as published: intervals that hold the rate": published_rows,
    "Seasons and growing boards: shares with a false claim, and of true differences found": growing_boards,
    "Seasons and walked versions of one system: points above its rate": walked_versions,
    "The difference that is detectable in 80% of cases": detectable,
    "The best of several files of one system: points": designated_files,
}


def figures_of(tables: Mapping[str, Sequence[Line]]) -> dict[str, float]:
    """Return the figures of the tables that have an aim, by the names in README.md."""
    level, ranges, _, runs, power, metrics, published, growing, walked, points, files = tables.values()

    def largest(lines: Sequence[Line], *names: str) -> float:
        return max(line.figures[name] for line in lines for name in names)

    return {
        "level_max": max(
            share for line in level for name, share in line.figures.items() if not name.startswith("se of")
        ),
        "range_coverage_min": min(
            share for line in ranges for name, share in line.figures.items() if name.endswith("right")
        ),
        "type1_unequal_runs": largest(runs, "1 v 10", "1 v 5", "3 v 10"),
        "type1_t_alone": largest(runs, "1 v 10, t alone"),
        "power_runs_lost": power[0].figures["power, t alone"] - power[0].figures["power"],
        "type1_metrics": largest(metrics, "mean"),
        "type1_groups": largest(metrics, "groups"),
        "published_coverage_min": min(line.figures["interval"] for line in published),
        "false_claim_season": largest(growing, "season"),
        "season_power_lost": max(line.figures["found"] - line.figures["found, season"] for line in growing),
        "season_gain_points": max((line.figures["season"] for line in walked), key=abs),
        "season_gain_se": largest(walked, "se of season"),
        "walking_gain_points": largest(walked, "stops"),
        "false_claim_now": largest(growing, "now"),
        "false_claim_ever": largest(growing, "ever"),
        "false_claim_ever_spent": largest(growing, "ever, spent"),
        "detectable_power_min": min(line.figures["power"] for line in points),
        "best_of_20_points": largest(files, "best"),
    }


def measure(setting: Setting, boards: int) -> Measured:
    """Return what is measured on so many boards of a setting; the seed is fixed."""
    rng = np.random.default_rng(2931)
    true, runs = np.asarray(setting.rates), setting.runs_of_each
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
        p, means = claim_p(lower, upper, clusters, runs), lower.mean(axis=1)
        low, high = claims_from_p(p, means).ranks
        covered += (low <= first) & (high >= last)
        dividers.append(not claims_from_p(p, means).tied.all())
        type1.append((p[pairs] < 0.05).mean())
        if setting.left_open:
            as_wrong = pairwise_p(lower, clusters, runs)
            taken_as_wrong.append(not claims_from_p(as_wrong, means).tied.all())
            way = draw_way(lower, upper, rng)
            of_way = np.where(np.sign(difference_of(way.mean(axis=1))) == np.sign(difference_of(means)), 0, 1)
            holds = np.maximum(pairwise_p(way, clusters, runs), of_way) < 0.05
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


def difference_of(means: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return means[:, np.newaxis] - means


def measure_apart() -> dict[str, float]:
    """Return `measure_thousand` of a process of its own, whose memory is the peak."""
    command = [sys.executable, __file__, "--worker"]
    worker = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(worker.stdout))


def measure_thousand() -> dict[str, float]:
    """Return the processor seconds for 1,000 systems with 2,931 tasks, the slowest way, and the peak MB."""
    rng = np.random.default_rng(1)
    clusters = [draw_labels(rng, number, FHIR_AGENTBENCH) for number in (PATIENTS, TEMPLATES)]
    seconds = []
    for choice in ((1,), (5,), range(1, 11)):
        runs = rng.choice(choice, 1000)
        of_each = runs[:, np.newaxis]
        scores = rng.binomial(of_each, 0.5, (1000, FHIR_AGENTBENCH)) / of_each
        for labels in (None, clusters):
            # Every system has open answers, so that each pair is tested twice.
            lower = np.where(rng.random(scores.shape) < 0.1, 0, scores)
            started = time.process_time()
            p, means = claim_p(lower, scores, labels, runs), lower.mean(axis=1)
            claims = claims_from_p(p, means)
            _ = claims.ranks, claims.tied
            seconds.append(time.process_time() - started)
    # Of the whole process since its start; Linux counts in KiB.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB
    return {"seconds_1000": max(seconds), "peak_mb": peak}


def _share(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.3f}"


if __name__ == "__main__":
    main()
