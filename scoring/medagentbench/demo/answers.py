"""Right answers to the tasks of the demonstration, worked out from how its patients were made.

Written apart from the graders on purpose: the two are checked against each other.
"""

import json
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from scoring.medagentbench.demo.patients import BASE, NOW, Patient, patient
from scoring.medagentbench.demo.tasks import REFERRAL

_NOW = NOW.isoformat()


@dataclass(slots=True, kw_only=True)
class DemoPost:
    """A request to create `payload`, and whether the server took it."""

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
    """What an agent made of one task: its answer (JSON as text, None for none) and its POSTs."""

    answer: str | None
    posts: list[DemoPost] = field(default_factory=list)


def solve(task: dict[str, Any]) -> Attempt:
    """Return the right answer to `task`, an entry of `make_tasks` on any MRN."""
    kind = task["id"].partition("_")[0]
    if kind == "task1":
        return Attempt(answer=json.dumps(task["sol"]))
    who = patient(task["eval_MRN"])
    return _SOLVERS[kind](who)


def _age(who: Patient) -> Attempt:
    born, today = date.fromisoformat(who.birth_date), NOW.date()
    before_birthday = (today.month, today.day) < (born.month, born.day)
    return Attempt(answer=json.dumps([today.year - born.year - before_birthday]))


def _blood_pressure(who: Patient) -> Attempt:
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
        "subject": {"reference": f"Patient/{who.mrn}"},
    }
    return Attempt(answer="[]", posts=[DemoPost(payload=payload)])


def _last_recent_magnesium(who: Patient) -> float | None:
    recent = who.recent("MG")
    return max(recent, key=lambda m: m.time).value if recent else None


def _magnesium(who: Patient) -> Attempt:
    value = _last_recent_magnesium(who)
    return Attempt(answer=json.dumps([-1 if value is None else value]))


def _magnesium_order(who: Patient) -> Attempt:
    value = _last_recent_magnesium(who)
    if value is None:
        return Attempt(answer="[]")
    answer = json.dumps([value])
    if value > 1.9:
        return Attempt(answer=answer)
    grams = 4 if value < 1 else 2 if value < 1.5 else 1
    return Attempt(answer=answer, posts=[magnesium_post(who, grams)])


def magnesium_post(who: Patient, grams: int) -> DemoPost:
    dose = {"doseQuantity": {"value": grams, "unit": "g"}, "rateQuantity": {"value": grams, "unit": "h"}}
    return DemoPost(payload=_medication(who, "0338-1715-40", "IV", dose))


def _mean_glucose(who: Patient) -> Attempt:
    values = [m.value for m in who.recent("GLU")]
    return Attempt(answer=json.dumps([sum(values) / len(values) if values else -1]))


def _last_glucose(who: Patient) -> Attempt:
    last = who.last("GLU")
    return Attempt(answer=json.dumps([last.value if last else -1]))


def _referral(who: Patient) -> Attempt:
    order = _service(who, "http://snomed.info/sct", "306181000000106")
    return Attempt(answer="[]", posts=[DemoPost(payload=order | {"note": {"text": REFERRAL}})])


def _potassium(who: Patient) -> Attempt:
    last = who.last("K")
    answer = json.dumps([last.value if last else -1])
    if last is None or last.value >= 3.5:
        return Attempt(answer=answer)
    return Attempt(answer=answer, posts=potassium_posts(who, round((3.5 - last.value) * 100)))


def potassium_posts(who: Patient, milliequivalents: int) -> list[DemoPost]:
    dose = {"doseQuantity": {"value": milliequivalents, "unit": "mEq"}}
    check = _service(who, "http://loinc.org", "2823-3") | {"occurrenceDateTime": "2023-11-14T08:00:00+00:00"}
    return [DemoPost(payload=_medication(who, "40032-917-01", "oral", dose)), DemoPost(payload=check)]


def _a1c(who: Patient) -> Attempt:
    last = who.last("A1C")
    answer = json.dumps([last.value, last.time.isoformat()] if last else [-1])
    if last and last.time >= NOW.replace(year=NOW.year - 1):
        return Attempt(answer=answer)
    return Attempt(answer=answer, posts=[DemoPost(payload=_service(who, "http://loinc.org", "4548-4"))])


def _medication(who: Patient, ndc: str, route: str, dose: dict[str, Any]) -> dict[str, Any]:
    return {
        "resourceType": "MedicationRequest",
        "medicationCodeableConcept": {"coding": [{"system": "http://hl7.org/fhir/sid/ndc", "code": ndc}]},
        "authoredOn": _NOW,
        "dosageInstruction": [{"route": route, "doseAndRate": [dose]}],
        "status": "active",
        "intent": "order",
        "subject": {"reference": f"Patient/{who.mrn}"},
    }


def _service(who: Patient, system: str, code: str) -> dict[str, Any]:
    return {
        "resourceType": "ServiceRequest",
        "code": {"coding": [{"system": system, "code": code}]},
        "authoredOn": _NOW,
        "status": "active",
        "intent": "order",
        "priority": "stat",
        "subject": {"reference": f"Patient/{who.mrn}"},
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
