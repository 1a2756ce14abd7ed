"""What an invented question is."""

import hashlib
import uuid
from dataclasses import dataclass
from random import Random

_NAMESPACE = uuid.UUID("6f0d6f0e-51a5-4a5e-9b7e-2f7f8a1c9d10")


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoQuestion:
    """text: with `{p}` for the number of the patient. truth: as the benchmark's CSV prints an answer.

    types: of the true resources; resources: how many there are of each. right, wrong: what an agent says.
    """

    template: str
    text: str
    truth: str
    right: str
    wrong: str
    types: tuple[str, ...] = ()
    resources: int = 1
    assumption: str | None = None
    patient: int = 0

    @property
    def asked(self) -> str:
        return self.text.format(p=self.patient)

    @property
    def question_id(self) -> str:
        return hashlib.sha256(self.asked.encode()).hexdigest()[:24]

    @property
    def patient_fhir_id(self) -> str:
        return str(uuid.uuid5(_NAMESPACE, str(self.patient)))

    @property
    def true_ids(self) -> dict[str, list[str]]:
        if self.types == ("Patient",):
            return {"Patient": [self.patient_fhir_id]}
        return {kind: invented_ids(f"{self.question_id} {kind}", self.resources) for kind in self.types}


def invented_ids(seed: str, number: int) -> list[str]:
    """Return `number` ids that look like those of a FHIR server, the same for the same `seed`."""
    rng = Random(seed)  # noqa: S311 - nothing secret
    return [str(uuid.UUID(int=rng.getrandbits(128), version=4)) for _ in range(number)]
