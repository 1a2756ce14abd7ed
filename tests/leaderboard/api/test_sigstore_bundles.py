"""A Sigstore bundle of a file is verified by the real library, kept, shown and given back, or refused."""

import hashlib
import json
import socket
import subprocess
import sys
from datetime import timedelta

import pytest
from django.urls import reverse

from leaderboard.models import FileSignature, Submission
from leaderboard.services import background
from leaderboard.services.delete_account import delete_account
from leaderboard.services.trusted_publishing import bundles
from leaderboard.tasks import admit_submission
from tests.support.api_client import Api, as_file, assert_problem
from tests.support.ci_issuer import COMMIT, REPOSITORY, REPOSITORY_ID, WORKFLOW, make_ci_job, make_publisher
from tests.support.factories import make_facts
from tests.support.sigstore import (
    IDENTITY,
    ISSUER,
    REF,
    RUN,
    SIGNED_AT,
    damaged,
    encoded,
    local_sigstore,
)

SIGSTORE = local_sigstore()


@pytest.fixture(autouse=True)
def root(settings, tmp_path):
    path = SIGSTORE.write_root(tmp_path)
    settings.SIGSTORE_TRUSTED_ROOT = str(path)
    return path


@pytest.fixture
def job(user, demo) -> Api:
    """Send as a job of the repository whose workflow signs."""
    return Api(make_ci_job(user))


def send(api: Api, raw: bytes, bundle: dict | bytes, **fields: str):
    content = bundle if isinstance(bundle, bytes) else encoded(bundle)
    return api.send(raw, make_facts(), sigstore_bundle=as_file(content, "results.sigstore.json"), **fields)


def refused(response) -> str:
    """Return the code of the one problem of a refused request, after which nothing is stored."""
    (problem,) = assert_problem(response, 422, "request-invalid")["problems"]
    assert problem["pointer"] == "/sigstore_bundle"
    assert problem["message"]
    assert problem["hint"]
    assert not Submission.objects.exists()
    assert not FileSignature.objects.exists()
    return problem["code"]


@pytest.mark.parametrize("statement", [False, True], ids=["message", "statement"])
def test_a_signed_file_has_the_highest_level_and_says_who_signed_it(job, good_file, statement):
    bundle = SIGSTORE.sign(good_file, statement=statement)
    body = send(job, good_file, bundle, publish="true").json()
    assert (body["provenance"], body["commit"], body["run_url"]) == ("sigstore", COMMIT, RUN)
    signature = body["signature"]
    assert signature.pop("bundle_sha256") == hashlib.sha256(encoded(bundle)).hexdigest()
    assert signature.pop("bundle") == f"{body['url']}sigstore.json"
    assert signature == {
        "issuer": ISSUER,
        "identity": IDENTITY,
        "repository": REPOSITORY,
        "repository_id": REPOSITORY_ID,
        "workflow": WORKFLOW,
        "ref": REF,
        "commit": COMMIT,
        "run_url": RUN,
        "signed_at": SIGNED_AT.isoformat().replace("+00:00", "Z"),
    }
    assert body["ci_job"]["repository"] == REPOSITORY


def test_the_bundle_comes_back_byte_for_byte_and_is_public_once_the_result_is(job, good_file):
    raw = encoded(SIGSTORE.sign(good_file))
    body = send(job, good_file, raw).json()
    assert job.get(f"{body['url']}sigstore.json").content == raw
    assert_problem(Api().get(f"{body['url']}sigstore.json"), 404, "not-found")
    job.post(f"{body['url']}publish/")
    response = Api().get(f"{body['url']}sigstore.json")
    assert response.content == raw
    assert "attachment" in response["Content-Disposition"]


@pytest.mark.parametrize("statement", [False, True], ids=["message", "statement"])
def test_the_stock_command_verifies_the_bundle_that_the_service_gives(job, good_file, statement, tmp_path):
    body = send(job, good_file, SIGSTORE.sign(good_file, statement=statement)).json()
    kept = job.get(f"{body['url']}sigstore.json").content
    contents = {
        "trust.json": json.dumps(SIGSTORE.trust_config()).encode(),
        "results.json": good_file,
        "results.sigstore.json": kept,
    }
    for name, raw in contents.items():
        (tmp_path / name).write_bytes(raw)
    signature = body["signature"]
    command = [
        *(sys.executable, "-m", "sigstore", "--trust-config", "trust.json", "verify", "identity"),
        *("--bundle", "results.sigstore.json", "--cert-identity", signature["identity"]),
        *("--cert-oidc-issuer", signature["issuer"], "results.json"),
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    (tmp_path / "results.json").write_bytes(good_file + b" ")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode != 0


def test_a_bundle_may_be_a_text_of_the_form(job, good_file):
    raw = encoded(SIGSTORE.sign(good_file))
    body = job.send(good_file, make_facts(), sigstore_bundle=raw.decode()).json()
    assert job.get(f"{body['url']}sigstore.json").content == raw


def test_a_submission_without_a_bundle_has_none_to_give(api, good_file, demo):
    body = api.send(good_file, make_facts()).json()
    assert body["signature"] is None
    assert_problem(api.get(f"{body['url']}sigstore.json"), 404, "not-found")


def test_the_receipt_states_who_signed_and_which_bundle(job, good_file):
    raw = encoded(SIGSTORE.sign(good_file))
    body = send(job, good_file, raw).json()
    provenance = job.get(f"{body['url']}receipt/").json()["receipt"]["provenance"]
    assert provenance["level"] == "sigstore"
    assert provenance["sigstore"]["identity"] == IDENTITY
    assert provenance["sigstore"]["bundle_sha256"] == hashlib.sha256(raw).hexdigest()


def test_an_account_may_send_what_a_workflow_signed_once_a_job_of_it_has_submitted(
    api, user, good_file, demo
):
    make_publisher(user, repository_id=REPOSITORY_ID, bound_at=SIGNED_AT, last_used_at=SIGNED_AT)
    body = send(api, good_file, SIGSTORE.sign(good_file)).json()
    assert (body["provenance"], body["ci_job"], body["commit"]) == ("sigstore", None, COMMIT)
    assert body["run_url"] == RUN


def test_a_bundle_of_another_team_is_refused_also_where_its_repository_is_only_named(
    api, user, good_file, demo
):
    bundle = SIGSTORE.sign(good_file)
    assert refused(send(api, good_file, bundle)) == "sigstore.other-team"
    make_publisher(user, repository_id=REPOSITORY_ID, bound_at=SIGNED_AT)
    assert refused(send(api, good_file, bundle)) == "sigstore.other-team"


@pytest.mark.parametrize("claim", [{15: "7"}, {13: "d" * 40}], ids=["repository", "commit"])
def test_a_job_sends_only_what_was_signed_in_its_repository_at_its_commit(job, good_file, claim):
    assert refused(send(job, good_file, SIGSTORE.sign(good_file, claims=claim))) == "sigstore.other-job"


def test_a_stated_commit_that_contradicts_the_certificate_is_refused(api, user, good_file, demo):
    make_publisher(user, repository_id=REPOSITORY_ID, bound_at=SIGNED_AT, last_used_at=SIGNED_AT)
    response = send(api, good_file, SIGSTORE.sign(good_file), commit="deadbeef")
    (problem,) = assert_problem(response, 422, "request-invalid")["problems"]
    assert (problem["code"], problem["pointer"]) == ("facts.contradict-ci", "/commit")


def test_a_statement_about_several_files_signs_their_runs(job, good_file):
    other = good_file + b"\n"
    files = {"file": [as_file(good_file), as_file(other, "second.json")]}

    def submit(bundle):
        data = {"benchmark": "medagentbench-demo", **files, **make_facts()}
        for file in files["file"]:
            file.seek(0)
        return job.post("/api/v1/submissions/", {**data, "sigstore_bundle": as_file(encoded(bundle))})

    assert refused(submit(SIGSTORE.sign(good_file, statement=True))) == "sigstore.other-file"
    body = submit(SIGSTORE.sign(good_file, other, b"a third one", statement=True)).json()
    assert (body["provenance"], body["runs"]) == ("sigstore", 2)


def change(path: str, value: object = None):
    """Return a function that puts `value` at a place of a bundle, or other bytes than it has there."""

    def apply(bundle: dict) -> None:
        *parents, last = path.split("/")
        place = bundle
        for name in parents:
            place = place[int(name) if name.isdigit() else name]
        place[last] = damaged(place[last]) if value is None else value

    return apply


ENTRY = "verificationMaterial/tlogEntries/0"
CHANGES = {
    "media-type": change("mediaType", "application/json"),
    "log-entry-missing": change("verificationMaterial/tlogEntries", []),
    "signature": change("messageSignature/signature"),
    "log-entry": change(f"{ENTRY}/inclusionPromise/signedEntryTimestamp"),
    "unknown-root": change("verificationMaterial/certificate/rawBytes"),
    "malformed": change("verificationMaterial/certificate/rawBytes", "AAAA"),
}


@pytest.mark.parametrize("code", CHANGES)
def test_each_fault_of_a_bundle_has_a_name(job, good_file, code):
    bundle = SIGSTORE.sign(good_file)
    CHANGES[code](bundle)
    assert refused(send(job, good_file, bundle)) == f"sigstore.{code}"


@pytest.mark.parametrize(
    "path",
    [
        f"{ENTRY}/canonicalizedBody",
        f"{ENTRY}/inclusionProof/rootHash",
        f"{ENTRY}/logId/keyId",
    ],
)
def test_an_entry_that_the_log_did_not_sign_is_named(job, good_file, path):
    bundle = SIGSTORE.sign(good_file)
    change(path)(bundle)
    assert refused(send(job, good_file, bundle)) == "sigstore.log-entry"


def test_the_entry_of_another_signature_is_named(job, good_file):
    bundle, other = SIGSTORE.sign(good_file), SIGSTORE.sign(b"another file")
    bundle["verificationMaterial"]["tlogEntries"] = other["verificationMaterial"]["tlogEntries"]
    assert refused(send(job, good_file, bundle)) == "sigstore.log-entry"


def test_a_bundle_of_another_file_is_refused_with_both_digests(job, good_file):
    response = send(job, good_file, SIGSTORE.sign(b"another file"))
    (problem,) = response.json()["problems"]
    for raw in (good_file, b"another file"):
        assert hashlib.sha256(raw).hexdigest() in problem["message"]
    assert refused(response) == "sigstore.other-file"


def test_a_claimed_digest_does_not_make_a_signature_of_another_file_one_of_this(job, good_file):
    bundle, own = SIGSTORE.sign(b"another file"), SIGSTORE.sign(good_file)
    bundle["messageSignature"]["messageDigest"] = own["messageSignature"]["messageDigest"]
    assert refused(send(job, good_file, bundle)) == "sigstore.signature"


def test_a_certificate_that_had_expired_when_the_log_took_the_signature_is_refused(job, good_file):
    bundle = SIGSTORE.sign(good_file, logged_at=SIGNED_AT + timedelta(minutes=6))
    assert refused(send(job, good_file, bundle)) == "sigstore.certificate-expired"


def test_a_certificate_that_has_expired_since_is_fine(job, good_file):
    # All of them have: they are valid for ten minutes.
    assert send(job, good_file, SIGSTORE.sign(good_file)).status_code == 201


def test_an_authority_that_the_operator_does_not_trust_is_refused(job, good_file):
    bundle = local_sigstore("foreign").sign(good_file)
    assert refused(send(job, good_file, bundle)) == "sigstore.unknown-root"


@pytest.mark.parametrize(("key", "code"), [("certificates_key", "certificate-log"), ("log_key", "log-entry")])
def test_a_log_that_the_operator_does_not_trust_is_refused(job, good_file, root, key, code):
    document, foreign = SIGSTORE.trusted_root(), local_sigstore("foreign").trusted_root()
    name = "ctlogs" if key == "certificates_key" else "tlogs"
    root.write_text(json.dumps({**document, name: foreign[name]}))
    assert refused(send(job, good_file, SIGSTORE.sign(good_file))) == f"sigstore.{code}"


def test_a_bundle_without_a_signed_time_is_refused(job, good_file):
    bundle = SIGSTORE.sign(good_file)
    del bundle["verificationMaterial"]["tlogEntries"][0]["inclusionPromise"]
    assert refused(send(job, good_file, bundle)) == "sigstore.malformed"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{",
        b'{"mediaType": 1}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"mediaType": "x", "verificationMaterial": 5}',
    ],
    ids=range(7),
)
def test_what_is_no_bundle_is_malformed(job, good_file, content):
    assert refused(send(job, good_file, content)) == "sigstore.malformed"


def test_a_bundle_beyond_the_limit_is_refused_and_one_at_it_is_not(job, good_file):
    raw = encoded(SIGSTORE.sign(good_file))
    assert refused(send(job, good_file, raw.ljust(bundles.LARGEST + 1))) == "sigstore.too-large"
    assert send(job, good_file, raw.ljust(bundles.LARGEST)).status_code == 201


@pytest.mark.parametrize(
    ("payload", "payload_type"),
    [
        (b"{}", "application/vnd.in-toto+json"),
        (b"not JSON", "application/vnd.in-toto+json"),
        (
            b'{"_type": "https://in-toto.io/Statement/v1", "subject": [{"digest": 1}]}',
            "application/vnd.in-toto+json",
        ),
        (b'{"_type": "https://in-toto.io/Statement/v1", "subject": []}', "text/plain"),
    ],
)
def test_an_envelope_of_something_else_than_a_statement_is_refused(job, good_file, payload, payload_type):
    bundle = SIGSTORE.bundle(payload=payload, payload_type=payload_type)
    assert refused(send(job, good_file, bundle)) == "sigstore.statement"


@pytest.mark.parametrize(
    ("identity", "claims"),
    [
        ("ada@example.org", {8: "https://accounts.example.org"}),
        (IDENTITY, {8: "https://ci.example.org"}),
        (IDENTITY, {8: None}),
        (IDENTITY, {12: "https://elsewhere.example.org/example-lab/agent"}),
        (IDENTITY, {13: "main"}),
        (IDENTITY, {15: None}),
        (IDENTITY, {18: "https://github.com/someone/else/.github/workflows/x.yml@main"}),
    ],
)
def test_an_identity_that_is_no_workflow_of_an_accepted_system_is_refused(job, good_file, identity, claims):
    bundle = SIGSTORE.sign(good_file, identity=identity, claims=claims)
    assert refused(send(job, good_file, bundle)) == "sigstore.no-workflow"


@pytest.mark.parametrize("claims", [{20: "pull_request_target"}, {20: None}, {14: "refs/pull/7/merge"}])
def test_a_workflow_that_others_can_start_is_refused(job, good_file, claims):
    assert refused(send(job, good_file, SIGSTORE.sign(good_file, claims=claims))) == "sigstore.event"


def test_a_gitlab_job_signs_too(api, user, good_file, demo):
    home, issuer = "https://gitlab.com/example-lab/nlp/agent", "https://gitlab.com"
    config = f"{home}//.gitlab-ci.yml@refs/heads/main"
    claims = {8: issuer, 12: home, 14: "refs/heads/main", 15: "20", 18: config, 21: f"{home}/-/jobs/302"}
    make_publisher(
        user,
        issuer=issuer,
        repository="example-lab/nlp/agent",
        repository_id="20",
        workflow=".gitlab-ci.yml",
        bound_at=SIGNED_AT,
        last_used_at=SIGNED_AT,
    )
    signature = send(api, good_file, SIGSTORE.sign(good_file, identity=config, claims=claims)).json()[
        "signature"
    ]
    assert (signature["repository"], signature["workflow"]) == ("example-lab/nlp/agent", ".gitlab-ci.yml")
    assert signature["run_url"] == f"{home}/-/jobs/302"


def test_a_service_without_a_trusted_root_refuses_the_field_and_never_ignores_it(job, good_file, settings):
    settings.SIGSTORE_TRUSTED_ROOT = ""
    assert refused(send(job, good_file, SIGSTORE.sign(good_file))) == "sigstore.not-offered"


def test_without_the_extra_the_field_is_refused_and_the_start_says_why(job, good_file, monkeypatch):
    bundles._verifier_of.cache_clear()
    monkeypatch.setitem(sys.modules, "leaderboard.services.trusted_publishing.sigstore_library", None)
    assert refused(send(job, good_file, SIGSTORE.sign(good_file))) == "sigstore.not-offered"
    (error,) = bundles.check_trusted_root()
    assert "requirements-sigstore.lock" in error.msg


@pytest.mark.parametrize("content", ["", "{}", '{"mediaType": "application/json"}', None])
def test_a_trusted_root_that_is_none_is_named_at_the_start(job, good_file, root, content):
    root.write_text(content) if content is not None else root.unlink()
    (error,) = bundles.check_trusted_root()
    assert "SIGSTORE_TRUSTED_ROOT" in error.msg
    assert refused(send(job, good_file, SIGSTORE.sign(good_file))) == "sigstore.not-offered"


def test_a_trusted_root_that_the_operator_replaces_counts_at_once(job, good_file, root):
    bundle = local_sigstore("foreign").sign(good_file)
    assert refused(send(job, good_file, bundle)) == "sigstore.unknown-root"
    root.write_text(json.dumps(local_sigstore("foreign").trusted_root()))
    assert send(job, good_file, bundle).status_code == 201


def test_a_verification_opens_no_connection(job, good_file, monkeypatch):
    def connect(*_):
        raise AssertionError("a connection")

    monkeypatch.setattr(socket.socket, "connect", connect)
    assert send(job, good_file, SIGSTORE.sign(good_file)).status_code == 201


def test_the_check_of_a_file_takes_no_bundle(api, good_file, demo):
    response = send(Api(api.token), good_file, b"{}", path="/api/v1/validations/")
    assert response.status_code == 422
    assert "sigstore_bundle" in {problem["pointer"].strip("/") for problem in response.json()["problems"]}


def test_two_bundles_are_refused(job, good_file):
    raw = encoded(SIGSTORE.sign(good_file))
    data = {"benchmark": "medagentbench-demo", "file": as_file(good_file), **make_facts()}
    response = job.post("/api/v1/submissions/", {**data, "sigstore_bundle": [as_file(raw), as_file(raw)]})
    assert response.status_code == 422


def test_a_file_that_was_sent_before_without_its_bundle_keeps_its_level(job, good_file):
    first = job.send(good_file, make_facts()).json()
    again = send(job, good_file, SIGSTORE.sign(good_file)).json()
    assert (again["id"], again["provenance"], again["not_applied"]) == (first["id"], "ci", ["provenance"])
    assert not FileSignature.objects.exists()
    response = send(job, good_file, SIGSTORE.sign(good_file), strict="true")
    (problem,) = assert_problem(response, 422, "request-invalid")["problems"]
    assert problem["pointer"] == "/sigstore_bundle"


def test_a_repeated_request_gets_the_same_answer(job, good_file):
    raw = encoded(SIGSTORE.sign(good_file))

    def submit():
        return job.send(
            good_file, make_facts(), key="one", sigstore_bundle=as_file(raw, "results.sigstore.json")
        )

    first, again = submit(), submit()
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json()["signature"] == first.json()["signature"]
    assert FileSignature.objects.count() == 1


@pytest.mark.parametrize("is_large", [False, True])
def test_of_a_rejected_file_no_bundle_is_kept(job, is_large, settings, monkeypatch):
    raw = b'[{"id": "no such task"}]'
    settings.CHECK_AT_ONCE_BYTES = 1 if is_large else len(raw)
    monkeypatch.setattr(background, "enqueue", lambda *_, **__: None)
    response = send(job, raw, SIGSTORE.sign(raw))
    assert response.status_code == (201 if is_large else 422)
    assert FileSignature.objects.exists() == is_large
    admit_submission(str(Submission.objects.get().pk))
    submission = Submission.objects.get()
    assert (submission.status, submission.provenance, submission.signature) == ("rejected", "ci", None)
    assert not FileSignature.objects.exists()


def test_a_deleted_account_takes_the_bundles_of_unpublished_files_with_it(job, user, good_file):
    body = send(job, good_file, SIGSTORE.sign(good_file)).json()
    delete_account(user)
    submission = Submission.objects.get(pk=body["id"])
    assert (submission.provenance, submission.signature) == ("account", None)
    assert not FileSignature.objects.exists()


def test_a_deleted_account_leaves_the_bundle_of_a_published_result(job, user, good_file):
    body = send(job, good_file, SIGSTORE.sign(good_file), publish="true").json()
    delete_account(user)
    assert Api().get(f"{body['url']}sigstore.json").status_code == 200


def test_a_withdrawn_result_hides_its_bundle(job, good_file):
    body = send(job, good_file, SIGSTORE.sign(good_file), publish="true").json()
    job.post(f"{body['url']}withdraw/")
    assert_problem(Api().get(f"{body['url']}sigstore.json"), 404, "not-found")


def test_the_form_takes_a_bundle_and_says_what_is_wrong_with_one(client, user, good_file, demo):
    make_publisher(user, repository_id=REPOSITORY_ID, bound_at=SIGNED_AT, last_used_at=SIGNED_AT)
    client.force_login(user)

    def submit(bundle):
        fields = {**make_facts(), "file": as_file(good_file), "sigstore_bundle": as_file(encoded(bundle))}
        return client.post(reverse("web:submit", args=[demo.slug]), fields)

    response = submit(SIGSTORE.sign(b"another file"))
    assert response.status_code == 422
    assert "the bundle signs" in response.content.decode()
    assert not Submission.objects.exists()
    assert submit(SIGSTORE.sign(good_file)).status_code == 302
    assert Submission.objects.get().provenance == "sigstore"


def test_the_form_offers_no_bundle_where_none_is_taken(client, user, demo, settings):
    client.force_login(user)
    fields = {"system": "My agent"}
    assert b'name="sigstore_bundle"' in client.post(reverse("web:submit", args=[demo.slug]), fields).content
    settings.SIGSTORE_TRUSTED_ROOT = ""
    assert b"sigstore" not in client.post(reverse("web:submit", args=[demo.slug]), fields).content
