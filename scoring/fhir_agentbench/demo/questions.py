"""Sixty invented questions, with what is true and what agents say to them, rightly and wrongly."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from scoring.fhir_agentbench.demo.question import DemoQuestion

_TODAY = "Assume the current time is 2053-12-31 23:59:00."


def make_questions() -> list[DemoQuestion]:
    """Return the questions: 5 of Condition, 9 Encounter, 3 Location, 9 Medication, 14 Observation,
    4 Patient, 5 Procedure, 11 without true resources."""
    made = chain(
        _conditions(),
        _encounters(),
        _locations(),
        _drugs(),
        _observations(),
        _patients(),
        _procedures(),
        _without_answer(),
    )
    return [replace(question, patient=9_100_001 + 37 * number) for number, question in enumerate(made)]


def _conditions() -> Iterator[DemoQuestion]:
    kind = ("Condition",)
    for name in ("essential hypertension", "type 2 diabetes mellitus"):
        yield DemoQuestion(
            template="Has patient {patient} been diagnosed with {condition}?",
            text=f"Has patient {{p}} been diagnosed with {name}?",
            truth="[[1]]",
            right=f"Yes, the patient has been diagnosed with {name}.",
            wrong=f"No, the patient has not been diagnosed with {name}.",
            types=kind,
        )
    for name, time, day, other in (
        ("asthma", "2051-03-05 14:20:00", "March 5, 2051", "July 19, 2052"),
        ("iron deficiency anemia", "2052-11-23 09:41:00", "2052-11-23", "2052-10-23"),
    ):
        yield DemoQuestion(
            template="When was patient {patient} first diagnosed with {condition}?",
            text=f"When was the first time patient {{p}} was diagnosed with {name}?",
            truth=f"[['{time}']]",
            right=f"The first diagnosis of {name} was recorded on {day}.",
            wrong=f"The first diagnosis of {name} was recorded on {other}.",
            types=kind,
            resources=3,
        )
    yield DemoQuestion(
        template="How many diagnoses did patient {patient} receive in {year}?",
        text="Count the number of diagnoses patient {p} received in 2052.",
        truth="[[14]]",
        right="Patient received 14 diagnoses in 2052.",
        wrong="Patient received 9 diagnoses in 2052.",
        types=kind,
        resources=14,
    )


def _encounters() -> Iterator[DemoQuestion]:
    kind = ("Encounter",)
    for year, count, miscount in ((2051, 3, 5), (2052, 1, 2), (2053, 6, 4)):
        yield DemoQuestion(
            template="How many times was patient {patient} admitted to hospital in {year}?",
            text=f"How many times was patient {{p}} admitted to hospital in {year}?",
            truth=f"[[{count}]]",
            right=f"The number of hospital admissions is {count}.",
            wrong=f"The number of hospital admissions is {miscount}.",
            types=kind,
            resources=count,
        )
    for time, day, other in (
        ("2053-08-02 21:15:00", "August 2, 2053", "August 20, 2053"),
        ("2050-01-30 06:05:00", "30 January 2050", "30 June 2050"),
    ):
        yield DemoQuestion(
            template="When was the last hospital admission of patient {patient}?",
            text="On which day was the last hospital admission of patient {p}?",
            truth=f"[['{time}']]",
            right=f"The last hospital admission of the patient was on {day}.",
            wrong=f"The last hospital admission of the patient was on {other}.",
            types=kind,
            resources=4,
        )
    for route in ("the emergency room", "a physician referral"):
        yield DemoQuestion(
            template="Was patient {patient} admitted through {route} this year?",
            text=f"Was patient {{p}} admitted to hospital through {route} this year?",
            truth="[[1]]",
            right=f"Yes, the patient was admitted through {route} this year.",
            wrong=f"No, the patient was not admitted through {route} this year.",
            types=kind,
            assumption=_TODAY,
        )
    for days, said, other in (("4.18", "4.18 days", "11 days"), ("12.0", "12 days", "3 days")):
        yield DemoQuestion(
            template="What was the length of the first hospital stay of patient {patient}?",
            text="What was the length in days of the first hospital stay of patient {p}?",
            truth=f"[[{days}]]",
            right=f"The length of the first hospital stay was {said}.",
            wrong=f"The length of the first hospital stay was {other}.",
            types=kind,
        )


def _locations() -> Iterator[DemoQuestion]:
    units = ("Coronary Care Unit", "Neurology", "Surgical Intensive Care Unit")
    for unit, other in zip(units, units[1:] + units[:1], strict=True):
        yield DemoQuestion(
            template="What was the name of the last ward of patient {patient}?",
            text="What was the name of the last ward that patient {p} was in?",
            truth=f"[['{unit}']]",
            right=f"The last ward of the patient was {unit}.",
            wrong=f"The last ward of the patient was {other}.",
            types=("Location",),
        )


def _drugs() -> Iterator[DemoQuestion]:
    kind = ("Medication", "MedicationRequest")
    for drug, other in (("heparin", "warfarin"), ("acetaminophen", "ibuprofen"), ("furosemide", "insulin")):
        yield DemoQuestion(
            template="What was the name of the drug prescribed last to patient {patient}?",
            text="What was the name of the drug that was prescribed last to patient {p}?",
            truth=f"[['{drug}']]",
            right=f"The drug that was prescribed last was {drug.capitalize()}.",
            wrong=f"The drug that was prescribed last was {other.capitalize()}.",
            types=kind,
        )
    for drug, count, miscount in (
        ("metoprolol tartrate", 27, 12),
        ("aspirin", 2, 3),
        ("docusate sodium", 8, 31),
    ):
        yield DemoQuestion(
            template="How many times was {drug} prescribed to patient {patient}?",
            text=f"How many times was {drug} prescribed to patient {{p}}?",
            truth=f"[[{count}]]",
            right=f"The total number of prescriptions of {drug} is {count}.",
            wrong=f"The total number of prescriptions of {drug} is {miscount}.",
            types=kind,
            resources=count,
        )
    for drugs, short in (
        (("lisinopril", "atorvastatin", "aspirin"), ("lisinopril", "aspirin")),
        (("vancomycin", "cefepime"), ("vancomycin",)),
    ):
        yield DemoQuestion(
            template="List the drugs prescribed to patient {patient} at the first visit.",
            text="What are the names of all drugs that were prescribed to patient {p} at the first visit?",
            truth="[" + "\r\n ".join(f"['{drug}']" for drug in drugs) + "]",
            right=f"The drugs prescribed were: {', '.join(reversed(drugs))}.",
            wrong=f"The drugs prescribed were: {', '.join(short)}.",
            types=kind,
            resources=len(drugs),
        )
    yield DemoQuestion(
        template="Was {drug} prescribed to patient {patient} last year?",
        text="Was omeprazole prescribed to patient {p} last year?",
        truth="[[1]]",
        right="Yes, omeprazole was prescribed to the patient last year.",
        wrong="No, omeprazole was not prescribed to the patient last year.",
        types=kind,
        resources=4,
        assumption=_TODAY,
    )


def _observations() -> Iterator[DemoQuestion]:
    kind = ("Observation",)
    for which, name, unit, value, other, number in (
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
            text=f"What was the {which} {name} of patient {{p}}?",
            truth=f"[[{value}]]",
            right=f"The {which} {name} was {value} {unit}.",
            wrong=f"The {which} {name} was {other} {unit}.",
            types=kind,
            resources=number,
        )
    for what, value, said, other in (
        ("urine output", "1850.0", "1,850 mL", "2,300 mL"),
        ("oral intake", "640.0", "640 mL", "460 mL"),
    ):
        yield DemoQuestion(
            template="What was the total {fluid} of patient {patient} on the last day of the stay?",
            text=f"What was the total {what} of patient {{p}} on the last day of the stay?",
            truth=f"[[{value}]]",
            right=f"The total {what} was {said}.",
            wrong=f"The total {what} was {other}.",
            types=kind,
            resources=9,
        )
    for name, threshold in (("potassium", "5.0"), ("creatinine", "1.2"), ("lactate", "2.0")):
        yield DemoQuestion(
            template="Was the {lab} of patient {patient} above {value} at the last visit?",
            text=f"Was the {name} of patient {{p}} above {threshold} at the last visit?",
            truth="[[0]]",
            right=f"No, the {name} was not above {threshold} at the last visit.",
            wrong=f"Yes, the {name} was above {threshold} at the last visit.",
            types=kind,
            resources=5,
        )
    for name, time, said, other in (
        ("arterial blood gas", "2053-04-11 03:30:00", "2053-04-11 03:30", "2053-04-12 11:00"),
        ("troponin test", "2051-12-01 17:48:00", "17:48 on December 1, 2051", "09:10 on December 1, 2051"),
    ):
        yield DemoQuestion(
            template="What was the time of the first {lab} of patient {patient}?",
            text=f"What was the exact time of the first {name} of patient {{p}}?",
            truth=f"[['{time}']]",
            right=f"The first {name} was taken at {said}.",
            wrong=f"The first {name} was taken at {other}.",
            types=kind,
            resources=2,
        )


def _patients() -> Iterator[DemoQuestion]:
    kind = ("Patient",)
    for letter, gender, other in (("F", "female", "male"), ("M", "male", "female")):
        yield DemoQuestion(
            template="What is the gender of patient {patient}?",
            text="What is the gender of patient {p}?",
            truth=f"[['{letter}']]",
            right=f"The gender of the patient is {gender}.",
            wrong=f"The gender of the patient is {other}.",
            types=kind,
        )
    for born, said, other in (
        ("1987-05-14", "May 14, 1987", "May 14, 1978"),
        ("2004-10-02", "2004-10-02", "2004-02-10"),
    ):
        yield DemoQuestion(
            template="What is the date of birth of patient {patient}?",
            text="What is the date of birth of patient {p}?",
            truth=f"[['{born} 00:00:00']]",
            right=f"The date of birth of the patient is {said}.",
            wrong=f"The date of birth of the patient is {other}.",
            types=kind,
        )


def _procedures() -> Iterator[DemoQuestion]:
    kind = ("Procedure",)
    for name, done in (("hemodialysis", 1), ("coronary angiography", 1), ("tracheostomy", 0)):
        yes, no = f"Yes, the patient underwent {name}.", f"No, the patient did not undergo {name}."
        yield DemoQuestion(
            template="Did patient {patient} undergo {procedure} during the last visit?",
            text=f"Did patient {{p}} undergo {name} during the last visit?",
            truth=f"[[{done}]]",
            right=yes if done else no,
            wrong=no if done else yes,
            types=kind,
        )
    yield DemoQuestion(
        template="How many procedures did patient {patient} undergo in {year}?",
        text="Count the procedures that patient {p} underwent in 2053.",
        truth="[[7]]",
        right="Patient underwent 7 procedures in 2053.",
        wrong="Patient underwent 12 procedures in 2053.",
        types=kind,
        resources=7,
    )
    yield DemoQuestion(
        template="When was the first procedure of patient {patient}?",
        text="On which day did patient {p} undergo the first procedure?",
        truth="[['2052-06-09 00:00:00']]",
        right="The first procedure took place on June 9, 2052.",
        wrong="The first procedure took place on June 19, 2052.",
        types=kind,
        resources=2,
    )


def _without_answer() -> Iterator[DemoQuestion]:
    """Nothing on the server answers them, so the CSV has no ids, and what it prints as the answer varies."""
    for number, (what, claimed) in enumerate(
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
            text=f"What is recorded for patient {{p}} as the last result of {what}?",
            truth="[[None]]" if number % 2 else "[]",
            right=f"No record of {what} was found for the patient.",
            wrong=f"The last result of {what} was {claimed}.",
        )
