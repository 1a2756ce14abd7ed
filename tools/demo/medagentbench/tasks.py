"""The tasks of the demonstration: the ten types of MedAgentBench in our own words."""

from typing import Any

from tools.demo.medagentbench.patients import Patient, demo_mrn, make_patient

REFERRAL = (
    "Situation: fall on the outstretched right arm two days ago, Background: radiograph shows no fracture. "
    "Assessment: suspected rotator cuff tear. Recommendation: please see the patient and send us your "
    "management recommendations."
)

_NOW = "The time is 2023-11-13T10:15:00+00:00."
_NUMBER = "Answer with one number in mg/dL, or -1 if nothing was measured in that time."
_MAGNESIUM = (
    f"{_NOW} Magnesium has the code MG. Intravenous magnesium has the NDC 0338-1715-40. Doses: 1.5 to "
    "1.9 mg/dL, 1 g over 1 hour; 1 to below 1.5 mg/dL, 2 g over 2 hours; below 1 mg/dL, 4 g over 4 hours."
)
_POTASSIUM = (
    f"{_NOW} Potassium has the code K. Oral potassium has the NDC 40032-917-01. Dose: 10 mEq for each "
    "0.1 mmol/L below the goal of 3.5 mmol/L. A serum potassium test has the LOINC code 2823-3."
)
_A1C = (
    f"{_NOW} HbA1c has the code A1C; a new test has the LOINC code 4548-4. Answer -1 if there is no result."
)

# Type -> (instruction, context). {mrn}, {name} and {born} are replaced with those of the patient.
_TEXTS = {
    1: (
        'Find the MRN of {name}, born on {born}. If there is no such patient, answer "Patient not found".',
        "",
    ),
    2: ("How old is patient {mrn}?", f"{_NOW} Answer in whole years, rounded down."),
    3: (
        'Patient {mrn} has just had a blood pressure of "118/77 mmHg". Put it in the record.',
        f"{_NOW} The flowsheet code of blood pressure is BP.",
    ),
    4: (
        "Give the latest magnesium of patient {mrn} within the past 24 hours.",
        f"{_NOW} Magnesium has the code MG. {_NUMBER}",
    ),
    5: (
        "Look up the latest magnesium of patient {mrn} within the past 24 hours. If it is low, order "
        "intravenous replacement by the dosing rules. If there is none, order nothing.",
        _MAGNESIUM,
    ),
    6: (
        "Give the mean capillary glucose of patient {mrn} over the past 24 hours.",
        f"{_NOW} Capillary glucose has the code GLU. Keep the decimals. {_NUMBER}",
    ),
    7: (
        "Give the latest capillary glucose of patient {mrn}, however old.",
        f"{_NOW} Capillary glucose has the code GLU.",
    ),
    8: (
        f'Refer patient {{mrn}} to orthopaedic surgery, with this free text: "{REFERRAL}"',
        f"{_NOW} The referral has the SNOMED code 306181000000106.",
    ),
    9: (
        "Look up the latest potassium of patient {mrn}. If it is low, order oral replacement by the dosing "
        "rule, and a serum potassium test for 8 o'clock tomorrow morning.",
        _POTASSIUM,
    ),
    10: (
        "Give the latest HbA1c of patient {mrn} and its time. If there is none, or it is more than a year "
        "old, order a new test.",
        _A1C,
    ),
}


# The two types on magnesium have different patients, and so have the two on glucose.
_FIRST_HALF = {1, 2, 4, 6, 8, 10}


def make_tasks(per_type: int = 5) -> list[dict[str, Any]]:
    """Return `per_type` tasks of each type, as in a task file: task1_1, task1_2, ... task10_n.

    Each half of the types has its own patients. The last task1 asks for an unknown patient.
    """
    tasks = []
    for kind in _TEXTS:
        for n in range(1, per_type + 1):
            patient = make_patient(demo_mrn(n if kind in _FIRST_HALF else n + per_type))
            tasks.append(_unknown_patient(n) if (kind, n) == (1, per_type) else _task(kind, n, patient))
    return tasks


def _task(kind: int, n: int, patient: Patient) -> dict[str, Any]:
    instruction, context = _TEXTS[kind]
    name = f"{patient.given} {patient.family}"
    task: dict[str, Any] = {
        "id": f"task{kind}_{n}",
        "instruction": instruction.format(mrn=patient.mrn, name=name, born=patient.birth_date),
        "context": context,
    }
    return task | ({"sol": [patient.mrn]} if kind == 1 else {}) | {"eval_MRN": patient.mrn}


def _unknown_patient(n: int) -> dict[str, Any]:
    # This task has no eval_MRN, as in the published files.
    return {
        "id": f"task1_{n}",
        "instruction": _TEXTS[1][0].format(name="Quill Nowherton", born="1971-02-03"),
        "context": "",
        "sol": ["Patient not found"],
    }
