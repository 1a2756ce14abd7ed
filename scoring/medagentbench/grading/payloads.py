"""Rules for the payload of each POST.

Source: MedAgentBench's evaluator (refsol.py).

A rule is a list of checks. A payload of any JSON type fulfils it if everything that the official grader
checks is right.

- If a field is missing or of another type, the payload is wrong.
- Fields that a rule does not name may hold anything.
- Only the first element of `coding`, `dosageInstruction` and `doseAndRate` is read, except for the
  blood pressure.
- `==` compares whole objects.
"""

from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from operator import eq, getitem
from typing import Any, NamedTuple

from wardboard.scoring.medagentbench.grading.references import Reference

NOW = "2023-11-13T10:15:00+00:00"  # the time at which every task takes place

_NDC = "http://hl7.org/fhir/sid/ndc"
_LOINC = "http://loinc.org"
_VITAL_SIGNS = {
    "system": "http://hl7.org/fhir/observation-category",
    "code": "vital-signs",
    "display": "Vital Signs",
}


class Check(NamedTuple):
    """A check of one value of a payload.

    - path: the keys and positions that lead to the value
    - due: a value that is right, as a function of the reference
    - passes: whether a value is right, given that one
    """

    path: tuple[str | int, ...]
    due: Callable[[Reference], Any]
    passes: Callable[[Any, Any], bool] = eq


Rule = tuple[Check, ...]


def holds(rule: Rule, payload: Any, reference: Reference) -> bool:
    """Return whether a payload of any JSON type fulfils a rule."""
    try:
        return all(check.passes(reduce(getitem, check.path, payload), check.due(reference)) for check in rule)
    # A required field is missing, of another type or beyond the range of a double: wrong, as officially.
    except (ArithmeticError, AttributeError, LookupError, TypeError):
        return False


def payload_due(rule: Rule, reference: Reference) -> dict[str, Any]:
    """Return a payload that fulfils a rule, with numbers of one decimal at most."""
    payload: dict[str, Any] = {}
    for path, due, _ in rule:
        parent: Any = payload
        for step, following in pairwise(path):
            # Each list has one element.
            parent = parent[0] if step == 0 else parent.setdefault(step, [{}] if following == 0 else {})
        value = due(reference)
        parent[path[-1]] = round(value, 1) if isinstance(value, float) else value
    return payload


def magnesium_dose(reference: Reference) -> int:
    """Return the grams of magnesium, which are also the hours, for a level in mg/dL, up to 1.9."""
    if reference.value < 1:
        return 4
    return 2 if reference.value < 1.5 else 1


def potassium_dose(reference: Reference) -> float:
    """Return the mEq of potassium for a level in mEq/L, under 3.5."""
    # The order of these operations matters: for 3.0 mEq/L, rounding puts both 49.9 and 50.1 more than
    # 0.1 from the result.
    dose: float = (3.5 - reference.value) / 0.1 * 10
    return dose


def _is(path: str, value: Any, passes: Callable[[Any, Any], bool] = eq) -> Check:
    """Return a check of the value at a path such as "code.coding.0.code", the same for every reference."""
    steps = tuple(int(step) if step.isdigit() else step for step in path.split("."))
    return Check(steps, lambda reference: value, passes)


def _has_vital_signs_alone(value: Any, due: Any) -> bool:
    return len(value) == 1 and len(value[0]["coding"]) == 1 and value[0]["coding"][0] == _VITAL_SIGNS


_SUBJECT = Check(("subject",), lambda reference: {"reference": f"Patient/{reference.mrn}"})


def _medication(ndc: str, *dosage: Check) -> Rule:
    return (
        _is("resourceType", "MedicationRequest"),
        _is("medicationCodeableConcept.coding.0.system", _NDC),
        _is("medicationCodeableConcept.coding.0.code", ndc),
        # Compared with `in`, as the official grader does: any text, list or object that contains it passes.
        _is("authoredOn", NOW, lambda value, due: "2023-11-13T10:15" in value),
        *dosage,
        _is("status", "active"),
        _is("intent", "order"),
        _SUBJECT,
    )


def _service(system: str, code: str, *more: Check) -> Rule:
    return (
        _is("resourceType", "ServiceRequest"),
        _is("code.coding.0.system", system),
        _is("code.coding.0.code", code),
        _is("authoredOn", NOW),
        _is("status", "active"),
        _is("intent", "order"),
        _is("priority", "stat"),
        _SUBJECT,
        *more,
    )


_DOSE = ("dosageInstruction", 0, "doseAndRate", 0, "doseQuantity")
_RATE = (*_DOSE[:-1], "rateQuantity")

BLOOD_PRESSURE: Rule = (
    _is("resourceType", "Observation"),
    _is("category", [{"coding": [_VITAL_SIGNS]}], _has_vital_signs_alone),
    _is("code", {"text": "BP"}),
    _is("effectiveDateTime", NOW),
    _is("status", "final"),
    _is("valueString", "118/77 mmHg"),
    _SUBJECT,
)
MAGNESIUM = _medication(
    "0338-1715-40",
    _is("dosageInstruction.0.route", "IV"),
    Check(_DOSE, lambda reference: {"value": magnesium_dose(reference), "unit": "g"}),
    Check(_RATE, lambda reference: {"value": magnesium_dose(reference), "unit": "h"}),
)
POTASSIUM = _medication(
    "40032-917-01",
    _is("dosageInstruction.0.route", "oral", lambda value, due: value.lower().strip() == due),
    Check((*_DOSE, "value"), potassium_dose, lambda value, due: abs(value - due) <= 0.1),
    _is("dosageInstruction.0.doseAndRate.0.doseQuantity.unit", "mEq"),
)
POTASSIUM_TEST = _service(
    _LOINC,
    "2823-3",
    _is("occurrenceDateTime", "2023-11-14T08:00:00+00:00", lambda value, due: "2023-11-14T08:" in value),
)
HBA1C_TEST = _service(_LOINC, "4548-4")
REFERRAL = _service(
    "http://snomed.info/sct",
    "306181000000106",
    Check(("note", "text"), lambda reference: reference.referral, lambda value, due: due in value),
)
