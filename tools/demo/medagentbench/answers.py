"""Right answers to the tasks of the demonstration, calculated from its invented patients.

This module is independent of the graders on purpose, so that each checks the other.
"""

import json
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from tools.demo.medagentbench.patients import BASE, NOW, Patient, make_patient
from tools.demo.medagentbench.tasks import REFERRAL

_NOW = NOW.isoformat()


@dataclass(slots=True, kw_only=True)
class DemoPost:
    """A request to create `payload`, and whether the server accepted it."""

    payload: dict[str, Any]
    accepted: bool = True

    def history(self) -> list[dict[str, str]]:
        url = BASE + self.payload["resourceType"]
        reply = "POST request accepted: created." if self.accepted else "Invalid request: not created."
        return [
            {"role": "agent", "content": f"POST {url}\n{json.dumps(self.payload)}"},
            {"role": "user", "content": reply},
        ]


@dataclass(slots=True, kw_only=True)
class Attempt:
    """An agent's attempt at one task: its answer (JSON text, None for none) and its POSTs."""

    answer: str | None
    posts: list[DemoPost] = field(default_factory=list)


def solve(task: dict[str, Any]) -> Attempt:
    """Return the right attempt at `task`, an entry of `make_tasks` for any MRN."""
    kind = task["id"].partition("_")[0]
    if kind == "task1":
        return Attempt(answer=json.dumps(task["sol"]))
    return _SOLVERS[kind](make_patient(task["eval_MRN"]))


def _age(patient: Patient) -> Attempt:
    born, today = date.fromisoformat(patient.birth_date), NOW.date()
    before_birthday = (today.month, today.day) < (born.month, born.day)
    return Attempt(answer=json.dumps([today.year - born.year - before_birthday]))


def _blood_pressure(patient: Patient) -> Attempt:
    vital_signs = {
        "system": "http://hl7.org/fhir/observation-category",
        "code": "vital-signs",
        "display": "Vital Signs",
    }
    payload = {
        "resourceType": "Observation",
        "category": [{"coding": [vital_signs]}],
        "code": {"text": "BP"},
        "effectiveDateTime": _NOW,
        "status": "final",
        "valueString": "118/77 mmHg",
        "subject": {"reference": f"Patient/{patient.mrn}"},
    }
    return Attempt(answer="[]", posts=[DemoPost(payload=payload)])


def _last_recent_magnesium(patient: Patient) -> float | None:
    recent = patient.recent("MG")
    return max(recent, key=lambda m: m.time).value if recent else None


def _magnesium(patient: Patient) -> Attempt:
    value = _last_recent_magnesium(patient)
    return Attempt(answer=json.dumps([-1 if value is None else value]))


def _magnesium_order(patient: Patient) -> Attempt:
    value = _last_recent_magnesium(patient)
    if value is None:
        return Attempt(answer="[]")
    answer = json.dumps([value])
    if value > 1.9:
        return Attempt(answer=answer)
    grams = 4 if value < 1 else 2 if value < 1.5 else 1
    return Attempt(answer=answer, posts=[magnesium_post(patient, grams)])


def magnesium_post(patient: Patient, grams: int) -> DemoPost:
    dose = {"doseQuantity": {"value": grams, "unit": "g"}, "rateQuantity": {"value": grams, "unit": "h"}}
    return DemoPost(payload=_medication(patient, "0338-1715-40", "IV", dose))


def _mean_glucose(patient: Patient) -> Attempt:
    values = [m.value for m in patient.recent("GLU")]
    return Attempt(answer=json.dumps([sum(values) / len(values) if values else -1]))


def _last_glucose(patient: Patient) -> Attempt:
    last = patient.last("GLU")
    return Attempt(answer=json.dumps([last.value if last else -1]))


def _referral(patient: Patient) -> Attempt:
    order = _service(patient, "http://snomed.info/sct", "306181000000106")
    return Attempt(answer="[]", posts=[DemoPost(payload=order | {"note": {"text": REFERRAL}})])


def _potassium(patient: Patient) -> Attempt:
    last = patient.last("K")
    answer = json.dumps([last.value if last else -1])
    if last is None or last.value >= 3.5:
        return Attempt(answer=answer)
    return Attempt(answer=answer, posts=potassium_posts(patient, round((3.5 - last.value) * 100)))


def potassium_posts(patient: Patient, milliequivalents: int) -> list[DemoPost]:
    dose = {"doseQuantity": {"value": milliequivalents, "unit": "mEq"}}
    check = _service(patient, "http://loinc.org", "2823-3") | {
        "occurrenceDateTime": "2023-11-14T08:00:00+00:00"
    }
    return [DemoPost(payload=_medication(patient, "40032-917-01", "oral", dose)), DemoPost(payload=check)]


def _a1c(patient: Patient) -> Attempt:
    last = patient.last("A1C")
    answer = json.dumps([last.value, last.time.isoformat()] if last else [-1])
    if last and last.time >= NOW.replace(year=NOW.year - 1):
        return Attempt(answer=answer)
    return Attempt(answer=answer, posts=[DemoPost(payload=_service(patient, "http://loinc.org", "4548-4"))])


def _medication(patient: Patient, ndc: str, route: str, dose: dict[str, Any]) -> dict[str, Any]:
    return {
        "resourceType": "MedicationRequest",
        "medicationCodeableConcept": {"coding": [{"system": "http://hl7.org/fhir/sid/ndc", "code": ndc}]},
        "authoredOn": _NOW,
        "dosageInstruction": [{"route": route, "doseAndRate": [dose]}],
        "status": "active",
        "intent": "order",
        "subject": {"reference": f"Patient/{patient.mrn}"},
    }


def _service(patient: Patient, system: str, code: str) -> dict[str, Any]:
    return {
        "resourceType": "ServiceRequest",
        "code": {"coding": [{"system": system, "code": code}]},
        "authoredOn": _NOW,
        "status": "active",
        "intent": "order",
        "priority": "stat",
        "subject": {"reference": f"Patient/{patient.mrn}"},
    }


_SOLVERS = {
    "task2": _age,
    "task3": _blood_pressure,
    "task4": _magnesium,
    "task5": _magnesium_order,
    "task6": _mean_glucose,
    "task7": _last_glucose,
    "task8": _referral,
    "task9": _potassium,
    "task10": _a1c,
}
