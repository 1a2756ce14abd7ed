"""Invented boards whose truth is known: systems with given true rates on tasks of all difficulties."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

MEDAGENTBENCH, FHIR_AGENTBENCH = 300, 2931
PATIENTS, TEMPLATES = 94, 130
# Standard deviations, in logits: of difficulties that all systems share, and of a system's own luck with a
# task, which its runs share.
SHARED_BY_TASKS, OWN_OF_TASKS = 1.5, 1.0
# Of difficulties that all systems share with a patient or a template; the interaction is a system's own.
SHARED_BY_CLUSTERS = 1.0
# Of the logarithm of the number of questions of a patient or template; of real patients it is 0.64.
UNEVENNESS = 0.6


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A kind of board.

    name: as the table has it.
    rates: the true rate of each system, 0..1.
    tasks: how many.
    runs: of every system, or of each.
    interaction: how much each system does better or worse with a patient or a template, as a standard
        deviation in logits; None for independent tasks.
    left_open: the largest share of a system's answers that a judge leaves open, from none of the first system
        to this share of the last.
    """

    name: str
    rates: Sequence[float]
    tasks: int = MEDAGENTBENCH
    runs: int | Sequence[int] = 1
    interaction: float | None = None
    left_open: float = 0.0

    @property
    def equal(self) -> bool:
        return len(set(self.rates)) == 1

    @property
    def runs_of_each(self) -> npt.NDArray[np.int64]:
        return np.full(len(self.rates), self.runs, dtype=np.int64)


def draw_board(
    setting: Setting, rng: np.random.Generator, labels_of_tasks: list[npt.NDArray[Any]] | None = None
) -> tuple[npt.NDArray[np.float64], list[npt.NDArray[Any]] | None]:
    """Draw scores, systems x tasks, and the labels of clusters, if there are any.

    Tasks, patients, templates and what a system makes of each are drawn anew for every board, so systems of
    equal rates are equal over all tasks that might have been. labels_of_tasks: of patients and templates, if
    these are not drawn.
    """
    systems, tasks = len(setting.rates), setting.tasks
    difficulty = rng.normal(0, SHARED_BY_TASKS, tasks)
    own = rng.normal(0, OWN_OF_TASKS, (systems, tasks))
    variance = SHARED_BY_TASKS**2 + OWN_OF_TASKS**2
    clusters = None
    if setting.interaction is not None:
        clusters = labels_of_tasks or [draw_labels(rng, number, tasks) for number in (PATIENTS, TEMPLATES)]
        for labels in clusters:
            number = labels.max() + 1
            difficulty += rng.normal(0, SHARED_BY_CLUSTERS, number)[labels]
            own += rng.normal(0, setting.interaction, (systems, number))[:, labels]
            variance += SHARED_BY_CLUSTERS**2 + setting.interaction**2
    skills = find_skills(tuple(setting.rates), variance**0.5)
    chance = expit(skills[:, np.newaxis] - difficulty - own)
    runs = setting.runs_of_each[:, np.newaxis]
    return rng.binomial(runs, chance) / runs, clusters


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


# All boards of a setting have the same.
@cache
def find_skills(rates: tuple[float, ...], deviation: float) -> npt.NDArray[np.float64]:
    """Return the skills, in logits, with which systems have these rates over tasks of all difficulties."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    skills = np.linspace(-20, 20, 4001)
    expected = expit(skills[:, np.newaxis] - deviation * nodes) @ weights / weights.sum()
    return np.interp(rates, expected, skills)


def draw_labels(rng: np.random.Generator, number: int, tasks: int) -> npt.NDArray[Any]:
    sizes = rng.lognormal(0, UNEVENNESS, number)
    return rng.choice(number, tasks, p=sizes / sizes.sum())
