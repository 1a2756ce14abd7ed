"""Explain a verdict: what did not accept the answer, what was expected, and what retrieval missed."""

from collections.abc import Mapping
from types import MappingProxyType

from wardboard.scoring.explanations import ExpectedWork
from wardboard.scoring.fhir_agentbench.grading.reasons import FhirReason, is_correct
from wardboard.scoring.fhir_agentbench.grading.references import FhirReference
from wardboard.scoring.fhir_agentbench.reading.records import AnswerRecord
from wardboard.scoring.ground_truth import HiddenReference
from wardboard.scoring.reading.messages import Phrase, phrase, phrase_n

# What decided, which reveals whether the rules could read the reference.
_JUDGED: Mapping[str, Phrase] = MappingProxyType(
    {
        FhirReason.WRONG_BY_RULES: phrase("The rules did not accept the answer."),
        FhirReason.WRONG_BY_LLM: phrase("The language model did not accept the answer."),
        FhirReason.WRONG_BY_OFFICIAL_JUDGE: phrase("The official judge did not accept the answer."),
        FhirReason.WRONG_SUSPECT: phrase("The answer addresses the judge, and was not accepted."),
        FhirReason.LEFT_OPEN: phrase("The rules could not decide, and left the answer open."),
    }
)


def failed_check(record: object, reason: str, reference: HiddenReference | None = None) -> Phrase | None:
    """Say that the judge did not accept the answer; with the reference, which judge it was."""
    if reason == FhirReason.WRONG_ERROR:
        return phrase("The run ended with an error.")
    if reference is not None or reason not in _JUDGED:
        return _JUDGED.get(reason)
    return None if is_correct(reason) is None else phrase("The judge did not accept the answer.")


def expected_work(record: AnswerRecord | None, reference: FhirReference) -> ExpectedWork:
    """Return the expected answer, and how many gold resources the record lacks or has too many."""
    gold = reference.gold_resources
    notes = [] if gold is None else [_count_ids(record, gold.ids)]
    return ExpectedWork(answers=(reference.expected_answer,), notes=tuple(notes))


def _count_ids(record: AnswerRecord | None, gold: frozenset[str]) -> Phrase:
    resources = (record.resources if record else None) or {}
    lists = (values for values in resources.values() if isinstance(values, list))
    retrieved = {value for values in lists for value in values if isinstance(value, str)}
    missing, extra = len(gold - retrieved), len(retrieved - gold)
    return phrase_n(
        "{n} reference resource: {missing} missing, {extra} extra retrieved.",
        "{n} reference resources: {missing} missing, {extra} extra retrieved.",
        len(gold),
        missing=missing,
        extra=extra,
    )


def instruction(reference: FhirReference) -> str:
    """Return the question, and the assumption below it where there is one."""
    return "\n".join(filter(None, (reference.question, reference.assumption)))
