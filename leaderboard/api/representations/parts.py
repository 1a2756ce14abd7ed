"""Show what leaderboards and submissions have in common."""

from collections.abc import Mapping
from typing import TypeVar
from uuid import UUID

from django.urls import reverse

from leaderboard.api.schema.common import (
    ConditionsSchema,
    GroupMetrics,
    GroupRateSchema,
    Rates,
    ReferencesSchema,
    SystemSchema,
)
from leaderboard.models import (
    Board,
    ReferenceRevision,
    System,
)
from leaderboard.models.systems import Facts
from leaderboard.services import visibility
from leaderboard.services.judging.references import visible_digest
from leaderboard.services.visibility import GroupMean
from wardboard.scoring.facts import CONDITIONS, LINKS, OF_SYSTEM
from wardboard.scoring.verdicts import Rate, Share

Figure = TypeVar("Figure", int, float)


def show_system(facts: Facts, links: System) -> SystemSchema:
    """Show a system. facts: of today, or as a row has them of its own time."""
    values = {fact.key: getattr(links if fact in LINKS else facts, fact.field) for fact in OF_SYSTEM}
    conditions = ConditionsSchema(**{fact.key: values.pop(fact.key) for fact in CONDITIONS})
    shown = {"name": values.pop("system"), **values}
    return SystemSchema(**shown, conditions=conditions)


def show_interval(low: Figure | None, high: Figure | None) -> list[Figure] | None:
    return None if low is None or high is None else [low, high]


def show_rates(breakdowns: Mapping[str, Mapping[str, Rate | Share]]) -> Rates:
    return {
        breakdown: {
            group: GroupRateSchema(right=rate.right, total=rate.total, rate=visibility.visible_rate(rate))
            for group, rate in groups.items()
        }
        for breakdown, groups in breakdowns.items()
    }


def show_group_metrics(breakdowns: Mapping[str, Mapping[str, Mapping[str, GroupMean]]]) -> GroupMetrics:
    return {
        breakdown: {
            group: {key: mean.value for key, mean in means.items()} for group, means in groups.items()
        }
        for breakdown, groups in breakdowns.items()
    }


def show_references(board: Board, revision: ReferenceRevision) -> ReferencesSchema:
    digest = visible_digest(board, revision)
    return ReferencesSchema(revision=revision.number, commitment=revision.commitment, digest=digest)


def submission_address(submission_id: UUID) -> str:
    return reverse("api:submission", args=[submission_id])
