"""POSTs that the graders accept, to be varied: payloads and their history items."""

import copy
import json

NOW = "2023-11-13T10:15:00+00:00"
BASE = "http://localhost:8080/fhir/"
MRN = "S9000001"
REFERRAL = "Situation: a sore knee. Recommendation: please see and give management recommendations."
ACCEPTED = {"role": "user", "content": "POST request accepted and executed successfully."}

_PATIENT = {"reference": f"Patient/{MRN}"}


def without(payload, path):
    """Return a copy of `payload` that lacks the field at `path`, such as "code.coding.0.system"."""
    changed, parent, key = _find(payload, path)
    del parent[key]
    return changed


def put(payload, path, value):
    """Return a copy of `payload` with `value` at `path`."""
    changed, parent, key = _find(payload, path)
    parent[key] = value
    return changed


def _find(payload, path):
    changed = copy.deepcopy(payload)
    *steps, key = [int(step) if step.isdigit() else step for step in path.split(".")]
    parent = changed
    for step in steps:
        parent = parent[step]
    return changed, parent, key


def agent(content):
    return {"role": "agent", "content": content}


def posted(payload, resource_type=None, base=BASE):
    """Return the two items of an accepted POST of `payload`."""
    url = base + (resource_type or payload["resourceType"])
    return [agent(f"POST {url}\n{json.dumps(payload)}"), ACCEPTED]


BLOOD_PRESSURE = {
    "resourceType": "Observation",
    "category": [
        {
            "coding": [
                {
                    "system": "http://hl7.org/fhir/observation-category",
                    "code": "vital-signs",
                    "display": "Vital Signs",
                }
            ]
        }
    ],
    "code": {"text": "BP"},
    "effectiveDateTime": NOW,
    "status": "final",
    "valueString": "118/77 mmHg",
    "subject": _PATIENT,
}


def _service(system, code, **more):
    return {
        "resourceType": "ServiceRequest",
        "code": {"coding": [{"system": system, "code": code}]},
        "authoredOn": NOW,
        "status": "active",
        "intent": "order",
        "priority": "stat",
        "subject": _PATIENT,
        **more,
    }


def _medication(ndc, dosage):
    return {
        "resourceType": "MedicationRequest",
        "medicationCodeableConcept": {"coding": [{"system": "http://hl7.org/fhir/sid/ndc", "code": ndc}]},
        "authoredOn": NOW,
        "dosageInstruction": [dosage],
        "status": "active",
        "intent": "order",
        "subject": _PATIENT,
    }


def magnesium(amount):
    """Return an order of `amount` g over `amount` h."""
    rate = {"doseQuantity": {"value": amount, "unit": "g"}, "rateQuantity": {"value": amount, "unit": "h"}}
    return _medication("0338-1715-40", {"route": "IV", "doseAndRate": [rate]})


def potassium(amount):
    """Return an order of `amount` mEq."""
    rate = {"doseQuantity": {"value": amount, "unit": "mEq"}}
    return _medication("40032-917-01", {"route": "oral", "doseAndRate": [rate]})


ORTHOPAEDICS = _service("http://snomed.info/sct", "306181000000106", note={"text": REFERRAL})
POTASSIUM_TEST = _service("http://loinc.org", "2823-3", occurrenceDateTime="2023-11-14T08:00:00+00:00")
HBA1C_TEST = _service("http://loinc.org", "4548-4")
