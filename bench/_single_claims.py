"""Measure the claims of a leaderboard that are about something else than the ranks of a finished board."""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from _invented_boards import (
    FHIR_AGENTBENCH,
    MEDAGENTBENCH,
    OWN_OF_TASKS,
    SHARED_BY_TASKS,
    Setting,
    draw_board,
    find_skills,
)
from scipy.special import expit
from scipy.stats import norm

from wardboard.scoring.fhir_agentbench.grading.clusters import PUBLISHED_CLUSTERS
from wardboard.scoring.statistics import difference_interval, wilson_interval
from wardboard.scoring.statistics.clusters import (
    Clustering,
    clustered_difference,
    clustered_mean_difference,
)
from wardboard.scoring.statistics.comparisons import one_way_p, pairwise_p
from wardboard.scoring.statistics.pairs import paired_table
from wardboard.scoring.statistics.power import smallest_detectable_difference
from wardboard.scoring.statistics.rank_claims import claims_from_p, holm_adjust

Scores = npt.NDArray[np.float64]
ALPHA = 0.05
INTERACTIONS = (0.0, 0.25, 0.37, 0.5)
# Of questions that a system has a figure of, such as a precision, which is over what it retrieved.
SHARE_WITH_FIGURE = 0.8
GROUPS = 8
# Of the difficulties of tasks in logits, for walked versions: at a rate of 90% two runs then differ in about
# as many verdicts as those of a public agent do (6.1%). On the other boards they differ in twice as many.
LIKE_PUBLIC_RUNS = 5.0


class Line(NamedTuple):
    """A line of the table: what is measured, and figures by name."""

    name: str
    figures: dict[str, float]


def unequal_runs(boards: int) -> list[Line]:
    """Return the type I error of one run against ten, and of five against five, near rates of 0 and 1."""
    lines = []
    for tasks, rate in (
        *((MEDAGENTBENCH, rate) for rate in (0.6, 0.9, 0.98, 0.99, 0.995, 0.997, 0.003)),
        *((60, 0.97), (50, 0.98)),
    ):
        figures = {
            f"{few} v {many}": share
            for few, many in ((1, 10), (1, 5), (3, 10), (5, 5))
            for share in [_type1_of_runs(few, many, rate, tasks, boards, with_runs=True)]
        }
        figures["1 v 10, t alone"] = _type1_of_runs(1, 10, rate, tasks, boards, with_runs=False)
        lines.append(Line(f"{rate:.1%} of {tasks:,} tasks", figures))
    return lines


def power_of_runs(boards: int) -> list[Line]:
    """Return how often a difference of 6 points is found, one run against ten, with and without the test."""
    shares = {}
    for name, with_runs in (("power", True), ("power, t alone", False)):
        rng = np.random.default_rng(7)
        setting = Setting(name="", rates=[0.80, 0.86], runs=(1, 10))
        found = [_p(setting, rng, with_runs=with_runs)[0, 1] < ALPHA for _ in range(4 * boards)]
        shares[name] = float(np.mean(found))
    return [Line("80% in one run v 86% in ten, 300 tasks", shares)]


def _type1_of_runs(few: int, many: int, rate: float, tasks: int, boards: int, *, with_runs: bool) -> float:
    rng = np.random.default_rng(32)
    setting = Setting(name="", rates=[rate] * 8, tasks=tasks, runs=(few,) * 4 + (many,) * 4)
    return float(
        np.mean([_p(setting, rng, with_runs=with_runs)[:4, 4:] < ALPHA for _ in range(max(1, boards // 4))])
    )


def _p(setting: Setting, rng: np.random.Generator, *, with_runs: bool) -> Scores:
    scores, clusters = draw_board(setting, rng)
    return pairwise_p(scores, clusters, setting.runs_of_each if with_runs else None)


def other_metrics(boards: int) -> list[Line]:
    """Return how often the interval of the difference of two equal systems leaves out 0.

    Of a mean that some questions have no figure for, and of groups of questions.
    """
    return [_other_metrics(interaction, boards) for interaction in INTERACTIONS]


def _other_metrics(interaction: float, boards: int) -> Line:
    rng = np.random.default_rng(5)
    setting = Setting(name="", rates=[0.3, 0.3], tasks=FHIR_AGENTBENCH, interaction=interaction)
    group_of = rng.integers(GROUPS, size=FHIR_AGENTBENCH)
    found: dict[str, list[bool]] = {name: [] for name in ("mean", "groups", "Newcombe")}
    for _ in range(boards):
        scores, clusters = draw_board(setting, rng)
        assert clusters is not None
        # Who answers rightly found the right records, mostly.
        figures = 0.8 * scores + 0.2 * rng.random(scores.shape)
        figures[rng.random(scores.shape) > SHARE_WITH_FIGURE] = np.nan
        clustered = clustered_mean_difference(*figures, clusters)
        assert clustered is not None
        found["mean"].append(leaves_out_0(clustered.low, clustered.high))
        for group in range(GROUPS):
            chosen = group_of == group
            a, b = scores[:, chosen]
            _, low, high = difference_interval(*paired_table(a, b))
            by_clusters = clustered_difference(a, b, [labels[chosen] for labels in clusters])
            found["Newcombe"].append(leaves_out_0(low, high))
            found["groups"].append(leaves_out_0(min(low, by_clusters.low), max(high, by_clusters.high)))
    return Line(f"interaction {interaction:.2f}", {name: float(np.mean(of)) for name, of in found.items()})


def leaves_out_0(low: float, high: float) -> bool:
    return low > 0 or high < 0


def published_rows(boards: int) -> list[Line]:
    """Return how often intervals of rows as published hold the true rate."""
    return [_published_rows(interaction, boards) for interaction in INTERACTIONS]


def _published_rows(interaction: float, boards: int) -> Line:
    rng = np.random.default_rng(6)
    rate = 0.4
    setting = Setting(name="", rates=[rate] * 4, tasks=FHIR_AGENTBENCH, interaction=interaction)
    held: dict[str, list[bool]] = {"interval": [], "Wilson": []}
    for _ in range(boards):
        scores, _clusters = draw_board(setting, rng)
        for mean in scores.mean(axis=1):
            low, high = PUBLISHED_CLUSTERS.interval(mean, FHIR_AGENTBENCH)
            held["interval"].append(low <= rate <= high)
            low, high = wilson_interval(mean * FHIR_AGENTBENCH, FHIR_AGENTBENCH)
            held["Wilson"].append(low <= rate <= high)
    return Line(f"interaction {interaction:.2f}", {name: float(np.mean(of)) for name, of in held.items()})


def growing_boards(boards: int) -> list[Line]:
    """Return the shares of boards of equals with a false claim: in a season, and on an open board.

    A season opens all results at once and tests them once. An open board grows by one system at a time and is
    tested after each: now is after the last one, ever at some time, also with alpha spent over the arrivals.
    And how many true differences of spread boards each way finds.
    """
    sizes = ((20, MEDAGENTBENCH), (60, MEDAGENTBENCH), (60, FHIR_AGENTBENCH))
    return [_growing(systems, tasks, boards) for systems, tasks in sizes]


def _growing(systems: int, tasks: int, boards: int) -> Line:
    rng = np.random.default_rng(8)
    equals = Setting(name="", rates=[0.6] * systems, tasks=tasks)
    spread = Setting(name="", rates=np.linspace(0.4, 0.8, systems).tolist(), tasks=tasks)
    season, now, ever, spent = [], [], [], []
    power: dict[str, list[float]] = {"found, season": [], "found": [], "found, spent": []}
    pairs = np.triu_indices(systems, 1)
    for _ in range(boards):
        scores, _clusters = draw_board(equals, rng)
        p = pairwise_p(scores)
        season.append(_claims_of_season(p, scores).any())
        claims = [_smallest_adjusted(p[:number, :number]) < ALPHA for number in range(2, systems + 1)]
        now.append(claims[-1])
        ever.append(any(claims))
        spent.append(_claims_by_arrival(p).any())
        order = rng.permutation(systems)
        scores, _clusters = draw_board(spread, rng)
        p = pairwise_p(scores)
        power["found, season"].append(float(_claims_of_season(p, scores)[pairs].mean()))
        p = p[np.ix_(order, order)]
        power["found"].append(float((holm_adjust(p[pairs]) < ALPHA).mean()))
        power["found, spent"].append(float(_claims_by_arrival(p)[pairs].mean()))
    figures = {"season": season, "now": now, "ever": ever, "ever, spent": spent, **power}
    return Line(f"{systems}, {tasks:,} tasks", {name: float(np.mean(of)) for name, of in figures.items()})


def _claims_of_season(p: Scores, scores: Scores) -> npt.NDArray[np.bool_]:
    """Return which pairs differ at the opening of a season, by the claims of the leaderboard."""
    better = claims_from_p(p, scores.mean(axis=1)).better
    return better | better.T


def _smallest_adjusted(p: Scores) -> float:
    pairs = p[np.triu_indices(len(p), 1)]
    return float(pairs.min() * pairs.size)


def _claims_by_arrival(p: Scores) -> npt.NDArray[np.bool_]:
    """Return which pairs differ if the k-th entry is tested once, with those before it.

    It gets alpha * 6 / (pi**2 * k**2), which adds up to alpha over all entries; the first one has no pair,
    and k counts from the second. Holm-adjusted over its own pairs. Source: Tian & Ramdas, Stat. Sci. 2021.
    """
    claims = np.zeros(p.shape, dtype=np.bool_)
    for number in range(1, len(p)):
        alpha = ALPHA * 6 / (np.pi * number) ** 2
        claims[:number, number] = holm_adjust(p[:number, number]) < alpha
    return claims | claims.T


def detectable(boards: int) -> list[Line]:
    """Return how often the difference is found that a board calls detectable in 80% of cases."""
    return [_detectable(interaction, boards) for interaction in INTERACTIONS]


def _detectable(interaction: float, boards: int) -> Line:
    rng = np.random.default_rng(9)
    equals = Setting(name="", rates=[0.3] * 10, tasks=FHIR_AGENTBENCH, interaction=interaction)
    drawn = [draw_board(equals, rng) for _ in range(20)]
    effects = [_difference_effect(scores, clusters) for scores, clusters in drawn if clusters is not None]
    effect = float(np.median([each for each in effects if each is not None]))
    discordant = float(np.mean([scores[0] != scores[1] for scores, _ in drawn]))
    independent = smallest_detectable_difference(FHIR_AGENTBENCH, discordant)
    points = smallest_detectable_difference(FHIR_AGENTBENCH / effect, discordant)
    assert independent is not None
    assert points is not None
    found: dict[str, list[bool]] = {"power": [], "power at independent": []}
    for name, difference in (("power", points), ("power at independent", independent)):
        setting = Setting(
            name="", rates=[0.3, 0.3 + difference], tasks=FHIR_AGENTBENCH, interaction=interaction
        )
        for _ in range(boards):
            scores, clusters = draw_board(setting, rng)
            found[name].append(bool(one_way_p(scores[1:], scores[:1], clusters)[0, 0] < ALPHA))
    figures: dict[str, Any] = {"design effect": effect, "discordant": discordant}
    figures |= {"points": 100 * points, "points, independent": 100 * independent}
    return Line(
        f"interaction {interaction:.2f}", {**figures, **{name: np.mean(of) for name, of in found.items()}}
    )


def designated_files(boards: int) -> list[Line]:
    """Return what the best and the first of n files gain on the true rate of their system, in points.

    The files are single runs. Also how often the best is significantly higher than one more run.
    """
    return [_designated(rate, files, boards) for rate in (0.7, 0.9) for files in (1, 5, 20)]


def _designated(rate: float, files: int, boards: int) -> Line:
    rng = np.random.default_rng(20)
    deviation = float(np.hypot(SHARED_BY_TASKS, OWN_OF_TASKS))
    [skill] = find_skills((rate,), deviation)
    gains, better = [], []
    for _ in range(4 * boards):
        chance = expit(skill - rng.normal(0, deviation, MEDAGENTBENCH))
        runs = rng.binomial(1, chance, (files + 1, MEDAGENTBENCH)).astype(np.float64)
        fixed, own = runs[0], runs[1:]
        best = own[np.argmax(own.mean(axis=1))]
        gains.append((best.mean() - chance.mean(), own[0].mean() - chance.mean()))
        better.append(one_way_p(best[np.newaxis], fixed[np.newaxis])[0, 0] < ALPHA)
    best_gain, first_gain = 100 * np.mean(gains, axis=0)
    figures = {"best": best_gain, "first": first_gain, "better than an equal": float(np.mean(better))}
    return Line(f"{files} at {rate:.0%}", {name: float(value) for name, value in figures.items()})


def walked_versions(boards: int) -> list[Line]:
    """Return what a team gains on the true rate that designates versions of one system in turn, in points.

    The versions are single runs of equal quality. On an open board the newest is the entry, and the team sees
    its score before it sends another: it stops by the best rule, of one who knows the rate, or withdraws back
    to the best. In a season the last file is the entry, and nobody saw a score. Also how often the entry is
    significantly higher than a run of an equal: of the open board after some version, of the season once.
    """
    return [_walked(rate, versions, boards) for rate in (0.7, 0.9) for versions in (6, 20)]


def _walked(rate: float, versions: int, boards: int) -> Line:
    rng = np.random.default_rng(21)
    [skill] = find_skills((rate,), LIKE_PUBLIC_RUNS)
    gains, higher, flips = [], [], []
    for _ in range(4 * boards):
        chance = expit(skill - rng.normal(0, LIKE_PUBLIC_RUNS, MEDAGENTBENCH))
        runs = rng.binomial(1, chance, (versions + 1, MEDAGENTBENCH)).astype(np.float64)
        fixed, own = runs[0], runs[1:]
        above = own.mean(axis=1) - chance.mean()
        deviation = float(np.sqrt((chance * (1 - chance)).sum()) / MEDAGENTBENCH)
        gains.append((above[-1], above[_stop(above / deviation)], above.max()))
        higher.append(one_way_p(own, fixed[np.newaxis])[:, 0] < ALPHA)
        flips.append(float(np.mean(fixed != own[0])))
    season, stops, best = 100 * np.mean(gains, axis=0)
    error = 100 * np.std(gains, axis=0) / len(gains) ** 0.5
    figures = {"season": season, "se of season": error[0]}
    figures |= {"stops": stops, "se of stops": error[1], "best": best}
    figures |= {"higher, season": np.mean([each[-1] for each in higher])}
    figures |= {"higher, ever": np.mean([each.any() for each in higher]), "flips": np.mean(flips)}
    return Line(f"{versions} at {rate:.0%}", {name: float(value) for name, value in figures.items()})


def _stop(above: Scores) -> int:
    """Return at which version a team stops that sees each score, and expects the most from the rest.

    above: how far each version's score is above the true rate, in standard deviations of a run. The team
    stays at one that is above what the best stopping of those left would bring, as if scores were normal.
    """
    expected = [-np.inf, 0.0]
    while len(expected) < len(above):
        least = expected[-1]
        expected.append(float(norm.pdf(least) + least * norm.cdf(least)))
    return int(np.argmax(above >= expected[::-1]))


def _difference_effect(scores: Scores, clusters: Any) -> float | None:
    """Return how many times the variance of a difference is that of independent tasks, over all pairs."""
    differences = np.array([a - b for a, b in combinations(scores, 2)])
    tasks = differences.shape[1]
    clustered = float(Clustering(clusters, tasks).variances(differences).sum())
    independent = float(differences.var(axis=1).sum()) / tasks
    return max(1.0, clustered / independent) if independent else None
