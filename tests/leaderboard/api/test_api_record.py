"""Receipts, the log, its head and the keys, as anybody downloads and verifies them."""

import json
import re

import pytest
from django.conf import settings

from leaderboard.api import boards
from leaderboard.services.judging.references import reveal_key
from leaderboard.services.publishing.disqualify import disqualify
from leaderboard.services.publishing.publish import withdraw
from leaderboard.services.record import keys
from leaderboard.services.turns import Turns
from tests.support.cli import run_program, wardboard
from tests.support.factories import make_hidden, make_scored, with_wrong
from tests.support.paths import ROOT
from wardboard.scoring.medagentbench import demo as files
from wardboard.scoring.receipts.signatures import read_keys, read_signed
from wardboard.scoring.receipts.verify import verify

pytestmark = pytest.mark.both_databases

LOG, KEYS, HEAD = "/api/v1/log/", "/api/v1/keys/", "/api/v1/log/head/"


def receipt_address(submission) -> str:
    return f"/api/v1/submissions/{submission.pk}/receipt/"


def trusted(client) -> list:
    return read_keys(client.get(KEYS).content.decode())


def test_a_receipt_of_a_published_result_verifies_and_is_in_the_log(visitor, published):
    receipt, log = visitor.get(receipt_address(published)), visitor.get(LOG)
    assert verify(receipt.content, keys=trusted(visitor))
    assert verify(log.getvalue(), keys=trusted(visitor), kept=[receipt.content])
    content = receipt.json()["receipt"]
    evaluation = published.evaluation
    assert content["file"] == {"sha256": published.sha256, "bytes": published.size_bytes}
    assert content["references"]["commitment"] == evaluation.revision.commitment
    assert content["scorer"] == {"version": evaluation.scorer_version, "commit": settings.COMMIT or None}
    assert content["figures"]["right"] == evaluation.right
    assert content["figures"]["runs"] == 1
    assert content["boards"][published.board.slug]["number"] == 2


def test_grading_again_with_the_reference_answers_gives_the_digest_of_the_receipt(
    visitor, published, tmp_path, good_file
):
    path = tmp_path / "results.json"
    path.write_bytes(good_file)
    key = reveal_key(published.evaluation.revision)
    arguments = ["grade", path, "--references", files.FOLDER, "--commitment-key", key, "--json"]
    code, out, err = wardboard(*arguments)
    assert (code, err) == (0, "")
    content, graded = visitor.get(receipt_address(published)).json()["receipt"], json.loads(out)
    assert graded["figures_digest"] == content["figures_digest"]
    assert graded["per_run"][0]["file_sha256"] == content["file"]["sha256"]
    assert graded["reference_commitment"] == content["references"]["commitment"]
    path.write_bytes(with_wrong(good_file, 1))
    assert json.loads(wardboard(*arguments)[1])["figures_digest"] != content["figures_digest"]
    assert wardboard(*arguments[:5], "no hexadecimal", *arguments[6:])[0] == 2


def test_before_publication_a_receipt_has_the_rounded_score_and_nothing_to_guess_at(
    user, visitor, ada, good_file
):
    hidden = make_scored(user, make_hidden(rounding=1), with_wrong(good_file, 1))
    assert visitor.get(receipt_address(hidden)).status_code == 404
    receipt = ada.get(receipt_address(hidden))
    content = receipt.json()["receipt"]
    assert set(content["figures"]) == {"score", "rounded_to", "total", "runs"}
    assert content["figures"]["rounded_to"] == 0.06
    assert (content["figures_digest"], content["boards"]) == (None, {})
    assert content["references"]["sha256"] is None
    assert str(hidden.evaluation.right) not in re.findall(r'"right":(\d+)', receipt.content.decode())
    assert verify(receipt.content, keys=trusted(visitor))


def test_a_receipt_says_that_a_result_was_withdrawn_or_disqualified_and_an_earlier_one_still_verifies(
    visitor, ada, user, team, published
):
    kept = visitor.get(receipt_address(published)).content
    assert json.loads(kept)["receipt"]["times"]["disqualified"] is None
    withdraw(submission_id=published.pk, team=team, by=user)
    assert ada.get(receipt_address(published)).json()["receipt"]["times"]["withdrawn"]
    disqualify(submission_id=published.pk, by=user, reason="It copied the answers.")
    now = ada.get(receipt_address(published)).content
    assert json.loads(now)["receipt"]["times"]["disqualified"]
    assert verify(visitor.get(LOG).getvalue(), keys=trusted(visitor), kept=[kept, now])


def test_the_log_of_a_leaderboard_verifies_and_agrees_with_the_head_and_with_an_export(
    visitor, published, demo
):
    log = visitor.get(f"/api/v1/benchmarks/{demo.slug}/log/")
    assert log["Content-Type"] == "application/jsonl"
    kept = [visitor.get(address).content for address in (HEAD, f"/benchmarks/{demo.slug}/board.json.sig")]
    assert verify(log.getvalue(), keys=trusted(visitor), kept=kept)
    kind, content, key = read_signed(kept[0], trusted(visitor))
    assert (kind, content["boards"][demo.slug]["number"]) == ("head", 2)
    (shown,) = visitor.get(KEYS).json()["public_keys"]
    assert (shown["key"], shown["until"], key) == (keys.signer().key, None, keys.signer().key)


def test_a_large_log_is_refused_while_as_many_large_files_are_sent_as_may(visitor, published, monkeypatch):
    monkeypatch.setattr(boards, "LARGE", 2)
    monkeypatch.setattr(boards, "turns", Turns(1))
    with boards.turns.take():
        refused = visitor.get(LOG)
        assert refused.status_code == 503
        assert refused.json()["detail"] == "Too many large files are being sent. Ask again in a few seconds."
        assert refused["Retry-After"] == "5"
    answer = visitor.get(LOG)
    assert verify(answer.getvalue(), keys=trusted(visitor))
    answer.close()
    # The turn is free again.
    boards.turns.take(0).end()


@pytest.fixture
def downloads(visitor, published, tmp_path):
    """Save what the documents download, as curl would; return the folder."""
    for name, address in {
        "receipt.json": receipt_address(published),
        "keys.json": KEYS,
        "log.jsonl": LOG,
        "head.json": HEAD,
    }.items():
        (tmp_path / name).write_bytes(visitor.get(address).getvalue())
    return tmp_path


def test_a_receipt_verifies_with_openssl_by_following_the_documents(downloads):
    below = (ROOT / "docs" / "verify.md").read_text().partition("### A receipt, with openssl\n")[2]
    block = re.search(r"```sh\n(.*?)```", below, re.DOTALL)[1]
    lines = [line for line in block.splitlines() if not line.startswith("curl ")]
    script = ["sh", "-c", "set -e\n" + "\n".join(lines)]
    verified = run_program(script, cwd=downloads)
    assert (verified.returncode, verified.stdout.strip()) == (0, "Signature Verified Successfully"), verified
    receipt = downloads / "receipt.json"
    receipt.write_bytes(receipt.read_bytes().replace(b'"right":4', b'"right":5'))
    assert run_program(script, cwd=downloads).returncode != 0
