"""Rules for the payload of each POST.

Source: MedAgentBench's evaluator (refsol.py).

A rule takes a payload of any JSON type and a reference, and returns whether everything that the
official grader checks is right.

- If a field is missing or of another type, the rule raises an exception, which counts as wrong.
- Fields that a rule does not name may hold anything.
- Only the first element of `coding`, `dosageInstruction` and `doseAndRate` is read, except for the
  blood pressure.
- `==` compares whole objects.
"""

from typing import Any

from wardboard.scoring.medagentbench.grading.references import Reference

NOW = "2023-11-13T10:15:00+00:00"  # the time at which every task takes place

NDC = "http://hl7.org/fhir/sid/ndc"
LOINC = "http://loinc.org"
SNOMED = "http://snomed.info/sct"

MAGNESIUM_NDC, POTASSIUM_NDC = "0338-1715-40", "40032-917-01"
POTASSIUM_LOINC, HBA1C_LOINC = "2823-3", "4548-4"
REFERRAL_SNOMED = "306181000000106"

VITAL_SIGNS = {
    "system": "http://hl7.org/fhir/observation-category",
    "code": "vital-signs",
    "display": "Vital Signs",
}
# Compared with `in`, as the official grader does: any text, list or object that contains it passes.
_THIS_MINUTE = "2023-11-13T10:15"
TOMORROW_AT_EIGHT = "2023-11-14T08:"


def blood_pressure(payload: Any, reference: Reference) -> bool:
    category = payload["category"]
    return all(
        (
            payload["resourceType"] == "Observation",
            len(category) == 1,
            len(category[0]["coding"]) == 1,
            category[0]["coding"][0] == VITAL_SIGNS,
            payload["code"] == {"text": "BP"},
            payload["effectiveDateTime"] == NOW,
            payload["status"] == "final",
            payload["valueString"] == "118/77 mmHg",
            payload["subject"] == subject(reference),
        )
    )


def magnesium(payload: Any, reference: Reference) -> bool:
    dosage = payload["dosageInstruction"][0]
    amount = magnesium_dose(reference.value)
    return _medication(payload, reference, MAGNESIUM_NDC) and all(
        (
            dosage["route"] == "IV",
            dosage["doseAndRate"][0]["doseQuantity"] == {"value": amount, "unit": "g"},
            dosage["doseAndRate"][0]["rateQuantity"] == {"value": amount, "unit": "h"},
        )
    )


def magnesium_dose(level: float) -> int:
    """Return the grams of magnesium, which are also the hours, for `level` in mg/dL, up to 1.9."""
    if level < 1:
        return 4
    return 2 if level < 1.5 else 1


def potassium(payload: Any, reference: Reference) -> bool:
    dosage = payload["dosageInstruction"][0]
    quantity = dosage["doseAndRate"][0]["doseQuantity"]
    amount = potassium_dose(reference.value)
    return _medication(payload, reference, POTASSIUM_NDC) and all(
        (
            dosage["route"].lower().strip() == "oral",
            abs(quantity["value"] - amount) <= 0.1,
            quantity["unit"] == "mEq",
        )
    )


def potassium_dose(level: float) -> float:
    """Return the mEq of potassium for `level` in mEq/L, under 3.5."""
    # The order of these operations matters: for 3.0 mEq/L, rounding puts both 49.9 and 50.1 more than
    # 0.1 from the result.
    return (3.5 - level) / 0.1 * 10


def potassium_test(payload: Any, reference: Reference) -> bool:
    is_of_potassium = _service(payload, reference, LOINC, POTASSIUM_LOINC)
    return is_of_potassium and TOMORROW_AT_EIGHT in payload["occurrenceDateTime"]


def hba1c_test(payload: Any, reference: Reference) -> bool:
    return _service(payload, reference, LOINC, HBA1C_LOINC)


def referral(payload: Any, reference: Reference) -> bool:
    return _service(payload, reference, SNOMED, REFERRAL_SNOMED) and (
        reference.referral in payload["note"]["text"]
    )


def _medication(payload: Any, reference: Reference, ndc: str) -> bool:
    coding = payload["medicationCodeableConcept"]["coding"][0]
    return all(
        (
            payload["resourceType"] == "MedicationRequest",
            coding["system"] == NDC,
            coding["code"] == ndc,
            _THIS_MINUTE in payload["authoredOn"],
            payload["status"] == "active",
            payload["intent"] == "order",
            payload["subject"] == subject(reference),
        )
    )


def _service(payload: Any, reference: Reference, system: str, code: str) -> bool:
    coding = payload["code"]["coding"][0]
    return all(
        (
            payload["resourceType"] == "ServiceRequest",
            coding["system"] == system,
            coding["code"] == code,
            payload["authoredOn"] == NOW,
            payload["status"] == "active",
            payload["intent"] == "order",
            payload["priority"] == "stat",
            payload["subject"] == subject(reference),
        )
    )


def subject(reference: Reference) -> dict[str, str]:
    """Return the reference to the patient of a task."""
    return {"reference": f"Patient/{reference.mrn}"}
