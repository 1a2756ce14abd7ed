"""The form of a trajectory in ATIF, as far as it is read, and what it states of tokens, cost and time.

Source: Harbor's models of trajectories (harbor 0.26.0).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import msgspec

from wardboard.scoring.reading.formats.atif.steps import Metrics, Step, turns
from wardboard.scoring.reading.formats.attempts import Facts, Steps
from wardboard.scoring.reading.formats.values import count, instant, moment, number, total


class Agent(msgspec.Struct, frozen=True, kw_only=True):
    name: str | None = None
    version: str | None = None
    model_name: str | None = None
    extra: Any = None


class Trajectory(msgspec.Struct, frozen=True, kw_only=True):
    """A trajectory, or one of a subagent within it; fields that nothing here reads are left out.

    final_metrics: of all of it, with those of its subagents
    """

    schema_version: str
    # Far above what any agent takes: a file can hold a million of either.
    steps: Annotated[list[Step], msgspec.Meta(max_length=20_000)]
    agent: Agent | None = None
    trajectory_id: str | None = None
    final_metrics: dict[str, Any] | None = None
    continued_trajectory_ref: str | None = None
    extra: Any = None
    subagent_trajectories: Annotated[list["Trajectory"], msgspec.Meta(max_length=5000)] | None = None


# A trajectory, and the path to it from the place of its attempt.
Placed = tuple[Steps, Trajectory]


def subagents_of(place: Steps, trajectory: Trajectory) -> Iterator[Placed]:
    """Yield the subagents embedded in a trajectory, at all levels."""
    for index, subagent in enumerate(trajectory.subagent_trajectories or ()):
        below = (*place, "subagent_trajectories", index)
        yield below, subagent
        yield from subagents_of(below, subagent)


def facts_of(parts: Sequence[Trajectory]) -> Facts:
    """Return what a trajectory and the parts that continue it state of tokens, cost and time.

    Totals are those of the last part, which writers count from the first on, or else the sums over all steps.
    """
    first, last = parts[0], parts[-1]
    agent, totals = first.agent or Agent(), last.final_metrics or {}
    steps = [step for part in parts for step in part.steps]
    metrics = [each for part in parts for each in _metrics(part)]
    costs = [number(each.cost_usd) for each in metrics]
    cost = number(totals.get("total_cost_usd"))
    if cost is None and None not in costs:
        cost = total(*costs)
    times = [time for step in steps if (time := moment(step.timestamp)) is not None]
    return Facts(
        input_tokens=_sum(totals, metrics, "prompt_tokens"),
        output_tokens=_sum(totals, metrics, "completion_tokens"),
        cached_tokens=_sum(totals, metrics, "cached_tokens"),
        cost_usd=cost,
        seconds=number(times[-1] - times[0]) if times else None,
        rounds=turns(steps),
        model=agent.model_name or "",
        harness=agent.name or "",
        harness_version=agent.version or "",
        started=instant(steps[0].timestamp) if steps else None,
        finished=instant(steps[-1].timestamp) if steps else None,
    )


def _sum(totals: Mapping[str, Any], metrics: Sequence[Metrics], name: str) -> int | None:
    stated = count(totals.get(f"total_{name}"))
    return count(total(*(count(getattr(each, name)) for each in metrics))) if stated is None else stated


def _metrics(trajectory: Trajectory) -> Iterator[Metrics]:
    """Yield the metrics of a trajectory's steps, and those of its subagents."""
    for each in (trajectory, *(subagent for _, subagent in subagents_of((), trajectory))):
        yield from (step.metrics for step in each.steps if step.metrics and not step.is_copied_context)
