"""Sixty invented questions, each with its reference answer, a right answer and a wrong one."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from scoring.fhir_agentbench.demo.demo_question import PATIENTS, DemoQuestion

_TODAY = "Assume the current time is 2053-12-31 23:59:00."


def make_questions() -> list[DemoQuestion]:
    """Return the questions in a fixed order.

    5 on Condition, 9 Encounter, 3 Location, 9 Medication, 14 Observation, 4 Patient, 5 Procedure, and 11
    without gold resources.
    """
    questions = chain(
        _conditions(),
        _encounters(),
        _locations(),
        _drugs(),
        _observations(),
        _patients(),
        _procedures(),
        _without_answer(),
    )
    return [replace(question, patient=patient) for question, patient in zip(questions, PATIENTS, strict=True)]


def _conditions() -> Iterator[DemoQuestion]:
    kind = ("Condition",)
    for name in ("essential hypertension", "type 2 diabetes mellitus"):
        yield DemoQuestion(
            template="Has patient {patient} been diagnosed with {condition}?",
            wording=f"Has patient {{p}} been diagnosed with {name}?",
            true_answer="[[1]]",
            right_answer=f"Yes, the patient has been diagnosed with {name}.",
            wrong_answer=f"No, the patient has not been diagnosed with {name}.",
            types=kind,
        )
    for name, time, day, wrong in (
        ("asthma", "2051-03-05 14:20:00", "March 5, 2051", "July 19, 2052"),
        ("iron deficiency anemia", "2052-11-23 09:41:00", "2052-11-23", "2052-10-23"),
    ):
        yield DemoQuestion(
            template="When was patient {patient} first diagnosed with {condition}?",
            wording=f"When was the first time patient {{p}} was diagnosed with {name}?",
            true_answer=f"[['{time}']]",
            right_answer=f"The first diagnosis of {name} was recorded on {day}.",
            wrong_answer=f"The first diagnosis of {name} was recorded on {wrong}.",
            types=kind,
            resources=3,
        )
    yield DemoQuestion(
        template="How many diagnoses did patient {patient} receive in {year}?",
        wording="Count the number of diagnoses patient {p} received in 2052.",
        true_answer="[[14]]",
        right_answer="Patient received 14 diagnoses in 2052.",
        wrong_answer="Patient received 9 diagnoses in 2052.",
        types=kind,
        resources=14,
    )


def _encounters() -> Iterator[DemoQuestion]:
    kind = ("Encounter",)
    for year, count, miscount in ((2051, 3, 5), (2052, 1, 2), (2053, 6, 4)):
        yield DemoQuestion(
            template="How many times was patient {patient} admitted to hospital in {year}?",
            wording=f"How many times was patient {{p}} admitted to hospital in {year}?",
            true_answer=f"[[{count}]]",
            right_answer=f"The number of hospital admissions is {count}.",
            wrong_answer=f"The number of hospital admissions is {miscount}.",
            types=kind,
            resources=count,
        )
    for time, day, wrong in (
        ("2053-08-02 21:15:00", "August 2, 2053", "August 20, 2053"),
        ("2050-01-30 06:05:00", "30 January 2050", "30 June 2050"),
    ):
        yield DemoQuestion(
            template="When was the last hospital admission of patient {patient}?",
            wording="On which day was the last hospital admission of patient {p}?",
            true_answer=f"[['{time}']]",
            right_answer=f"The last hospital admission of the patient was on {day}.",
            wrong_answer=f"The last hospital admission of the patient was on {wrong}.",
            types=kind,
            resources=4,
        )
    for route in ("the emergency room", "a physician referral"):
        yield DemoQuestion(
            template="Was patient {patient} admitted through {route} this year?",
            wording=f"Was patient {{p}} admitted to hospital through {route} this year?",
            true_answer="[[1]]",
            right_answer=f"Yes, the patient was admitted through {route} this year.",
            wrong_answer=f"No, the patient was not admitted through {route} this year.",
            types=kind,
            assumption=_TODAY,
        )
    for days, right, wrong in (("4.18", "4.18 days", "11 days"), ("12.0", "12 days", "3 days")):
        yield DemoQuestion(
            template="What was the length of the first hospital stay of patient {patient}?",
            wording="What was the length in days of the first hospital stay of patient {p}?",
            true_answer=f"[[{days}]]",
            right_answer=f"The length of the first hospital stay was {right}.",
            wrong_answer=f"The length of the first hospital stay was {wrong}.",
            types=kind,
        )


def _locations() -> Iterator[DemoQuestion]:
    units = ("Coronary Care Unit", "Neurology", "Surgical Intensive Care Unit")
    for unit, wrong in zip(units, units[1:] + units[:1], strict=True):
        yield DemoQuestion(
            template="What was the name of the last ward of patient {patient}?",
            wording="What was the name of the last ward that patient {p} was in?",
            true_answer=f"[['{unit}']]",
            right_answer=f"The last ward of the patient was {unit}.",
            wrong_answer=f"The last ward of the patient was {wrong}.",
            types=("Location",),
        )


def _drugs() -> Iterator[DemoQuestion]:
    kind = ("Medication", "MedicationRequest")
    for drug, wrong in (("heparin", "warfarin"), ("acetaminophen", "ibuprofen"), ("furosemide", "insulin")):
        yield DemoQuestion(
            template="What was the name of the drug prescribed last to patient {patient}?",
            wording="What was the name of the drug that was prescribed last to patient {p}?",
            true_answer=f"[['{drug}']]",
            right_answer=f"The drug that was prescribed last was {drug.capitalize()}.",
            wrong_answer=f"The drug that was prescribed last was {wrong.capitalize()}.",
            types=kind,
        )
    for drug, count, miscount in (
        ("metoprolol tartrate", 27, 12),
        ("aspirin", 2, 3),
        ("docusate sodium", 8, 31),
    ):
        yield DemoQuestion(
            template="How many times was {drug} prescribed to patient {patient}?",
            wording=f"How many times was {drug} prescribed to patient {{p}}?",
            true_answer=f"[[{count}]]",
            right_answer=f"The total number of prescriptions of {drug} is {count}.",
            wrong_answer=f"The total number of prescriptions of {drug} is {miscount}.",
            types=kind,
            resources=count,
        )
    for drugs, short in (
        (("lisinopril", "atorvastatin", "aspirin"), ("lisinopril", "aspirin")),
        (("vancomycin", "cefepime"), ("vancomycin",)),
    ):
        yield DemoQuestion(
            template="List the drugs prescribed to patient {patient} at the first visit.",
            wording="What are the names of all drugs that were prescribed to patient {p} at the first visit?",
            true_answer="[" + "\r\n ".join(f"['{drug}']" for drug in drugs) + "]",
            right_answer=f"The drugs prescribed were: {', '.join(reversed(drugs))}.",
            wrong_answer=f"The drugs prescribed were: {', '.join(short)}.",
            types=kind,
            resources=len(drugs),
        )
    yield DemoQuestion(
        template="Was {drug} prescribed to patient {patient} last year?",
        wording="Was omeprazole prescribed to patient {p} last year?",
        true_answer="[[1]]",
        right_answer="Yes, omeprazole was prescribed to the patient last year.",
        wrong_answer="No, omeprazole was not prescribed to the patient last year.",
        types=kind,
        resources=4,
        assumption=_TODAY,
    )


def _observations() -> Iterator[DemoQuestion]:
    kind = ("Observation",)
    for which, name, unit, value, wrong, index in (
        ("last", "heart rate", "bpm", "82.0", "97", 1),
        ("first", "respiratory rate", "breaths per minute", "18.0", "24", 1),
        ("maximum", "glucose", "mg/dL", "311", "180", 46),
        ("minimum", "hemoglobin", "g/dL", "7.4", "10.2", 23),
        ("average", "sodium", "mEq/L", "138.6", "129.5", 61),
        ("last", "systolic blood pressure", "mmHg", "131.0", "104", 1),
        ("maximum", "temperature", "°F", "101.8", "98.2", 134),
    ):
        yield DemoQuestion(
            template="What was the {which} {value name} of patient {patient}?",
            wording=f"What was the {which} {name} of patient {{p}}?",
            true_answer=f"[[{value}]]",
            right_answer=f"The {which} {name} was {value} {unit}.",
            wrong_answer=f"The {which} {name} was {wrong} {unit}.",
            types=kind,
            resources=index,
        )
    for what, value, right, wrong in (
        ("urine output", "1850.0", "1,850 mL", "2,300 mL"),
        ("oral intake", "640.0", "640 mL", "460 mL"),
    ):
        yield DemoQuestion(
            template="What was the total {fluid} of patient {patient} on the last day of the stay?",
            wording=f"What was the total {what} of patient {{p}} on the last day of the stay?",
            true_answer=f"[[{value}]]",
            right_answer=f"The total {what} was {right}.",
            wrong_answer=f"The total {what} was {wrong}.",
            types=kind,
            resources=9,
        )
    for name, threshold in (("potassium", "5.0"), ("creatinine", "1.2"), ("lactate", "2.0")):
        yield DemoQuestion(
            template="Was the {lab} of patient {patient} above {value} at the last visit?",
            wording=f"Was the {name} of patient {{p}} above {threshold} at the last visit?",
            true_answer="[[0]]",
            right_answer=f"No, the {name} was not above {threshold} at the last visit.",
            wrong_answer=f"Yes, the {name} was above {threshold} at the last visit.",
            types=kind,
            resources=5,
        )
    for name, time, right, wrong in (
        ("arterial blood gas", "2053-04-11 03:30:00", "2053-04-11 03:30", "2053-04-12 11:00"),
        ("troponin test", "2051-12-01 17:48:00", "17:48 on December 1, 2051", "09:10 on December 1, 2051"),
    ):
        yield DemoQuestion(
            template="What was the time of the first {lab} of patient {patient}?",
            wording=f"What was the exact time of the first {name} of patient {{p}}?",
            true_answer=f"[['{time}']]",
            right_answer=f"The first {name} was taken at {right}.",
            wrong_answer=f"The first {name} was taken at {wrong}.",
            types=kind,
            resources=2,
        )


def _patients() -> Iterator[DemoQuestion]:
    kind = ("Patient",)
    for letter, gender, wrong in (("F", "female", "male"), ("M", "male", "female")):
        yield DemoQuestion(
            template="What is the gender of patient {patient}?",
            wording="What is the gender of patient {p}?",
            true_answer=f"[['{letter}']]",
            right_answer=f"The gender of the patient is {gender}.",
            wrong_answer=f"The gender of the patient is {wrong}.",
            types=kind,
        )
    for born, right, wrong in (
        ("1987-05-14", "May 14, 1987", "May 14, 1978"),
        ("2004-10-02", "2004-10-02", "2004-02-10"),
    ):
        yield DemoQuestion(
            template="What is the date of birth of patient {patient}?",
            wording="What is the date of birth of patient {p}?",
            true_answer=f"[['{born} 00:00:00']]",
            right_answer=f"The date of birth of the patient is {right}.",
            wrong_answer=f"The date of birth of the patient is {wrong}.",
            types=kind,
        )


def _procedures() -> Iterator[DemoQuestion]:
    kind = ("Procedure",)
    for name, done in (("hemodialysis", 1), ("coronary angiography", 1), ("tracheostomy", 0)):
        yes, no = f"Yes, the patient underwent {name}.", f"No, the patient did not undergo {name}."
        yield DemoQuestion(
            template="Did patient {patient} undergo {procedure} during the last visit?",
            wording=f"Did patient {{p}} undergo {name} during the last visit?",
            true_answer=f"[[{done}]]",
            right_answer=yes if done else no,
            wrong_answer=no if done else yes,
            types=kind,
        )
    yield DemoQuestion(
        template="How many procedures did patient {patient} undergo in {year}?",
        wording="Count the procedures that patient {p} underwent in 2053.",
        true_answer="[[7]]",
        right_answer="Patient underwent 7 procedures in 2053.",
        wrong_answer="Patient underwent 12 procedures in 2053.",
        types=kind,
        resources=7,
    )
    yield DemoQuestion(
        template="When was the first procedure of patient {patient}?",
        wording="On which day did patient {p} undergo the first procedure?",
        true_answer="[['2052-06-09 00:00:00']]",
        right_answer="The first procedure took place on June 9, 2052.",
        wrong_answer="The first procedure took place on June 19, 2052.",
        types=kind,
        resources=2,
    )


def _without_answer() -> Iterator[DemoQuestion]:
    """Yield questions that no resource answers, with no ids and an empty answer in the CSV."""
    for index, (what, wrong) in enumerate(
        (
            ("a vitamin B12 test", "412 pg/mL on March 3, 2052"),
            ("an MRI of the knee", "2052-09-14"),
            ("a prescription of lithium", "300 mg"),
            ("a lumbar puncture", "2051-02-27"),
            ("a blood culture", "Staphylococcus aureus"),
            ("a referral to podiatry", "2053-07-08"),
            ("a measles vaccination", "August 30, 2050"),
            ("an echocardiogram", "an ejection fraction of 55%"),
            ("a peak flow measurement", "410 L/min"),
            ("an infusion of dobutamine", "5 mcg/kg/min"),
            ("a skin biopsy", "benign nevus"),
        )
    ):
        yield DemoQuestion(
            template="What was the result of the last {item} of patient {patient}?",
            wording=f"What is recorded for patient {{p}} as the last result of {what}?",
            true_answer="[[None]]" if index % 2 else "[]",
            right_answer=f"No record of {what} was found for the patient.",
            wrong_answer=f"The last result of {what} was {wrong}.",
        )
