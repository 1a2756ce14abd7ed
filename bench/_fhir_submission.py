"""Invented questions of the size of FHIR-AgentBench, and submissions that answer them."""

import json
import random
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scoring.fhir_agentbench.grading.references import FhirReference

# Source: sizes derived from the fractions that the paper's table A3 prints.
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
SIZES = (1, 1, 2, 5, 20, 100)  # true resources of a type: a last value has one, a mean over a stay many
_DRUGS = ("heparin", "furosemide", "insulin glargine", "metoprolol tartrate", "pantoprazole", "vancomycin")
_LABS = ("creatinine", "potassium", "hemoglobin", "glucose", "platelet count", "sodium")
BULK = 5_000  # ids beside those asked for, of an agent that takes whatever a patient has


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of question. right, wrong: sentences that answer it, given the true value."""

    question: str
    truth: Callable[[random.Random], str]
    right: tuple[str, ...]
    wrong: tuple[str, ...]


def _date(rng: random.Random) -> str:
    month, day, hour, minute = rng.randint(1, 12), rng.randint(1, 28), rng.randint(0, 23), rng.randint(0, 59)
    return f"21{rng.randint(10, 60)}-{month:02}-{day:02} {hour:02}:{minute:02}:00"


KINDS = (
    Kind(
        question="Has patient {patient} received any {drug} since 2130?",
        truth=lambda rng: "1",
        right=("Yes, the patient received {drug}.", "The final answer is: Yes."),
        wrong=(
            "No, there is no record of {drug}.",
            "The final answer is: the patient did not receive {drug}.",
        ),
    ),
    Kind(
        question="How many times was {lab} measured for patient {patient} this year?",
        truth=lambda rng: str(rng.randint(2, 60)),
        right=("The {lab} was measured {value} times.", "The final answer is: {value}"),
        wrong=("The final answer is: 71", "It was measured 97 times; 64 of them in the icu."),
    ),
    Kind(
        question="What was the last {lab} value of patient {patient}?",
        truth=lambda rng: f"{rng.uniform(2, 200):.1f}",
        right=("The last {lab} value was {value} mg/dL.", "The final answer is: {value}"),
        wrong=("The last {lab} value was 999 mg/dL.", "It is 500 or 501, depending on the source."),
    ),
    Kind(
        question="When was the first time that patient {patient} was given {drug}?",
        truth=lambda rng: f"'{_date(rng)}'",
        right=("It was first given on {value}.", "The final answer is: {value}"),
        wrong=("It was first given on 2101-01-01 at 10:00.", "The final answer is: 2101-02-03 04:05:00"),
    ),
    Kind(
        question="What is the name of the drug that patient {patient} was prescribed last?",
        truth=lambda rng: f"'{rng.choice(_DRUGS)}'",
        right=("The last drug was {value}.", "The final answer is: {value}."),
        wrong=("The last drug was acetaminophen.", "The final answer is: aspirin"),
    ),
)
_NOTHING = ("No such record was found for this patient.", "The final answer is: no answer.")
_UNABLE = ("I was unable to retrieve the requested data.", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A reference, with sentences that answer it rightly and wrongly."""

    reference: FhirReference
    right: tuple[str, ...]
    wrong: tuple[str, ...]


def make_questions(seed: int = 1) -> list[Question]:
    """Return 2,931 questions in groups of the benchmark's sizes, the same for the same seed."""
    rng = random.Random(seed)
    groups = [group for group, size in GROUPS.items() for _ in range(size)]
    rng.shuffle(groups)
    return [_question(rng, group) for group in groups]


def _question(rng: random.Random, group: tuple[str, ...]) -> Question:
    kind = rng.choice(KINDS)
    said = {
        "patient": str(rng.randint(10**7, 2 * 10**7)),
        "drug": rng.choice(_DRUGS),
        "lab": rng.choice(_LABS),
    }
    truth = kind.truth(rng)
    said["value"] = truth.strip("'")
    reference = FhirReference(
        task_id=f"{rng.getrandbits(96):024x}",
        question=kind.question.format(**said),
        assumption=rng.choice((None, "Assume the current time is 2160-12-31 23:59:00.")),
        patient_fhir_id=_uuid(rng),
        true_answer=f"[[{truth}]]",
        true_ids={name: tuple(_uuid(rng) for _ in range(rng.choice(SIZES))) for name in group},
    )
    wrong = tuple(text.format(**said) for text in kind.wrong)
    right = tuple(text.format(**said) for text in kind.right) if group else _NOTHING
    return Question(reference=reference, right=right, wrong=wrong)


def _uuid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def make_records(
    questions: list[Question], *, bulk: int = 0, wrong_ids: int = 6, seed: int = 2
) -> Iterator[dict[str, Any]]:
    """Yield the records of a run. wrong_ids: how many are retrieved at times, or where there are more than
    a few always, of the types asked for. bulk: ids added to each of a type that no question asks for, so
    that the official figures stay what they are; with them come traces."""
    rng, extra = random.Random(seed), random.Random(seed + 1)
    # Ids are drawn once: making 23 million of them would take longer than all that is measured.
    pool = [_uuid(extra) for _ in range(4 * bulk)]
    for number, question in enumerate(questions):
        reference = question.reference
        chance = rng.random()
        answer = rng.choice(
            question.right if chance < 0.5 else question.wrong if chance < 0.93 else _UNABLE + _NOTHING
        )
        found = {
            kind: [one for one in ids if rng.random() < 0.9]
            + [
                _uuid(rng)
                for _ in range(rng.choice((0, 0, 1, wrong_ids) if wrong_ids < 100 else (wrong_ids,)))
            ]
            for kind, ids in (reference.true_ids or {}).items()
        }
        for ids in found.values():
            rng.shuffle(ids)
        record = {
            "question_id": reference.task_id,
            "question": reference.question,
            "true_answer": reference.true_answer,
            "assumption": reference.assumption or float("nan"),
            "question_with_context": f"{reference.question} {reference.assumption or ''} " * 12,
            "patient_fhir_id": reference.patient_fhir_id,
            "agent_answer": answer or None,
            "agent_fhir_resources": found,
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
            start = extra.randrange(3 * bulk)
            record["agent_fhir_resources"] = {"ServiceRequest": pool[start : start + bulk], **found}
            record["trace"] = [{"role": "assistant", "content": "Let me look at the resources. " * 60}] * 6
        yield record


def write_submission(path: Path, records: Iterator[dict[str, Any]]) -> int:
    """Write the runner's JSON array, indented as it writes it; return its size in bytes."""
    with open(path, "w", encoding="utf-8") as file:
        for number, record in enumerate(records):
            file.write("[\n" if number == 0 else ",\n")
            file.write(json.dumps(record, indent=2))
        file.write("\n]\n")
    return path.stat().st_size
