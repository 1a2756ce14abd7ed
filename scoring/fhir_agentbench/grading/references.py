"""The hidden reference of each question, and its serialised form."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from wardboard.scoring.fhir_agentbench.grading.retrieval import GoldResources
from wardboard.scoring.ground_truth import dump_rows, load_rows

_FORMAT = "fhir-agentbench-references/1"

# The official reference answer to a question without gold resource types.
NO_ANSWER = "no answer"


@dataclass(frozen=True, kw_only=True)
class FhirReference:
    """One question with its hidden reference. `repr` shows the id only.

    - task_id: 24 hexadecimal digits.
    - question, assumption: what the agent got to read; assumption is None if there was none.
    - patient_fhir_id: the patient in question, None if not stated.
    - true_answer: the reference answer as printed in the CSV.
    - true_ids: the ids of the gold resources by type. None, unlike {}, means that they are not known, so
      that retrieval cannot be scored.
    - template: the question's template, None if not stated.
    - unusable: always None, because every question can be scored; every import asks for it.
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
    def gold_resources(self) -> GoldResources | None:
        """The gold resources, indexed once for all submissions that are scored against them."""
        return GoldResources(self.true_ids) if self.true_ids is not None else None

    @property
    def expected_answer(self) -> str:
        """The answer to compare with: `no answer` if `true_ids` is {}, whatever the CSV says."""
        return NO_ANSWER if self.true_ids is not None and not self.true_ids else self.true_answer


def dump_references(references: Mapping[str, FhirReference]) -> bytes:
    """Serialise `references` as ASCII JSON, in their order; equal content gives equal bytes.

    The sha256 of these bytes is the reference digest. It depends on the order of ids, but not of types.
    """
    return dump_rows(references, _FORMAT)


def load_references(data: bytes) -> dict[str, FhirReference]:
    """Return the references from `dump_references`. Raises ValueError for other bytes."""
    return load_rows(data, _FORMAT, _load_row, "questions")


def _load_row(row: dict[str, Any]) -> FhirReference:
    if "true_ids" in row:
        row["true_ids"] = {kind: tuple(ids) for kind, ids in row["true_ids"].items()}
    return FhirReference(**row)
