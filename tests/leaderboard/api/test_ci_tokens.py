"""A CI job exchanges the ID token of its issuer for an API token, and forged ones are refused by name."""

import hashlib
import hmac
import time
from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.models import ApiToken, AuditEvent, CiJob, Membership, Role, Team
from leaderboard.services.accounts import personal_team
from leaderboard.services.trusted_publishing import issuer_keys
from tests.support.api_client import Api, assert_problem
from tests.support.ci_issuer import (
    COMMIT,
    REPOSITORY,
    REPOSITORY_ID,
    WORKFLOW,
    CiIssuer,
    exchange,
    github_claims,
    gitlab_claims,
    make_publisher,
    public_pem,
    refusals,
    sign,
    unsigned,
)
from tests.support.factories import make_user
from tests.support.processes import run_at_once

pytestmark = pytest.mark.both_databases
ME = "/api/v1/me/"


def test_a_job_gets_a_token_of_fifteen_minutes_for_its_team(issuer, publisher, user):
    response = exchange(issuer.token(), publisher)
    assert response.status_code == 201, response.content
    assert response["Cache-Control"] == "no-store"
    body = response.json()
    assert body["scopes"] == ["validate", "submit", "publish", "read"]
    assert (body["team"], body["benchmark"], body["provenance"]) == (
        personal_team(user).name,
        None,
        "account",
    )
    assert body["job"] == {
        "issuer": issuer.origin,
        "repository": REPOSITORY,
        "repository_id": REPOSITORY_ID,
        "workflow": WORKFLOW,
        "ref": "refs/tags/v1.2",
        "commit": COMMIT,
        "environment": "",
        "run_url": f"{issuer.origin}/{REPOSITORY}/actions/runs/9876543210",
        "artifact_sha256": "",
    }
    token = ApiToken.objects.get()
    assert 890 < (token.expiry - token.created).total_seconds() <= 900
    me = Api(body["token"]).get(ME).json()
    assert (me["account"], me["token"]["job"]) == ("", body["job"])


def test_the_first_job_binds_the_id_of_the_repository_and_another_id_is_refused_after(issuer, publisher):
    assert exchange(issuer.token(), publisher).status_code == 201
    publisher.refresh_from_db()
    assert publisher.repository_id == REPOSITORY_ID
    assert AuditEvent.objects.filter(action=AuditEvent.Action.PUBLISHER_BOUND).count() == 1
    ApiToken.objects.all().delete()
    again = exchange(issuer.token(repository_id="5"), publisher)
    assert refusals(again) == {"id-token.repository-id": "/repository_id"}
    assert "deleted or moved" in again.json()["problems"][0]["message"]
    publisher.refresh_from_db()
    assert publisher.repository_id == REPOSITORY_ID


NOW = int(time.time())
STRANGER = f"stranger/agent/{WORKFLOW}@refs/heads/main"
TEST_WORKFLOW = f"{REPOSITORY}/.github/workflows/test.yml@refs/heads/main"
# What the claims of a token say otherwise, and the problem that is named then.
FORGED_CLAIMS = {
    "another issuer": ({"iss": "https://evil.example.org"}, "issuer", "/iss"),
    "another audience": ({"aud": "https://pypi.org"}, "audience", "/aud"),
    "several audiences": ({"aud": ["http://localhost", "https://pypi.org"]}, "audience", "/aud"),
    "a digest alone as the audience": ({"aud": f"#sha256:{'a' * 64}"}, "audience", "/aud"),
    "expired": ({"exp": NOW - 3600, "iat": NOW - 3700}, "invalid", ""),
    "not yet valid": ({"nbf": NOW + 3600}, "invalid", ""),
    "of the future": ({"iat": NOW + 3600}, "invalid", ""),
    "too old": ({"iat": NOW - 8000, "nbf": NOW - 8000, "exp": NOW + 8000}, "invalid", ""),
    "times before and after every calendar": ({"exp": -(10**20), "nbf": 10**20}, "invalid", ""),
    "made before every calendar": ({"iat": -(10**20)}, "invalid", ""),
    "times that are none": ({"exp": "soon", "iat": [1]}, "invalid", ""),
    "without an id and an end": ({"jti": None, "exp": None}, "invalid", ""),
    "another repository, as a fork has": (
        {"repository": "stranger/agent", "workflow_ref": STRANGER, "job_workflow_ref": STRANGER},
        "repository",
        "/repository",
    ),
    "another workflow": (
        {"workflow_ref": TEST_WORKFLOW, "job_workflow_ref": TEST_WORKFLOW},
        "workflow",
        "/workflow_ref",
    ),
    "steps of a reusable workflow of someone else": (
        {"job_workflow_ref": f"stranger/shared/{WORKFLOW}@refs/heads/main"},
        "workflow",
        "/job_workflow_ref",
    ),
    "another environment": ({"environment": "staging"}, "environment", "/environment"),
    "a pull request": (
        {"event_name": "pull_request", "ref": "refs/pull/7/merge", "head_ref": "patch-1", "base_ref": "main"},
        "event",
        "/event_name",
    ),
    "a pull request with the rights of its target": (
        {"event_name": "pull_request_target", "ref": "refs/heads/main"},
        "event",
        "/event_name",
    ),
    "a merge queue": (
        {"ref": "refs/heads/gh-readonly-queue/main/pr-7-9fceb02"},
        "event",
        "/event_name",
    ),
    "without repository and commit": ({"repository_id": None, "sha": None}, "claim", "/sha"),
    "a commit that is none": ({"sha": "main"}, "claim", "/sha"),
    "oversized": ({"more": "x" * 9000}, "malformed", ""),
}
FORGED = {
    "signed with another key under the name of this one": (
        lambda issuer: sign(github_claims(issuer.origin), key="stranger", headers={"kid": "first"}),
        {"id-token.invalid": ""},
    ),
    "claims changed after signing": (
        lambda issuer: ".".join(
            part if at != 1 else unsigned({**github_claims(issuer.origin), "repository": "x/y"}).split(".")[1]
            for at, part in enumerate(issuer.token().split("."))
        ),
        {"id-token.invalid": ""},
    ),
    "no algorithm": (
        lambda issuer: unsigned(github_claims(issuer.origin), alg="none", kid="first"),
        {"id-token.invalid": ""},
    ),
    "the public key used as an HMAC secret": (
        lambda issuer: hmac_signed(github_claims(issuer.origin)),
        {"id-token.invalid": ""},
    ),
    "an algorithm that the key does not have": (
        lambda issuer: unsigned(github_claims(issuer.origin), signature=b"x" * 256, alg="RS256", kid="first"),
        {"id-token.invalid": ""},
    ),
    "a key that the issuer does not have": (
        lambda issuer: issuer.token(key="stranger"),
        {"id-token.key-unknown": "/kid"},
    ),
    "an issuer that only begins alike": (
        lambda issuer: issuer.token(iss=f"{issuer.origin}/"),
        {"id-token.issuer": "/iss"},
    ),
    "not a token": (lambda issuer: "ghs_0123456789", {"id-token.malformed": ""}),
    "a list in place of claims": (
        lambda issuer: unsigned([1], alg="ES256", kid="first"),
        {"id-token.malformed": ""},
    ),
}


def hmac_signed(claims) -> str:
    text = unsigned(claims, alg="HS256", kid="first", typ="JWT").rpartition(".")[0]
    signature = hmac.new(public_pem("first"), text.encode(), hashlib.sha256).digest()
    return f"{text}.{unsigned({}, signature=signature, alg='x').rpartition('.')[2]}"


def assert_forged(issuer, user, token: str, expected: dict, environment: str = "") -> None:
    publisher = make_publisher(user, issuer=issuer.origin, environment=environment)
    assert refusals(exchange(token, publisher)) == expected
    assert not CiJob.objects.exists()
    publisher.refresh_from_db()
    assert not publisher.is_bound


@pytest.mark.parametrize("kind", FORGED_CLAIMS)
def test_a_token_with_claims_of_another_job_is_refused_with_the_code_of_its_fault(issuer, user, db, kind):
    claims, code, pointer = FORGED_CLAIMS[kind]
    environment = "production" if "environment" in claims else ""
    assert_forged(issuer, user, issuer.token(**claims), {f"id-token.{code}": pointer}, environment)


@pytest.mark.parametrize("kind", FORGED)
def test_a_forged_token_is_refused_with_the_code_of_its_fault(issuer, user, db, kind):
    forge, expected = FORGED[kind]
    assert_forged(issuer, user, forge(issuer), expected)


def test_every_mismatch_is_named_at_once_and_nothing_that_the_publisher_has(issuer, user, db):
    publisher = make_publisher(
        user,
        issuer=issuer.origin,
        repository="secret-lab/hidden",
        workflow=".github/workflows/private.yml",
        environment="vault",
    )
    response = exchange(issuer.token(event_name="issue_comment"), publisher)
    assert refusals(response) == {
        "id-token.repository": "/repository",
        "id-token.workflow": "/workflow_ref",
        "id-token.environment": "/environment",
        "id-token.event": "/event_name",
    }
    for secret in ("secret-lab", "private.yml", "vault", user.email):
        assert secret not in response.content.decode()


def test_a_publisher_outlives_the_person_who_added_it_and_not_the_last_owner(issuer, user, other_user, db):
    team = Team.objects.create(name="Example Lab")
    publisher = make_publisher(user, issuer=issuer.origin, team=team)
    for person in (user, other_user):
        Membership.objects.create(team=team, user=person, role=Role.OWNER)
    body = exchange(issuer.token(), publisher).json()
    assert body["team"] == "Example Lab"
    Membership.objects.filter(user=user, team=team).delete()
    assert Api(body["token"]).get(ME).json()["team"] == "Example Lab"
    assert exchange(issuer.token(), publisher).status_code == 201
    ApiToken.objects.all().delete()
    Membership.objects.filter(team=team).delete()
    response = exchange(issuer.token(), publisher)
    assert refusals(response) == {"id-token.publisher": ""}
    assert "no active member who is responsible" in response.json()["detail"]


def test_an_unknown_publisher_and_a_malformed_id_are_refused(issuer, publisher):
    unknown = "00000000-0000-4000-8000-000000000000"
    assert refusals(exchange(issuer.token(), unknown)) == {"id-token.publisher": ""}
    assert_problem(exchange(issuer.token(), "my-team"), 400, "parameter-invalid")


def test_a_token_is_exchanged_once(issuer, publisher, user):
    token = issuer.token()
    assert exchange(token, publisher).status_code == 201
    assert_replayed(exchange(token, make_publisher(make_user("bob@example.org"), issuer=issuer.origin)))
    # A lost answer is not given again a minute later, nor once its token is gone.
    CiJob.objects.update(exchanged_at=timezone.now() - timedelta(seconds=61))
    assert_replayed(exchange(token, publisher))
    CiJob.objects.update(exchanged_at=timezone.now())
    ApiToken.objects.all().delete()
    assert_replayed(exchange(token, publisher))


def test_a_job_whose_answer_was_lost_gets_another_token_and_the_first_is_revoked(issuer, publisher):
    token = issuer.token()
    lost, kept = (exchange(token, publisher).json()["token"] for _ in range(2))
    assert lost != kept
    assert [Api(text).get(ME).status_code for text in (lost, kept)] == [401, 200]
    assert ApiToken.objects.count() == CiJob.objects.count() == 1
    # The job has begun its work: anyone who asks now is someone else.
    assert_replayed(exchange(token, publisher))


def assert_replayed(response) -> None:
    problem = assert_problem(response, 403, "id-token-refused")
    assert [each["code"] for each in problem["problems"]] == ["id-token.replayed"]


def test_of_four_exchanges_of_one_token_at_once_one_token_is_left(issuer, user, transactional_db):
    publisher, token = make_publisher(user, issuer=issuer.origin), issuer.token()
    answers = run_at_once(*[lambda: exchange(token, publisher)] * 4)
    assert {answer.status_code for answer in answers} == {201}
    assert ApiToken.objects.count() == CiJob.objects.count() == 1


def test_a_job_of_gitlab_gets_a_token_too(settings, user, db):
    issuer_keys.keys_of.cache_clear()
    with CiIssuer() as issuer:
        settings.TRUSTED_ISSUERS = {issuer.origin: "gitlab"}
        publisher = make_publisher(
            user, issuer=issuer.origin, repository="example-lab/nlp/agent", workflow=".gitlab-ci.yml"
        )
        claims = gitlab_claims(issuer.origin)
        of_request = {"pipeline_source": "merge_request_event", "ref_path": "refs/merge-requests/3/head"}
        refused = refusals(exchange(sign({**claims, **of_request}), publisher))
        assert refused == {"id-token.event": "/pipeline_source"}
        body = exchange(sign(claims), publisher).json()
    run_url = f"{issuer.origin}/example-lab/nlp/agent/-/jobs/302"
    expected = {"repository_id": "20", "ref": "refs/tags/v1.2", "run_url": run_url}
    assert body["job"].items() >= expected.items()
