"""The questions of the demonstration."""

import hashlib
import uuid
from dataclasses import dataclass
from random import Random

PATIENTS = range(9_100_001, 9_100_001 + 60 * 37, 37)  # the number of each question's patient
_NAMESPACE = uuid.UUID("6f0d6f0e-51a5-4a5e-9b7e-2f7f8a1c9d10")


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoQuestion:
    """An invented question.

    - template: as in the benchmark's CSV.
    - wording: the question, with `{p}` for the patient's number.
    - true_answer: the reference answer, printed as in the benchmark's CSV.
    - right_answer, wrong_answer: two answers of agents.
    - types: the types of the gold resources.
    - resources: how many gold resources of each type there are.
    - assumption: None for nothing.
    - patient: the patient's number.
    """

    template: str
    wording: str
    true_answer: str
    right_answer: str
    wrong_answer: str
    types: tuple[str, ...] = ()
    resources: int = 1
    assumption: str | None = None
    patient: int = 0

    @property
    def text(self) -> str:
        return self.wording.format(p=self.patient)

    @property
    def question_id(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()[:24]

    @property
    def patient_fhir_id(self) -> str:
        return _fhir_id(self.patient)

    @property
    def true_ids(self) -> dict[str, list[str]]:
        if self.types == ("Patient",):
            return {"Patient": [self.patient_fhir_id]}
        return {kind: invented_ids(f"{self.question_id} {kind}", self.resources) for kind in self.types}


def more_ids(kind: str, seed: str, number: int, question: DemoQuestion) -> list[str]:
    """Return `number` ids of a type that are not gold: of Patient, other patients of the demonstration."""
    if kind != "Patient":
        return invented_ids(seed, number)
    others = [_fhir_id(patient) for patient in PATIENTS if patient != question.patient]
    return Random(seed).sample(others, number)  # noqa: S311 - nothing secret


def _fhir_id(patient: int) -> str:
    return str(uuid.uuid5(_NAMESPACE, str(patient)))


def invented_ids(seed: str, number: int) -> list[str]:
    """Return `number` ids like those of a FHIR server, always the same for the same `seed`."""
    rng = Random(seed)  # noqa: S311 - nothing secret
    return [str(uuid.UUID(int=rng.getrandbits(128), version=4)) for _ in range(number)]
