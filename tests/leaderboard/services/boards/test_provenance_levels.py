"""How much is known about where a file comes from, as a fact of rows."""

import csv
import hashlib
import io
import json
import re

import pytest

from leaderboard.models import BoardEvent, Standing, Submission
from leaderboard.services.accounts import create_token, personal_team
from leaderboard.services.boards.page import read_board
from leaderboard.services.boards.query import read_query
from leaderboard.services.publishing.publish import publish, withdraw
from tests.support.api_client import Api
from tests.support.ci_issuer import COMMIT, REPOSITORY, make_ci_job
from tests.support.databases import shared_rows
from tests.support.every_eval_ever import read_archive
from tests.support.factories import make_demo, make_facts, make_scored, make_user, verify, with_wrong
from tests.support.rows import put_row
from tests.support.walk import text_of
from wardboard.scoring.medagentbench.demo import GOOD

pytestmark = pytest.mark.both_databases

LEVELS = {
    **{"By account": "account", "By CI": "account", "Attested": "ci-attested"},
    "Reported": None,
}
RUN = f"https://github.com/{REPOSITORY}/actions/runs/9876543210"


def submit(user, raw: bytes, name: str) -> None:
    """Send a file as the name of its system says, and publish its result."""
    if name == "By account":
        _, token = create_token(user=user, name="by hand", days=1)
        stated = {"commit": "1234567"}
    else:
        digest = hashlib.sha256(raw).hexdigest() if name == "Attested" else ""
        token, stated = make_ci_job(user, artifact_sha256=digest), {}
    body = Api(token).send(raw, make_facts(system=name), publish="true", note="Nightly", **stated).json()
    assert body.get("status") == "scored", body


@shared_rows
def key() -> int:
    demo = make_demo()
    for number, (name, level) in enumerate(LEVELS.items()):
        if level is None:
            put_row(demo, name, 0.1)
        else:
            owner = verify(make_user(f"owner{number}@example.org"))
            submit(owner, with_wrong(GOOD.read_bytes(), number), name)
    return demo.pk


def words_of(client, address: str) -> str:
    """Return the texts of a page, without its tags."""
    return " ".join(re.sub(r"<[^>]*>", " ", text_of(client.get(address))).split())


def names(board, **params):
    return {row.standing.name for row in read_board(read_query(params, board)).rows}


def system_page(name: str) -> str:
    return f"/systems/{Standing.objects.get(name=name).system_id}/"


def test_every_format_has_the_level_and_the_signed_facts(board, client):
    address = f"/benchmarks/{board.slug}"
    lines = list(csv.DictReader(io.StringIO(text_of(client.get(f"{address}/board.csv")))))
    assert {line["system"]: line["provenance"] or None for line in lines} == LEVELS
    by_name = {line["system"]: line for line in lines}
    assert by_name["Attested"]["repository"] == REPOSITORY
    assert (by_name["By CI"]["repository"], by_name["By account"]["repository"]) == (REPOSITORY, "")
    assert (by_name["By CI"]["commit"], by_name["By account"]["commit"]) == (COMMIT, "1234567")
    document = json.loads(text_of(client.get(f"{address}/board.json?provenance=ci-attested")))
    assert {row["provenance"] for row in document["rows"]} == {"ci-attested"}
    assert document["signed_by_ci"] == ["repository", "commit", "run_url"]
    rows = client.get(f"/api/v1/benchmarks/{board.slug}/leaderboard/").json()["rows"]
    assert {row["system"]["name"]: row["provenance"] for row in rows} == LEVELS
    assert {row["repository"] for row in rows} == {REPOSITORY, ""}
    assert "By CI" not in text_of(client.get(f"{address}/board.md?provenance=ci-attested"))
    records = read_archive(client.get(f"{address}/board.eee.zip").getvalue()).values()
    details = [record["evaluation_results"][0]["score_details"]["details"] for record in records]
    assert {each.get("repository") for each in details} == {REPOSITORY, None}


def test_a_page_distinguishes_signed_facts_from_stated_ones(board, client):
    words = words_of(client, system_page("Attested"))
    assert "Uploaded by CI job, attested file" in words
    assert f"Repository {REPOSITORY} verified: signed by CI" in words
    assert f"Commit {COMMIT} verified: signed by CI" in words
    assert f"Link to the run {RUN} verified: signed by CI" in words
    assert "Note Nightly stated" in words
    assert f'href="https://github.com/{REPOSITORY}/commit/{COMMIT}"' in text_of(
        client.get(system_page("Attested"))
    )
    words = words_of(client, system_page("By account"))
    assert "Uploaded by Account (origin not attested)" in words
    assert "Commit 1234567 stated" in words
    assert "signed by CI" not in words


def test_the_receipt_has_the_level_and_the_signed_facts(board, client):
    receipts = {
        submission.system.name: client.get(f"/api/v1/submissions/{submission.pk}/receipt/").json()["receipt"]
        for submission in Submission.objects.select_related("system")
    }
    assert receipts["By account"]["provenance"] == {"level": "account", "ci_job": None}
    assert receipts["By CI"]["provenance"]["level"] == "account"
    signed = receipts["By CI"]["provenance"]["ci_job"]
    assert (signed["repository"], signed["commit"], signed["run_url"]) == (REPOSITORY, COMMIT, RUN)
    assert signed["artifact_sha256"] is None
    attested = receipts["Attested"]
    assert attested["provenance"]["level"] == "ci-attested"
    assert attested["provenance"]["ci_job"]["artifact_sha256"] == attested["file"]["sha256"]


def test_a_past_table_has_the_level_of_its_own_result(board, db):
    attested = Submission.objects.get(system__name="Attested")
    owner = attested.submitted_by
    before = BoardEvent.objects.filter(board=board).order_by("-number").first().number
    by_hand = make_scored(owner, board, with_wrong(GOOD.read_bytes(), 9), system="Attested")
    team = personal_team(owner)
    publish(submission_id=by_hand.pk, team=team, by=owner)
    withdraw(submission_id=attested.pk, team=team, by=owner, reason="Other settings")
    assert names(board, provenance="ci-attested") == set()
    assert names(board, provenance="account") == {"By account", "By CI", "Attested"}
    assert names(board, provenance="ci-attested", as_of=str(before)) == {"Attested"}
    rows = read_board(read_query({"as_of": str(before)}, board)).rows
    past = {row.standing.name: row.provenance for row in rows}
    assert past == {name: level for name, level in LEVELS.items() if level}
