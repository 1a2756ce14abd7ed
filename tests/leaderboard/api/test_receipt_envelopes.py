"""Receipts as in-toto Statements: another library verifies them, and they say no more than the receipt."""

import base64
import copy
import hashlib
import json
import re
import subprocess
import sys
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey

from leaderboard.services.publishing.disqualify import disqualify
from leaderboard.services.publishing.publish import withdraw
from tests.support.cli import wardboard
from tests.support.factories import make_hidden, make_published, make_scored, send, send_runs
from tests.support.paths import ROOT
from wardboard.scoring.medagentbench import demo as files
from wardboard.scoring.receipts.verify import read_keys, verify

pytestmark = pytest.mark.django_db
KEYS = "/api/v1/keys/"


def address(submission, name="receipt.dsse.json") -> str:
    return f"/api/v1/submissions/{submission.pk}/{name}"


def statement_of(response) -> dict[str, Any]:
    return json.loads(base64.b64decode(response.json()["payload"]))


@pytest.fixture
def published(demo, user, good_file):
    return make_published(user, demo, good_file)


def test_another_library_verifies_an_envelope_by_the_published_key(visitor, published):
    keys = [
        SSlibKey.from_crypto(load_pem_public_key(key["pem"].encode()), keyid=key["id"])
        for key in visitor.get(KEYS).json()["public_keys"]
    ]
    document = visitor.get(address(published)).json()
    Envelope.from_dict(copy.deepcopy(document)).verify(keys, threshold=1)
    payload = base64.b64decode(document["payload"]).replace(b"PASSED", b"FAILED")
    changed = {**document, "payload": base64.b64encode(payload).decode()}
    with pytest.raises(VerificationError):
        Envelope.from_dict(changed).verify(keys, threshold=1)


def test_a_statement_is_about_the_file_and_has_the_receipt(visitor, published, good_file, settings):
    statement = statement_of(visitor.get(address(published)))
    digest = hashlib.sha256(good_file).hexdigest()
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
    assert statement["subject"] == [{"name": "results", "digest": {"sha256": digest}}]
    predicate = statement["predicate"]
    assert predicate["receipt"] == visitor.get(address(published, "receipt/")).json()["receipt"]
    assert predicate["url"] == f"{settings.SITE_URL}/submissions/{published.pk}/"
    assert (predicate["result"], predicate["warnedTests"], predicate["failedTests"]) == ("PASSED", [], [])
    (configuration,) = predicate["configuration"]
    assert configuration["name"] == published.board.slug
    assert configuration["annotations"]["scorer"]["version"] == published.evaluation.scorer_version


def test_the_statement_of_several_runs_is_about_each_file_without_its_name(visitor, demo, user):
    raws = [files.GOOD.read_bytes(), files.MIDDLING.read_bytes()]
    submission = send_runs(user, demo, raws).submission
    visitor.force_login(user)
    statement = statement_of(visitor.get(address(submission)))
    digests = [hashlib.sha256(raw).hexdigest() for raw in raws]
    assert [subject["name"] for subject in statement["subject"]] == ["run-1", "run-2"]
    assert [subject["digest"]["sha256"] for subject in statement["subject"]] == digests


def test_a_withdrawn_result_has_a_warning_and_a_disqualified_one_has_failed(
    visitor, published, user, other_user
):
    visitor.force_login(user)
    withdraw(submission_id=published.pk, team=published.team, by=user)
    predicate = statement_of(visitor.get(address(published)))["predicate"]
    assert (predicate["result"], predicate["warnedTests"]) == ("WARNED", ["not-withdrawn"])
    disqualify(submission_id=published.pk, by=other_user, reason="copied")
    predicate = statement_of(visitor.get(address(published)))["predicate"]
    assert (predicate["result"], predicate["failedTests"]) == ("FAILED", ["not-disqualified"])


def test_before_publication_only_the_team_gets_an_envelope_and_it_has_the_rounded_score(
    visitor, client, user, good_file
):
    hidden = make_scored(user, make_hidden(rounding=1), good_file)
    assert visitor.get(address(hidden)).status_code == 404
    client.force_login(user)
    figures = statement_of(client.get(address(hidden)))["predicate"]["receipt"]["figures"]
    assert figures.keys() == {"score", "rounded_to", "total", "runs"}


def test_a_submission_without_a_score_has_no_envelope(visitor, user, demo):
    visitor.force_login(user)
    response = visitor.get(address(send(user, demo, b"[]").submission))
    assert (response.status_code, response.json()["code"]) == (404, "not-found")


def test_the_command_verifies_an_envelope_and_finds_it_in_the_log(visitor, published, tmp_path):
    envelope, keys, log = (tmp_path / name for name in ("receipt.dsse.json", "keys.json", "log.jsonl"))
    envelope.write_bytes(visitor.get(address(published)).content)
    keys.write_bytes(visitor.get(KEYS).content)
    log.write_bytes(visitor.get("/api/v1/log/").getvalue())
    code, out, err = wardboard("verify", envelope, "--key", keys, "--log", log)
    assert (code, err) == (0, "")
    assert "receipt.dsse.json: envelope, verified" in out
    assert f"It is about results, sha256 {published.sha256}." in out


def codes(raw, keys):
    return [problem.code for problem in verify(raw, keys=keys).problems.listed]


def test_a_changed_envelope_one_of_another_key_and_one_of_another_kind_are_refused(visitor, published):
    keys = read_keys(visitor.get(KEYS).content.decode())
    document = visitor.get(address(published)).json()
    payload = base64.b64decode(document["payload"])
    changed = base64.b64encode(payload.replace(b"PASSED", b"FAILED")).decode()
    for wrong in (
        {**document, "payload": changed},
        {**document, "payload": 1},
        {**document, "payloadType": "application/json"},
        {**document, "signatures": []},
        {**document, "signatures": [{"sig": "AAAA"}]},
        {**document, "signatures": None},
    ):
        assert codes(json.dumps(wrong).encode(), keys) == ["envelope.not-signed"]
    assert codes(json.dumps(document).encode(), []) == ["envelope.not-signed"]
    # Other programs may write the same envelope with other spaces, and without the id of the key.
    without_id = {**document, "signatures": [{"sig": document["signatures"][0]["sig"]}]}
    assert codes(json.dumps(without_id, indent=2).encode(), keys) == []


def test_the_program_in_the_document_verifies_an_envelope(visitor, published, tmp_path):
    text = (ROOT / "docs" / "verify.md").read_text()
    (program,) = re.findall(r"```python\n(import json\n\nfrom cryptography.*?)```", text, re.DOTALL)
    (tmp_path / "keys.json").write_bytes(visitor.get(KEYS).content)
    (tmp_path / "receipt.dsse.json").write_bytes(visitor.get(address(published)).content)
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout == f"PASSED {published.sha256}\n"
