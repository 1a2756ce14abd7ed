"""Downloads of boards: files and citations."""

import csv
import json

import pytest
from django.urls import reverse

from leaderboard.models import Board, Submission
from leaderboard.services.publishing import publish
from leaderboard.services.record.keys import signer
from tests.support.databases import shared_rows
from tests.support.factories import (
    make_demo,
    make_published,
    make_scored,
    make_user,
    publish_two,
    with_wrong,
)
from tests.support.rows import put_row
from wardboard.scoring.receipts.signatures import NotVerified
from wardboard.scoring.receipts.verify import verify

BOARD = "/benchmarks/medagentbench-demo/"
EMPTY = "/benchmarks/empty/"
EXTENSIONS = ("csv", "json", "md", "tex")


@shared_rows
def two() -> dict[str, Submission]:
    return publish_two(make_user(), make_demo())


@pytest.fixture
def empty(db) -> Board:
    return make_demo("empty")


def read_text(response) -> str:
    assert response.status_code == 200, response.status_code
    return (response.getvalue() if response.streaming else response.content).decode("utf-8-sig")


def test_csv_and_json_have_the_same_values_in_every_row(visitor, demo, two):
    put_row(demo, "Printed", 0.9)
    (*_, reported_line) = lines = list(
        csv.DictReader(read_text(visitor.get(f"{BOARD}board.csv")).splitlines())
    )
    document = json.loads(read_text(visitor.get(f"{BOARD}board.json")))
    for line, row in zip(lines, document["rows"], strict=True):
        expected = {key: "" if value is None else value for key, value in row.items()}
        expected |= {name: ", ".join(row[name]) for name in ("models", "canonical_models")}
        assert line == {key: str(value) for key, value in expected.items()}
    first = document["rows"][0]
    claims = (first["rank"], first["rank_low"], first["tied_for_first"], first["not_tested"])
    assert (*claims, first["trace"]) == (1, 1, False, None, "posts-only")
    assert {row["event"] for row in document["rows"]} == {document["event"]}
    assert next(row for row in lines if row["system"] == "Printed")["not_tested"] == "reported"
    assert reported_line["references"] == "1"


def read_rows(text: str) -> list[dict]:
    if text.startswith("{"):
        return json.loads(text)["rows"]
    return list(csv.DictReader(text.splitlines()))


def drop_marks(rows: list[dict], *others: str) -> list[dict]:
    return [
        {key: value for key, value in row.items() if not key.startswith("gone") and key not in others}
        for row in rows
    ]


# Nothing is claimed about a row that was removed since, nor about the others with it.
CLAIMS = ("rank_low", "rank_high", "tied_for_first", "p_next")


def test_a_past_export_equals_the_one_made_at_that_time_but_for_marks_and_claims_on_removed_rows(
    visitor, demo, user, team, two
):
    earlier_exports = {
        extension: read_text(visitor.get(f"{BOARD}board.{extension}")) for extension in EXTENSIONS
    }
    event = json.loads(earlier_exports["json"])["event"]
    assert '"A"' in earlier_exports["json"]
    publish.withdraw(submission_id=two["A"].pk, team=team, by=user, reason="a mistake")
    for extension, earlier_text in earlier_exports.items():
        response = visitor.get(f"{BOARD}board.{extension}?as_of={event}")
        assert response["Content-Disposition"] == f'attachment; filename="{demo.slug}-{event}.{extension}"'
        text = read_text(response)
        if extension in ("md", "tex"):
            assert "A (withdrawn since)" in text
        else:
            assert drop_marks(read_rows(text), *CLAIMS) == drop_marks(read_rows(earlier_text), *CLAIMS)
    assert '"A"' not in read_text(visitor.get(f"{BOARD}board.json"))


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_an_export_takes_a_fixed_number_of_queries(visitor, empty, extension, django_assert_max_num_queries):
    for number in range(60):
        put_row(empty, f"System {number}", number / 100)
    signer()  # the first signature stores the public key
    with django_assert_max_num_queries(14):
        assert len(read_text(visitor.get(f"{EMPTY}board.{extension}")).splitlines()) > 60


@pytest.mark.parametrize("extension", [*EXTENSIONS, "eee.zip"])
@pytest.mark.parametrize("query", ["", "?q=A"])
def test_a_signature_verifies_every_byte_of_an_export_of_the_same_query(visitor, two, extension, query):
    address = f"{BOARD}board.{extension}"
    file = b"".join(visitor.get(address + query).streaming_content)
    response = visitor.get(f"{address}.sig{query}")
    assert response["Content-Disposition"].endswith(f'.{extension}.sig"')
    keys, stated = [signer().key], response.json()["export"]
    assert verify(file, keys=keys, signature=response.content)
    assert ("q=A" in stated["address"]) == bool(query)
    assert stated["boards"].keys() == {"medagentbench-demo"}
    changed = file.replace(b"A", b"B", 1)
    assert changed != file
    with pytest.raises(NotVerified, match="Its bytes are not those of"):
        verify(changed, keys=keys, signature=response.content)


def test_no_export_holds_an_unpublished_result(visitor, empty, user, good_file):
    make_scored(user, empty, good_file, system="Secret system")
    make_published(user, empty, with_wrong(good_file, 1), system="Public system")
    exports = [f"board-{extension}" for extension in (*EXTENSIONS, "bib")]
    for name in (*exports, "best-scores-feed", "embed"):
        text = read_text(visitor.get(reverse(f"web:{name}", args=[empty.slug])))
        # A citation names no system.
        assert ("Public system" in text) == (name != "board-bib")
        assert "Secret system" not in text
