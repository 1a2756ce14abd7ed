"""An issuer of ID tokens for CI jobs on loopback: discovery, keys, and where a job asks for a token."""

import base64
import json
import time
import uuid
from collections.abc import Mapping
from datetime import timedelta
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.utils import timezone

from leaderboard.models import ApiToken, CiJob, TrustedPublisher, User
from leaderboard.services.accounts import personal_team
from tests.support.api_client import Api, assert_problem
from tests.support.loopback import Loopback, ScriptedReply, json_reply

EXCHANGE = "/api/v1/trusted-publishing/token/"
COMMIT = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
REPOSITORY, REPOSITORY_ID = "example-lab/agent", "104928"
WORKFLOW = ".github/workflows/release.yml"
# What a job needs to ask for a token, as the secret of the runner.
REQUEST_TOKEN = "the-runner-may-ask"


def make_publisher(user: User, **fields: Any) -> TrustedPublisher:
    """Store a publisher of the personal team of a user: by default of GitHub, and not bound yet."""
    row = {"issuer": "https://token.actions.githubusercontent.com", "added_by": user}
    row |= {"team": personal_team(user), "repository": REPOSITORY, "workflow": WORKFLOW}
    return TrustedPublisher.objects.create(**{**row, **fields})


def make_ci_job(user: User, *, artifact_sha256: str = "", **fields: Any) -> str:
    """Return a token of a job of a publisher of the user's team, without any issuer."""
    publisher = TrustedPublisher.objects.filter(added_by=user, **fields).first() or make_publisher(
        user, **fields
    )
    job = CiJob.objects.create(
        publisher=publisher,
        token_digest=uuid.uuid4().hex * 2,
        issuer=publisher.issuer,
        repository=publisher.repository,
        repository_id=REPOSITORY_ID,
        workflow=publisher.workflow,
        ref="refs/tags/v1.2",
        commit=COMMIT,
        event="push",
        run_url=f"https://github.com/{publisher.repository}/actions/runs/9876543210",
        artifact_sha256=artifact_sha256,
        forget_at=timezone.now() + timedelta(minutes=10),
    )
    _, text = ApiToken.objects.create(
        user=user,
        expiry=timedelta(minutes=15),
        name=f"CI: {publisher.repository}",
        board=publisher.board,
        team=publisher.team,
        ci_job=job,
    )
    return text


@cache
def signing_key(name: str) -> ec.EllipticCurvePrivateKey:
    """Return a key of that name: one for the whole session, as making one takes time."""
    return ec.generate_private_key(ec.SECP256R1())


def public_jwk(name: str) -> dict[str, Any]:
    key = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(signing_key(name).public_key()))
    return {**key, "kid": name, "use": "sig", "alg": "ES256"}


def public_pem(name: str) -> bytes:
    return (
        signing_key(name)
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )


class CiIssuer(Loopback):
    """Serve an issuer: `with CiIssuer() as issuer:`; `issuer.origin` is its `iss`.

    keys: names of the keys that it serves. reply: in place of all of its answers; None for its own.
    claims: of the tokens that jobs ask for, in place of the usual ones
    """

    def __init__(self) -> None:
        super().__init__(self._reply)
        self.keys = ["first"]
        self.reply: ScriptedReply | None = None
        self.claims: Mapping[str, Any] = {}

    def token(self, *, key: str = "first", **claims: Any) -> str:
        """Return an ID token of a job. A claim that is None is left out."""
        return sign({**github_claims(self.origin), **claims}, key=key)

    def _reply(self, path: str) -> ScriptedReply:
        if self.reply is not None:
            return self.reply
        parts = urlsplit(path)
        match parts.path:
            case "/.well-known/openid-configuration":
                body: Any = {"issuer": self.origin, "jwks_uri": f"{self.origin}/keys"}
            case "/keys":
                body = {"keys": [public_jwk(name) for name in self.keys]}
            case "/token":
                if self.headers[-1].get("Authorization") != f"Bearer {REQUEST_TOKEN}":
                    return ScriptedReply(status=401)
                (audience,) = parse_qs(parts.query)["audience"]
                body = {"value": self.token(**{"aud": audience, **self.claims})}
            case _:
                return ScriptedReply(status=404)
        return json_reply(body)


def sign(claims: Mapping[str, Any], *, key: str = "first", headers: Mapping[str, Any] | None = None) -> str:
    """Return claims as a token. A claim that is None is left out."""
    stated = {name: value for name, value in claims.items() if value is not None}
    return jwt.encode(stated, signing_key(key), algorithm="ES256", headers={"kid": key, **(headers or {})})


def unsigned(claims: Mapping[str, Any], *, signature: bytes = b"", **header: Any) -> str:
    """Return claims under any header, with any signature."""
    parts = [json.dumps(header).encode(), json.dumps(claims).encode(), signature]
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


def github_claims(issuer: str) -> dict[str, Any]:
    """Return the claims of a job of GitHub Actions that a tag started."""
    now, ref = int(time.time()), "refs/tags/v1.2"
    return {
        "iss": issuer,
        "aud": "http://localhost",
        "sub": f"repo:{REPOSITORY}:ref:{ref}",
        "jti": str(uuid.uuid4()),
        "iat": now,
        "nbf": now - 10,
        "exp": now + 300,
        "repository": REPOSITORY,
        "repository_id": REPOSITORY_ID,
        "repository_owner": REPOSITORY.partition("/")[0],
        "repository_owner_id": "77",
        "workflow": "Release",
        "workflow_ref": f"{REPOSITORY}/{WORKFLOW}@{ref}",
        "job_workflow_ref": f"{REPOSITORY}/{WORKFLOW}@{ref}",
        "ref": ref,
        "ref_type": "tag",
        "sha": COMMIT,
        "event_name": "push",
        "head_ref": "",
        "base_ref": "",
        "run_id": "9876543210",
        "run_attempt": "1",
        "runner_environment": "github-hosted",
    }


def gitlab_claims(issuer: str) -> dict[str, Any]:
    """Return the claims of a job of GitLab CI that a tag started."""
    now, site = int(time.time()), urlsplit(issuer).netloc
    return {
        "iss": issuer,
        "aud": "http://localhost",
        "sub": "project_path:example-lab/nlp/agent:ref_type:tag:ref:v1.2",
        "jti": str(uuid.uuid4()),
        "iat": now - 3000,
        "nbf": now - 3005,
        "exp": now + 600,
        "project_path": "example-lab/nlp/agent",
        "project_id": "20",
        "ci_config_ref_uri": f"{site}/example-lab/nlp/agent//.gitlab-ci.yml@refs/tags/v1.2",
        "pipeline_source": "push",
        "ref": "v1.2",
        "ref_path": "refs/tags/v1.2",
        "ref_type": "tag",
        "sha": COMMIT,
        "job_id": "302",
        "pipeline_id": "101",
    }


def exchange(token: str, publisher: TrustedPublisher | str):
    """Ask the service for an API token in exchange for an ID token, and return the response."""
    fields = {"token": token, "publisher": str(getattr(publisher, "pk", publisher))}
    return Api().post(EXCHANGE, fields, "application/json")


def refusals(response) -> dict[str, str]:
    """Return code -> pointer of each problem of a refusal, after which there is no token."""
    document = assert_problem(response, 403, "id-token-refused")
    assert all(problem["message"] and problem["hint"] for problem in document["problems"])
    assert not ApiToken.objects.exists()
    return {problem["code"]: problem["pointer"] for problem in document["problems"]}
