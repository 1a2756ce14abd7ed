"""Turn the samples of a log of inspect_ai into the records that the benchmark's runner would have written.

inspect_ai has no task of its own for this benchmark. The id of a sample is the question's, its completion the
answer; the ids of the retrieved resources are in no log, unless the agent puts them into its store.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scoring.fhir_agentbench.reading.schema_check import ANSWER_FIELD, RESOURCES_FIELD
from scoring.reading.collector import Findings, Steps
from scoring.reading.inspect_logs.samples import Sample

# Where the fields of a record are in a sample.
_PLACES: Mapping[str | int, Steps] = {
    "question_id": ("id",),
    ANSWER_FIELD: ("output", "completion"),
    RESOURCES_FIELD: ("store", RESOURCES_FIELD),
    "usage": ("model_usage",),
    "trace": ("messages",),
}
# The names of a model's usage in inspect_ai, and those of the benchmark's runner.
_USAGE = {
    "input_tokens": "prompt_tokens",
    "output_tokens": "completion_tokens",
    "total_tokens": "total_tokens",
}


def inspect_records(samples: Iterable[Sample]) -> Iterator[tuple[Findings, Any]]:
    """Yield each sample as a record, with the findings at its place."""
    for sample in samples:
        record: dict[str, Any] = {
            "question_id": sample.id,
            ANSWER_FIELD: sample.completion,
            "trace": sample.resolved_messages,
        }
        for holder in (sample.value.get("metadata"), sample.value.get("store")):
            # What the agent stored counts before what the data set states.
            if isinstance(holder, dict) and RESOURCES_FIELD in holder:
                record[RESOURCES_FIELD] = holder[RESOURCES_FIELD]
        if isinstance(sample.value.get("error"), dict):
            record["error"] = sample.ended_by
        if usage := _usage(sample.value.get("model_usage")):
            record["usage"] = usage
        yield sample.here.renaming(_PLACES), record


def _usage(models: Any) -> dict[str, float]:
    """Return the tokens of a sample, of all its models together."""
    totals: dict[str, float] = {}
    for usage in models.values() if isinstance(models, dict) else ():
        for name, ours in _USAGE.items():
            tokens = usage.get(name) if isinstance(usage, dict) else None
            if isinstance(tokens, int | float) and not isinstance(tokens, bool):
                totals[ours] = totals.get(ours, 0) + tokens
    return totals
