"""A check says how many answers have a form that the rules can read: on pages and by the API."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

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


def form(board, *answers: str) -> dict:
    return {"benchmark": board.slug, "file": SimpleUploadedFile("mine.json", file_with(*answers))}


def test_the_page_says_how_many_and_what_to_write(client, board):
    unread = "<u>The potassium was 4.1.</u> The sodium was 139."
    forms = check(client, board, file_with(unread))["answer_forms"]
    text = " ".join(client.post("/submit/", form(board, unread), follow=True).content.decode().split())
    counts = f"{forms['answers']} of 60 results have an answer to judge, {forms['readable']} in a form"
    assert f"{counts} that the rules can read." in text
    assert "<code>Final answer: …</code>" in text
    assert "&lt;u&gt;The potassium was 4.1.&lt;/u&gt;" in text
