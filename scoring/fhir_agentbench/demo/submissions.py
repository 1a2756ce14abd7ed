"""What agents of different quality send in: records as the benchmark's runner writes them."""

import json
from collections.abc import Callable, Mapping, Sequence
from math import nan
from random import Random
from typing import Any

from scoring.fhir_agentbench.demo.question import DemoQuestion, invented_ids

DemoRecord = dict[str, Any]
# Spoils a record of a question, in place; False leaves it out of the file.
Spoiling = Callable[[DemoRecord, DemoQuestion], bool | None]

_TYPES = ("Observation", "Encounter", "Condition", "MedicationRequest", "Procedure")
TOKEN_LIMIT = "Input tokens exceeded the limit of 128000 tokens"


def submission(
    questions: Sequence[DemoQuestion], spoiled: Mapping[int, Sequence[Spoiling]]
) -> list[DemoRecord]:
    """Return a record for each question, right but for what `spoiled` (by place) makes of it."""
    records = []
    for place, question in enumerate(questions):
        record = _right(question)
        kept = [spoil(record, question) is not False for spoil in spoiled.get(place, ())]
        if all(kept):
            records.append(record)
    return records


def _right(question: DemoQuestion) -> DemoRecord:
    """A record with the right answer, all true resources and some more."""
    rng = Random(question.question_id)  # noqa: S311 - nothing secret
    resources = {
        kind: _mixed(ids, invented_ids(f"{kind} more {question.question_id}", rng.choice([0, 1, 3, 8])), rng)
        for kind, ids in question.true_ids.items()
    }
    if not resources:
        resources = {rng.choice(_TYPES): invented_ids(f"other {question.question_id}", rng.choice([0, 2]))}
    prompt, completion = rng.randrange(3_000, 40_000), rng.randrange(150, 2_500)
    context = f"{question.asked} {question.assumption or ''}".strip()
    return {
        "question_id": question.question_id,
        "question": question.asked,
        "true_answer": question.truth,
        # NaN, as the runner writes it where there is none.
        "assumption": question.assumption or nan,
        "question_with_context": f"{context} The FHIR id of the patient is {question.patient_fhir_id}.",
        "patient_fhir_id": question.patient_fhir_id,
        "agent_answer": f"The final answer is: {question.right}",
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


def _mixed(ids: list[str], more: list[str], rng: Random) -> list[str]:
    mixed = ids + more
    rng.shuffle(mixed)
    return mixed


# Answers.


def says_wrong(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_answer"] = f"The final answer is: {question.wrong}"


def says_nothing(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_answer"] = None


def cannot_tell(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_answer"] = "No records were found that answer the question."


def fails(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_answer"] = None
    record["agent_fhir_resources"] = None
    record["error"] = "TimeoutError: the server did not answer within 60 s"


def passes_the_token_limit(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_answer"] = TOKEN_LIMIT


def says_a_number(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_answer"] = 82


def says_a_list(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_answer"] = ["lisinopril", "aspirin"]


def in_another_unit(record: DemoRecord, question: DemoQuestion) -> None:
    """A hundred times too little, as an agent says it that takes a unit for another."""
    record["agent_answer"] = f"The answer is {float(question.truth.strip('[]')) / 100:.3f} in SI units."


def is_missing(record: DemoRecord, question: DemoQuestion) -> bool:
    return False


# Resources.


def finds_nothing(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_fhir_resources"] = {"error": []}


def finds_some(record: DemoRecord, question: DemoQuestion) -> None:
    """About half of each type."""
    for kind, ids in record["agent_fhir_resources"].items():
        record["agent_fhir_resources"][kind] = ids[: max(1, len(ids) // 2)]


def finds_other_types(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_fhir_resources"] = {"Specimen": invented_ids(f"specimen {question.question_id}", 6)}


def finds_everything(record: DemoRecord, question: DemoQuestion) -> None:
    """All that there is of each type, and the patient."""
    resources = record["agent_fhir_resources"]
    for kind, ids in resources.items():
        resources[kind] = ids + invented_ids(f"all {kind} {question.question_id}", 40)
    resources.setdefault("Patient", [question.patient_fhir_id])


def finds_twice(record: DemoRecord, question: DemoQuestion) -> None:
    for kind, ids in record["agent_fhir_resources"].items():
        record["agent_fhir_resources"][kind] = ids + ids[:2]


def writes_resources_as_json(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_fhir_resources"] = json.dumps(record["agent_fhir_resources"])


def writes_resources_as_python(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_fhir_resources"] = repr(record["agent_fhir_resources"])


def writes_an_exception(record: DemoRecord, question: DemoQuestion) -> None:
    record["agent_fhir_resources"] = "KeyError('entry') while reading the bundle"


def writes_one_id_without_list(record: DemoRecord, question: DemoQuestion) -> None:
    kind, ids = next(iter(record["agent_fhir_resources"].items()))
    record["agent_fhir_resources"] = {kind: ids[0]}


def gives_no_usage(record: DemoRecord, question: DemoQuestion) -> None:
    record["usage"] = None
