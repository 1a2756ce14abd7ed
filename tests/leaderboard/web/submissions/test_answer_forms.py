"""A check says how many answers have a form that the rules can read: on pages and by the API."""

import json

import pytest

from tests.support.factories import make_fhir_demo
from wardboard.scoring.fhir_agentbench import demo

UNREAD = "The potassium was 4.1. The sodium was 139."


@pytest.fixture
def board(db):
    return make_fhir_demo()


def file_with(*answers: str) -> bytes:
    records = json.loads(demo.GOOD.read_bytes())
    for record, answer in zip(records, answers, strict=False):
        record["agent_answer"] = answer
    return json.dumps(records).encode()


def check(client, board, raw: bytes):
    address = f"/api/v1/validations/raw/?benchmark={board.slug}"
    return client.post(address, raw, content_type="application/json").json()


def test_the_api_counts_the_answers_and_names_the_first_that_the_rules_may_not_read(client, board):
    before = check(client, board, demo.GOOD.read_bytes())["answer_forms"]
    forms = check(client, board, file_with(UNREAD, "Final answer: 4.1"))["answer_forms"]
    assert forms["answers"] - forms["readable"] == before["answers"] - before["readable"] + 1
    assert forms["unread"][0]["answer"] == UNREAD
    assert len(forms["unread"][0]["task"]) == 24
    assert (forms["write"], forms["is_part"]) == ("Final answer: …", False)
