"""Create as many questions as FHIR-AgentBench has, and submissions that answer them."""

import json
import random
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wardboard.scoring.fhir_agentbench.grading.references import FhirReference

# Source of the sizes: the fractions in table A3 of the paper.
GROUPS = {
    ("Condition",): 35,
    ("Encounter",): 392,
    ("Location",): 7,
    ("Medication", "MedicationRequest"): 498,
    ("Observation",): 1146,
    ("Patient",): 44,
    ("Procedure",): 108,
    (): 701,
}
SIZES = (1, 1, 2, 5, 20, 100)  # gold resources of a type: one for a last value, many for a mean
_DRUGS = ("heparin", "furosemide", "insulin glargine", "metoprolol tartrate", "pantoprazole", "vancomycin")
_LABS = ("creatinine", "potassium", "hemoglobin", "glucose", "platelet count", "sodium")
BULK = 5_000  # additional ids of an agent that retrieves everything that a patient has


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionForm:
    """Hold a form of question, with templates of right and wrong answers."""

    question: str
    true_answer: Callable[[random.Random], str]
    right_answers: tuple[str, ...]
    wrong_answers: tuple[str, ...]


def _date(rng: random.Random) -> str:
    month, day, hour, minute = rng.randint(1, 12), rng.randint(1, 28), rng.randint(0, 23), rng.randint(0, 59)
    return f"21{rng.randint(10, 60)}-{month:02}-{day:02} {hour:02}:{minute:02}:00"


QUESTION_FORMS = (
    QuestionForm(
        question="Has patient {patient} received any {drug} since 2130?",
        true_answer=lambda rng: "1",
        right_answers=("Yes, the patient received {drug}.", "The final answer is: Yes."),
        wrong_answers=(
            "No, there is no record of {drug}.",
            "The final answer is: the patient did not receive {drug}.",
        ),
    ),
    QuestionForm(
        question="How many times was {lab} measured for patient {patient} this year?",
        true_answer=lambda rng: str(rng.randint(2, 60)),
        right_answers=("The {lab} was measured {value} times.", "The final answer is: {value}"),
        wrong_answers=("The final answer is: 71", "It was measured 97 times; 64 of them in the icu."),
    ),
    QuestionForm(
        question="What was the last {lab} value of patient {patient}?",
        true_answer=lambda rng: f"{rng.uniform(2, 200):.1f}",
        right_answers=("The last {lab} value was {value} mg/dL.", "The final answer is: {value}"),
        wrong_answers=("The last {lab} value was 999 mg/dL.", "It is 500 or 501, depending on the source."),
    ),
    QuestionForm(
        question="When was the first time that patient {patient} was given {drug}?",
        true_answer=lambda rng: f"'{_date(rng)}'",
        right_answers=("It was first given on {value}.", "The final answer is: {value}"),
        wrong_answers=(
            "It was first given on 2101-01-01 at 10:00.",
            "The final answer is: 2101-02-03 04:05:00",
        ),
    ),
    QuestionForm(
        question="What is the name of the drug that patient {patient} was prescribed last?",
        true_answer=lambda rng: f"'{rng.choice(_DRUGS)}'",
        right_answers=("The last drug was {value}.", "The final answer is: {value}."),
        wrong_answers=("The last drug was acetaminophen.", "The final answer is: aspirin"),
    ),
)
_NO_RECORDS = ("No such record was found for this patient.", "The final answer is: no answer.")
_UNABLE = ("I was unable to retrieve the requested data.", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchQuestion:
    """Hold a reference with right and wrong answers to its question."""

    reference: FhirReference
    right_answers: tuple[str, ...]
    wrong_answers: tuple[str, ...]


def make_questions(seed: int = 1) -> list[BenchQuestion]:
    """Return 2,931 questions in groups of the benchmark's sizes, always the same for the same seed."""
    rng = random.Random(seed)
    groups = [group for group, size in GROUPS.items() for _ in range(size)]
    rng.shuffle(groups)
    return [_question(rng, group) for group in groups]


def _question(rng: random.Random, group: tuple[str, ...]) -> BenchQuestion:
    form = rng.choice(QUESTION_FORMS)
    values = {
        "patient": str(rng.randint(10**7, 2 * 10**7)),
        "drug": rng.choice(_DRUGS),
        "lab": rng.choice(_LABS),
    }
    true_answer = form.true_answer(rng)
    values["value"] = true_answer.strip("'")
    reference = FhirReference(
        task_id=f"{rng.getrandbits(96):024x}",
        question=form.question.format(**values),
        assumption=rng.choice((None, "Assume the current time is 2160-12-31 23:59:00.")),
        patient_fhir_id=_uuid(rng),
        true_answer=f"[[{true_answer}]]",
        true_ids={name: tuple(_uuid(rng) for _ in range(rng.choice(SIZES))) for name in group},
    )
    wrong_answers = tuple(text.format(**values) for text in form.wrong_answers)
    right_answers = tuple(text.format(**values) for text in form.right_answers) if group else _NO_RECORDS
    return BenchQuestion(reference=reference, right_answers=right_answers, wrong_answers=wrong_answers)


def _uuid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def make_records(
    questions: list[BenchQuestion], *, bulk: int = 0, wrong_ids: int = 6, seed: int = 2
) -> Iterator[dict[str, Any]]:
    """Yield the records of a run.

    - wrong_ids: how many wrong ids of the types asked for are retrieved: sometimes, or always from 100 on.
    - bulk: how many ids are added to each record, of a type that no question asks for, so that the official
      metrics do not change. If it is not 0, records also have traces.
    """
    rng, bulk_rng = random.Random(seed), random.Random(seed + 1)
    # Ids are drawn once: generating 23 million would take longer than everything that is measured.
    pool = [_uuid(bulk_rng) for _ in range(4 * bulk)]
    for number, question in enumerate(questions):
        reference = question.reference
        draw = rng.random()
        answer = rng.choice(
            question.right_answers
            if draw < 0.5
            else question.wrong_answers
            if draw < 0.93
            else _UNABLE + _NO_RECORDS
        )
        retrieved = {
            kind: [id_ for id_ in ids if rng.random() < 0.9]
            + [
                _uuid(rng)
                for _ in range(rng.choice((0, 0, 1, wrong_ids) if wrong_ids < 100 else (wrong_ids,)))
            ]
            for kind, ids in (reference.true_ids or {}).items()
        }
        for ids in retrieved.values():
            rng.shuffle(ids)
        record = {
            "question_id": reference.task_id,
            "question": reference.question,
            "true_answer": reference.true_answer,
            "assumption": reference.assumption or float("nan"),
            "question_with_context": f"{reference.question} {reference.assumption or ''} " * 12,
            "patient_fhir_id": reference.patient_fhir_id,
            "agent_answer": answer or None,
            "agent_fhir_resources": retrieved,
            "trace": [],
            "error": None,
            "usage": {
                "prompt_tokens": 2000 + number,
                "completion_tokens": 300,
                "total_tokens": 2300 + number,
                "cost": 0.004,
            },
        }
        if bulk:
            start = bulk_rng.randrange(3 * bulk)
            record["agent_fhir_resources"] = {"ServiceRequest": pool[start : start + bulk], **retrieved}
            record["trace"] = [{"role": "assistant", "content": "Let me look at the resources. " * 60}] * 6
        yield record


def write_submission(path: Path, records: Iterator[dict[str, Any]]) -> int:
    """Write a JSON array with the runner's indentation; return its size in bytes."""
    with open(path, "w", encoding="utf-8") as file:
        for number, record in enumerate(records):
            file.write("[\n" if number == 0 else ",\n")
            file.write(json.dumps(record, indent=2))
        file.write("\n]\n")
    return path.stat().st_size
