"""The hidden reference of each question, and reading them from the benchmark's CSV file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from scoring.fhir_agentbench.grading.retrieval import GoldResources

_FORMAT = "fhir-agentbench-references/1"

# What the official rule makes of the true answer to a question without true resource types.
NO_ANSWER = "no answer"


@dataclass(frozen=True, kw_only=True)
class FhirReference:
    """One question with what is hidden of it. `repr` shows the id alone.

    assumption: more that the agent was told, None for nothing. true_answer: as printed in the CSV.
    true_ids: the ids of the resources that the answer stands in, by type; None where they are not
    known, which is not {}: retrieval cannot be scored then. unusable: always None, as every question
    can be scored; the importing of any benchmark asks.
    """

    task_id: str
    question: str = field(repr=False)
    assumption: str | None = field(default=None, repr=False)
    patient_fhir_id: str | None = field(default=None, repr=False)
    true_answer: str = field(repr=False)
    true_ids: Mapping[str, tuple[str, ...]] | None = field(default=None, repr=False)
    template: str | None = field(default=None, repr=False)
    unusable: str | None = field(default=None, repr=False)

    @cached_property
    def retrievable(self) -> GoldResources | None:
        """The true ids, made ready for counting: once, though many submissions are scored against them."""
        return GoldResources(self.true_ids) if self.true_ids is not None else None

    @property
    def truth(self) -> str:
        """What an answer is compared with: `no answer` for the group `{}`, whatever the CSV says."""
        return NO_ANSWER if self.true_ids is not None and not self.true_ids else self.true_answer


def dump_references(references: Mapping[str, FhirReference]) -> bytes:
    """Return `references` as ASCII JSON, in their order: the same content gives the same bytes.

    The sha256 of these bytes is the reference digest. The order of types does not count, that of ids does.
    """
    rows = [
        {part.name: kept for part in fields(ref) if (kept := getattr(ref, part.name)) is not None}
        for ref in references.values()
    ]
    document = {"format": _FORMAT, "references": rows}
    return json.dumps(document, separators=(",", ":"), sort_keys=True).encode("ascii")


def load_references(data: bytes) -> dict[str, FhirReference]:
    """Return the references that `dump_references` took. Raises ValueError for other bytes."""
    try:
        document = json.loads(data)
        if document["format"] != _FORMAT:
            raise ValueError
        return {row["task_id"]: _loaded(row) for row in document["references"]}
    except (AttributeError, LookupError, TypeError, ValueError):
        # Without the cause: its text could quote what is hidden.
        raise ValueError(f"these bytes are no {_FORMAT} dump: import the questions again") from None


def _loaded(row: dict[str, Any]) -> FhirReference:
    if "true_ids" in row:
        row["true_ids"] = {kind: tuple(ids) for kind, ids in row["true_ids"].items()}
    return FhirReference(**row)
