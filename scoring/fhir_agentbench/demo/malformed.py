"""A submission with many things wrong at once, to show what the report of a rejected file is like."""

import json
from typing import Any


def malformed_text(records: list[Any]) -> str:
    """Return the text of the file: `records`, without fault, with the first of them spoilt."""
    del records[0]["question_id"]
    records[1]["question_id"] = 1001
    records[2]["question_id"] = records[2]["question_id"].upper()
    records[3]["question_id"] = "0" * 24
    records[4]["question_id"] = records[5]["question_id"]
    del records[6]["agent_answer"]
    del records[7]["agent_fhir_resources"]
    records[8]["agent_fhir_resources"] = 3
    records[9]["agent_fhir_resources"] = list(records[9]["agent_fhir_resources"])
    _whole_resources(records[10])
    records[11] = f"{records[11]['question_id']}: {records[11]['agent_answer']}"
    records[12]["question_id"] = f" {records[12]['question_id']} "
    records[13]["question_id"] = records[13]["question_id"][:12]
    # From here on what is accepted with a warning: the question counts, and is most likely wrong.
    records[14]["agent_answer"] = 4.18
    records[15]["agent_answer"] = ["Neurology", "Coronary Care Unit"]
    records[16]["agent_answer"] = {"ward": "Neurology"}
    records[17]["error"] = {"type": "TimeoutError"}
    records[18]["usage"] = {"total_tokens": "many"}
    records[19]["agent_fhir_resources"] = {"Medication": records[19]["agent_fhir_resources"]["Medication"][0]}
    records[20]["agent_fhir_resources"] = "KeyError('entry') while reading the bundle"
    records[21]["confidence"] = 0.9
    records[22]["agent_fhir_resources"] = {"MedicationRequest": [1, 2, 3]}
    del records[-4:]
    return json.dumps(records, indent=2) + "\n"


def _whole_resources(record: dict[str, Any]) -> None:
    """Put whole resources where their ids belong, which stops the official evaluator."""
    resources = record["agent_fhir_resources"]
    for kind, ids in resources.items():
        resources[kind] = [{"resourceType": kind, "id": one} for one in ids]
