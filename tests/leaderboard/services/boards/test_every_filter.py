"""Every filter of FILTERS, wherever a board can be filtered: pages, charts, files and the API."""

import csv
import hashlib
import io
import json

import pytest

from leaderboard.http import conditional
from leaderboard.models import Kind
from leaderboard.services.rows.filters import FILTERS
from tests.support.addresses import BOARD
from tests.support.api_client import Api
from tests.support.ci_issuer import make_ci_job
from tests.support.databases import shared_rows
from tests.support.factories import (
    make_demo,
    make_facts,
    make_published,
    make_user,
    publish_runs,
    verify,
    with_wrong,
)
from tests.support.rows import put_row
from wardboard.scoring.medagentbench.demo import GOOD

pytestmark = pytest.mark.both_databases

# Filter and value -> the rows of the board below that it selects. A new filter needs an entry for each of its
# values.
ROWS = {
    ("q", "alder"): {"By hand"},
    ("source", "rescored"): {"By hand", "Several", "By CI", "Attested"},
    ("source", "reported"): {"Printed"},
    ("source", "baseline"): {"Constant"},
    ("weights", "open"): {"By hand"},
    ("weights", "closed"): {"Several"},
    ("interaction", "single-turn"): {"By hand"},
    ("interaction", "multi-turn"): {"Several"},
    ("retrieval", "query-generator"): {"By hand"},
    ("retrieval", "retriever"): {"Several"},
    ("retrieval", "both"): {"By CI"},
    ("retrieval", "none"): {"Attested"},
    ("reasoning", "language"): {"By hand"},
    ("reasoning", "code"): {"Several"},
    ("harness", "official"): {"By hand"},
    ("harness", "own-tools"): {"Several"},
    ("harness", "prefetch"): {"By CI"},
    ("harness", "not-stated"): {"Attested", "Printed", "Constant"},
    ("memory", "yes"): {"By hand"},
    ("memory", "no"): {"Several"},
    ("memory", "not-stated"): {"By CI", "Attested", "Printed", "Constant"},
    ("trained", "yes"): {"By hand"},
    ("trained", "no"): {"Several"},
    ("trained", "not-stated"): {"By CI", "Attested", "Printed", "Constant"},
    ("provenance", "account"): {"By hand", "Several", "By CI"},
    ("provenance", "ci-attested"): {"Attested"},
    ("organisation", "Hospital 1"): {"By hand"},
    ("model", "linden"): {"By hand", "Several"},
    ("judge", "rules 1"): {"Printed"},
}
FIRST = {
    "models": "linden, alder",
    "organisation": "Hospital 1",
    "open_weights": "yes",
    "interaction": "single-turn",
    "retrieval": "query-generator",
    "reasoning": "language",
    "harness": "official",
    "task_memory": "yes",
    "trained_on_benchmark": "yes",
}
SECOND = {
    "models": "linden",
    "open_weights": "no",
    "interaction": "multi-turn",
    "retrieval": "retriever",
    "reasoning": "code",
    "harness": "own-tools",
    "task_memory": "no",
    "trained_on_benchmark": "no",
}


@shared_rows
def key() -> int:
    demo = make_demo()
    owner = verify(make_user())
    nothing = dict.fromkeys(("organisation", "interaction", "retrieval", "reasoning", "open_weights"), "")
    make_published(owner, demo, GOOD.read_bytes(), **{**nothing, "system": "By hand"} | FIRST)
    files = [with_wrong(GOOD.read_bytes(), wrong) for wrong in (1, 2)]
    publish_runs(owner, demo, files, **{**nothing, "system": "Several"} | SECOND)
    for name, wrong, stated in (
        ("By CI", 3, {"retrieval": "both", "harness": "prefetch"}),
        ("Attested", 4, {"retrieval": "none"}),
    ):
        raw = with_wrong(GOOD.read_bytes(), wrong)
        digest = hashlib.sha256(raw).hexdigest() if name == "Attested" else ""
        facts = make_facts(**{**nothing, "system": name, "models": "m"} | stated)
        sent = Api(make_ci_job(owner, artifact_sha256=digest)).send(raw, facts, publish="true").json()
        assert sent.get("status") == "scored", sent
    put_row(demo, "Printed", 0.5, judge="rules 1")
    put_row(demo, "Constant", 0.2, kind=Kind.BASELINE)
    return demo.pk


def text_of(response) -> str:
    assert response.status_code == 200
    return (response.getvalue() if response.streaming else response.content).decode()


def names_in(text: str) -> set[str]:
    every = set().union(*ROWS.values())
    return {name for name in every if name in text}


def test_every_filter_and_each_of_its_values_is_tried_here():
    values = {(each.key, value) for each in FILTERS for value in each.values}
    with_values = {key for key, _ in values}
    assert values == {(key, value) for key, value in ROWS if key in with_values}
    assert {each.key for each in FILTERS} == {key for key, _ in ROWS}


@pytest.mark.parametrize(("filter_key", "value"), ROWS, ids=str)
def test_a_filter_selects_exactly_its_rows_everywhere(client, board, filter_key, value):
    params, expected = {filter_key: value}, ROWS[filter_key, value]
    page = text_of(client.get(BOARD, params))
    rows = [part.split('class="name"')[1].split("</a>")[0] for part in page.split('<tr id="system-')[1:]]
    assert set().union(*map(names_in, rows)) == expected
    if filter_key != "q":
        # The page shows which filter is set, and a chip takes it away.
        box = page.split(f'id="by-{filter_key}"')[1].split("</select>")[0]
        assert f'<option value="{value}" selected>' in box
        assert 'aria-current="true"' in page.split('id="chips"')[1].split("</ul>")[0]
    api = json.loads(text_of(client.get(f"/api/v1/benchmarks/{board.slug}/leaderboard/", params)))
    assert {row["system"]["name"] for row in api["rows"]} == expected
    chart = csv.DictReader(io.StringIO(text_of(client.get(f"{BOARD}views/forest.csv", params))))
    assert {row["system"] for row in chart} == expected
    document = json.loads(text_of(client.get(f"{BOARD}board.json", params)))
    assert {row["system"] for row in document["rows"]} == expected
    assert document["filters"] == params
    lines = csv.DictReader(io.StringIO(text_of(client.get(f"{BOARD}board.csv", params))))
    assert {line["system"] for line in lines} == expected
    for extension in ("md", "tex"):
        table = text_of(client.get(f"{BOARD}board.{extension}", params))
        assert {name for name in names_in(table) if f"{name} " in table} == expected


@pytest.mark.parametrize("each", FILTERS, ids=lambda each: each.key)
def test_a_filtered_page_and_its_files_are_never_taken_for_others(client, board, each):
    """A cache that has the page of all rows must ask again for that of some, and so between two values."""
    values = ["", *(value for key, value in ROWS if key == each.key)]
    for address in (BOARD, f"{BOARD}board.csv", f"/api/v1/benchmarks/{board.slug}/leaderboard/"):
        tags = [client.get(address, {each.key: value} if value else {})["ETag"] for value in values]
        assert len({*tags}) == len(values)


def test_pages_read_every_filter_and_nothing_that_they_do_not_know(client, board):
    assert {each.key for each in FILTERS} < conditional.PARAMETERS
    pages = [client.get(BOARD, params) for params in ({}, {"forgotten": "open"})]
    assert pages[0]["ETag"] == pages[1]["ETag"]


@pytest.mark.parametrize("each", FILTERS, ids=lambda each: each.key)
def test_a_value_that_no_board_has_is_named_on_the_page_and_refused_by_the_api(client, board, each):
    params = {each.key: "no such value"}
    answer = client.get(f"/api/v1/benchmarks/{board.slug}/leaderboard/", params)
    if each.is_search:
        assert answer.json()["rows"] == []
        return
    assert (answer.status_code, each.key in answer.json()["detail"]) == (400, True)
    assert f"{each.key}=no such value" in text_of(client.get(BOARD, params))
