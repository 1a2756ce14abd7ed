"""Sixty invented questions, each with its reference answer, a right answer and a wrong one."""

from dataclasses import replace
from pathlib import Path

import msgspec

from tools.demo.fhir_agentbench.demo_question import PATIENTS, DemoQuestion


def make_questions() -> list[DemoQuestion]:
    """Return the questions in a fixed order.

    5 on Condition, 9 Encounter, 3 Location, 9 Medication, 14 Observation, 4 Patient, 5 Procedure, and 11
    without gold resources: no ids and an empty answer in the CSV.
    """
    written = Path(__file__).with_name("invented_questions.json").read_bytes()
    questions = msgspec.json.decode(written, type=list[DemoQuestion])
    return [replace(question, patient=patient) for question, patient in zip(questions, PATIENTS, strict=True)]
