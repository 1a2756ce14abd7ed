"""A check says by the API how many answers have a form that the rules can read."""

import json

from tests.support.factories import make_fhir_demo
from wardboard.scoring.fhir_agentbench import demo

UNREAD = "The potassium was 4.1. The sodium was 139."


def test_the_api_counts_the_answers_and_names_the_first_that_the_rules_may_not_read(client, db):
    records = json.loads(demo.GOOD.read_bytes())
    records[0]["agent_answer"] = UNREAD
    address = f"/api/v1/validations/raw/?benchmark={make_fhir_demo().slug}"
    forms = client.post(address, json.dumps(records), content_type="application/json").json()["answer_forms"]
    assert forms["answers"] > forms["readable"] > 0
    assert forms["unread"][0] == {"task": records[0]["question_id"], "answer": UNREAD}
    assert (forms["write"], forms["is_part"]) == ("Final answer: …", False)
