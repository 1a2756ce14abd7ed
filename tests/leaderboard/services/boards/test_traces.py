"""What files hold of the traces of their runs, as a fact of rows."""

import csv
import io
import json

import pytest

from tests.support.databases import shared_rows
from tests.support.factories import make_demo, make_published, make_scored, make_user, with_wrong
from tests.support.rows import put_row
from wardboard.scoring.medagentbench.demo import GOOD, RUNS

pytestmark = pytest.mark.both_databases


def without_histories(raw: bytes) -> bytes:
    document = json.loads(raw)
    for result in document["results"]:
        result["post_history"] = []
    return json.dumps(document).encode()


FILES = {
    "With all": RUNS.read_bytes(),
    "With posts": GOOD.read_bytes(),
    "Bare": without_histories(GOOD.read_bytes()),
}
EXTENTS = {"With all": "whole", "With posts": "posts-only", "Bare": "none", "Reported": None}


@shared_rows
def key() -> int:
    demo = make_demo()
    for number, (name, raw) in enumerate(FILES.items()):
        owner = make_user(f"owner{number}@example.org")
        make_published(owner, demo, raw, system=name)
    put_row(demo, "Reported", 0.1)
    return demo.pk


def text_of(response) -> str:
    return (response.getvalue() if response.streaming else response.content).decode()


def test_the_extent_does_not_depend_on_the_verdicts(board, db):
    owner = make_user("other@example.org")
    half_wrong = with_wrong(FILES["With posts"], 25)
    assert make_scored(owner, board, half_wrong, system="Half wrong").trace == "posts-only"


def test_exports_and_the_api_say_what_a_file_holds_of_traces(board, client):
    address = f"/benchmarks/{board.slug}"
    lines = csv.DictReader(io.StringIO(text_of(client.get(f"{address}/board.csv"))))
    assert {line["system"]: line["trace"] or None for line in lines} == EXTENTS
    rows = client.get(f"/api/v1/benchmarks/{board.slug}/leaderboard/").json()["rows"]
    assert {row["system"]["name"]: row["trace"] for row in rows} == EXTENTS
