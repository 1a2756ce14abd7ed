"""What a log states of its runs, as the facts that a submitter states, and as JSON for programs."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from wardboard.scoring.facts import BY_KEY
from wardboard.scoring.reading.formats.log_facts import LogFacts

# Fact -> the quantity of an attempt of which it is the mean.
QUANTITY_OF = {"cost_per_task": "cost_usd", "seconds_per_task": "seconds"}
# Quantity of an attempt -> what the API calls its mean.
_MEANS = {
    "cost_usd": "cost_per_task",
    "seconds": "seconds_per_task",
    "input_tokens": "input_tokens_per_task",
    "cached_tokens": "cached_tokens_per_task",
    "output_tokens": "output_tokens_per_task",
    "rounds": "rounds_per_task",
}
_EARLIEST_RUN = date(2020, 1, 1)  # that a submitter may state


def as_stated(facts: LogFacts, *, needs_all: bool = True) -> dict[str, Any]:
    """Return what a file states of its runs by the keys of `wardboard.scoring.facts`.

    needs_all: leave out a mean over fewer tasks than the file has
    """
    stated: dict[str, Any] = {}
    if models := list(facts.names.get("model", ())):
        stated["models"] = models
    harness = [*facts.names.get("harness", ())]
    if len(harness) == 1:
        versions = [*facts.names.get("harness_version", ())]
        stated["harness_name"] = " ".join([harness[0], *(versions if len(versions) == 1 else ())])
    for key, quantity in QUANTITY_OF.items():
        mean = facts.mean(quantity)
        if mean and (mean.count == mean.of or not needs_all):
            # More digits than people read would only look exact.
            stated[key] = float(f"{mean.value:.4g}")
    if facts.run_on and _EARLIEST_RUN <= facts.run_on <= datetime.now(UTC).date():
        stated["run_on"] = facts.run_on
    return {key: value for key, value in stated.items() if _fits(key, value)}


def _fits(key: str, value: Any) -> bool:
    fact = BY_KEY[key]
    if isinstance(value, float):
        return value <= fact.most
    texts = value if isinstance(value, list) else [value] if isinstance(value, str) else []
    return all(len(text) <= fact.longest for text in texts)


def public_facts(facts: LogFacts) -> dict[str, Any] | None:
    """Return what a file states of its runs, for programs; None for nothing. Means are over tasks."""
    if not facts.as_json():
        return None
    means = {key: facts.mean(key) for key in _MEANS}
    stated = as_stated(facts)
    return {
        "attempts": facts.attempts,
        **{
            _MEANS[key]: {"mean": _rounded(key, mean.value), "tasks": mean.count}
            for key, mean in means.items()
            if mean
        },
        "models": stated.get("models", []),
        "harness": stated.get("harness_name", ""),
        "temperatures": list(facts.names.get("temperature", ())),
        "run_on": facts.run_on.isoformat() if facts.run_on else None,
        "commits": list(facts.names.get("commit", ())),
        "dirty": True in facts.names.get("is_dirty", ()),
    }


def began_on(log: Mapping[str, Any]) -> date | None:
    """Return the day on which a run began; None where it is not stated. log: as `public_facts` has it."""
    return date.fromisoformat(log["run_on"]) if log.get("run_on") else None


def _rounded(quantity: str, value: float) -> float:
    # A cost can be far below a cent.
    return float(f"{value:.3g}") if quantity == "cost_usd" else round(value, 1)
