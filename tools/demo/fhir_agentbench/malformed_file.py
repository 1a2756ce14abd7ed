"""A submission with many mistakes at once, to show the report on a rejected file."""

import json
from typing import Any


def malformed_text(records: list[Any]) -> str:
    """Return the text of the file, with mistakes put into the first of the correct `records`."""
    del records[0]["question_id"]
    records[1]["question_id"] = 1001
    records[2]["question_id"] = records[2]["question_id"].upper()
    records[3]["question_id"] = "0" * 24
    records[4]["question_id"] = records[5]["question_id"]
    del records[6]["agent_answer"]
    del records[7]["agent_fhir_resources"]
    records[8]["agent_fhir_resources"] = 3
    records[9]["agent_fhir_resources"] = list(records[9]["agent_fhir_resources"])
    _put_whole_resources(records[10])
    records[11] = f"{records[11]['question_id']}: {records[11]['agent_answer']}"
    records[12]["question_id"] = f" {records[12]['question_id']} "
    records[13]["question_id"] = records[13]["question_id"][:12]
    # From here on only warnings: the answers are accepted, and most likely wrong.
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


def _put_whole_resources(record: dict[str, Any]) -> None:
    """Replace ids by whole resources, on which the official evaluator fails."""
    resources = record["agent_fhir_resources"]
    for kind, ids in resources.items():
        resources[kind] = [{"resourceType": kind, "id": id_} for id_ in ids]
