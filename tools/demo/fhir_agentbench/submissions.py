"""Submissions of agents of different quality: records as the benchmark's runner writes them."""

import json
from collections.abc import Callable, Mapping, Sequence
from math import nan
from random import Random
from typing import Any

from tools.demo.fhir_agentbench.demo_question import DemoQuestion, invented_ids, more_ids

DemoRecord = dict[str, Any]
# A mistake changes the record of a question in place; it returns False to leave the record out of the file.
Mistake = Callable[[DemoRecord, DemoQuestion], bool | None]

_TYPES = ("Observation", "Encounter", "Condition", "MedicationRequest", "Procedure")
TOKEN_LIMIT = "Input tokens exceeded the limit of 128000 tokens"


def make_records(
    questions: Sequence[DemoQuestion], mistakes: Mapping[int, Sequence[Mistake]]
) -> list[DemoRecord]:
    """Return a correct record for each question, changed by its `mistakes` (index -> mistakes)."""
    records = []
    for index, question in enumerate(questions):
        record = _right_record(question)
        is_kept = [mistake(record, question) is not False for mistake in mistakes.get(index, ())]
        if all(is_kept):
            records.append(record)
    return records


def _right_record(question: DemoQuestion) -> DemoRecord:
    """Return a record with the right answer, all gold resources and some more."""
    rng = Random(question.question_id)  # noqa: S311 - nothing secret
    resources = {
        kind: _shuffled(
            ids,
            more_ids(kind, f"{kind} more {question.question_id}", rng.choice([0, 1, 3, 8]), question),
            rng,
        )
        for kind, ids in question.true_ids.items()
    }
    if not resources:
        resources = {rng.choice(_TYPES): invented_ids(f"other {question.question_id}", rng.choice([0, 2]))}
    prompt, completion = rng.randrange(3_000, 40_000), rng.randrange(150, 2_500)
    context = f"{question.text} {question.assumption or ''}".strip()
    return {
        "question_id": question.question_id,
        "question": question.text,
        "true_answer": question.true_answer,
        # NaN, as the runner writes it if there is none.
        "assumption": question.assumption or nan,
        "question_with_context": f"{context} The FHIR id of the patient is {question.patient_fhir_id}.",
        "patient_fhir_id": question.patient_fhir_id,
        "agent_answer": f"The final answer is: {question.right_answer}",
        "agent_fhir_resources": resources,
        "trace": [
            {"role": "user", "content": context},
            {"role": "assistant", "content": "I look it up on the server and answer from what I find."},
        ],
        "error": None,
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "cost": round(prompt * 1.1e-6 + completion * 4.4e-6, 6),
            "llm_calls": rng.randrange(2, 9),
        },
    }


def _shuffled(ids: list[str], more: list[str], rng: Random) -> list[str]:
    mixed = ids + more
    rng.shuffle(mixed)
    return mixed


# Mistakes in answers.


def wrong_answer(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_answer"] = f"The final answer is: {question.wrong_answer}"


def null_answer(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_answer"] = None


def no_records_found(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_answer"] = "No records were found that answer the question."


def agent_error(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_answer"] = None
    record["agent_fhir_resources"] = None
    record["error"] = "TimeoutError: the server did not answer within 60 s"


def token_limit(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_answer"] = TOKEN_LIMIT


def number_answer(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_answer"] = 82


def list_answer(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_answer"] = ["lisinopril", "aspirin"]


def wrong_unit(record: DemoRecord, question: DemoQuestion) -> None:
    """Give a hundredth of the value, like an agent that confuses units."""
    record["agent_answer"] = f"The answer is {float(question.true_answer.strip('[]')) / 100:.3f} in SI units."


def missing_record(record: DemoRecord, question: DemoQuestion) -> bool:
    return False


# Mistakes in resources.


def nothing_retrieved(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_fhir_resources"] = {"error": []}


def half_retrieved(record: DemoRecord, question: DemoQuestion) -> None:
    """Keep about half of the resources of each type."""
    for kind, ids in record["agent_fhir_resources"].items():
        record["agent_fhir_resources"][kind] = ids[: max(1, len(ids) // 2)]


def other_types_retrieved(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_fhir_resources"] = {"Specimen": invented_ids(f"specimen {question.question_id}", 6)}


def too_much_retrieved(record: DemoRecord, question: DemoQuestion) -> None:
    """Add many more resources of each type, and the patient."""
    resources = record["agent_fhir_resources"]
    for kind, ids in resources.items():
        resources[kind] = ids + more_ids(kind, f"all {kind} {question.question_id}", 40, question)
    resources.setdefault("Patient", [question.patient_fhir_id])


def retrieved_twice(record: DemoRecord, question: DemoQuestion) -> None:
    for kind, ids in record["agent_fhir_resources"].items():
        record["agent_fhir_resources"][kind] = ids + ids[:2]


def resources_as_json_text(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_fhir_resources"] = json.dumps(record["agent_fhir_resources"])


def resources_as_python_text(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_fhir_resources"] = repr(record["agent_fhir_resources"])


def exception_as_resources(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_fhir_resources"] = "KeyError('entry') while reading the bundle"


def id_without_list(record: DemoRecord, question: DemoQuestion) -> None:
    kind, ids = next(iter(record["agent_fhir_resources"].items()))
    record["agent_fhir_resources"] = {kind: ids[0]}


def no_usage(record: DemoRecord, question: DemoQuestion) -> None:
    record["usage"] = None
