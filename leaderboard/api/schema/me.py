"""Shapes of an account, its token, and the tokens of CI jobs and of programs that people approve."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from leaderboard.api.schema.common import Positive, Timestamp
from leaderboard.api.schema.submissions import CiJobSchema
from leaderboard.models import ProvenanceLevel, Role, Scope

_BOARD = "Slug of the only leaderboard that it is good for; null for all."


class TokenSchema(Struct, kw_only=True):
    name: str
    begins_with: Annotated[str, Meta(description="As on the Tokens page.")]
    scopes: Annotated[list[Scope], Meta(description="What it may be used for.")]
    benchmark: Annotated[str | None, Meta(description=_BOARD)]
    created_at: Timestamp
    expires_at: Annotated[Timestamp | None, Meta(description="Null if it does not expire.")]
    job: Annotated[
        CiJobSchema | None,
        Meta(description="The CI job that it was exchanged for; null for one of a person."),
    ]


class TeamSchema(Struct, kw_only=True):
    name: str
    handle: Annotated[str, Meta(description="Its short name, for `team` of requests.")]
    role: Role


class MeSchema(Struct, kw_only=True):
    account: Annotated[
        str,
        Meta(
            description="Email address of the account; empty for a token of a CI job: its log may be public."
        ),
    ]
    email_verified: bool
    team: Annotated[
        str,
        Meta(description="Name of the team that acts unless a request names one; its first file creates it."),
    ]
    teams: Annotated[
        list[TeamSchema], Meta(description="The teams of several people that the account is in.")
    ]
    token: Annotated[TokenSchema | None, Meta(description="Null for a session of the pages.")]


class IssuerSchema(Struct, kw_only=True):
    url: Annotated[str, Meta(description="The `iss` of its ID tokens.")]
    kind: Annotated[str, Meta(description="Whose names its claims have: github or gitlab.")]
    title: str


class TrustedPublishingSchema(Struct, kw_only=True):
    audience: Annotated[
        str,
        Meta(
            description="The `aud` that an ID token must have. With `#sha256:` and the digest of the file "
            "after it (as `file.sha256` of the submission), the issuer's signature covers the digest too."
        ),
    ]
    issuers: Annotated[list[IssuerSchema], Meta(description="Whose ID tokens are accepted.")]
    lifetime_seconds: Annotated[int, Meta(description="How long an exchanged token is good.")]


class CiTokenFields(Struct, kw_only=True, forbid_unknown_fields=True):
    token: Annotated[str, Meta(description="The ID token of the CI job: a JWT of its issuer.")]
    publisher: Annotated[
        str,
        Meta(description="Id of the trusted publisher, from its page.", extra_json_schema={"format": "uuid"}),
    ]


class CiTokenSchema(Struct, kw_only=True):
    token: Annotated[str, Meta(description="The API token.")]
    expires_at: Timestamp
    team: Annotated[str, Meta(description="Name of the team that it submits for.")]
    scopes: list[Scope]
    benchmark: Annotated[str | None, Meta(description=_BOARD)]
    provenance: Annotated[ProvenanceLevel, Meta(description="Of submissions that are made with it.")]
    job: CiJobSchema


GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code"
CLIENT_ID = "wardboard"
TOKEN_TYPE = "Bearer"
LONGEST_STATED = 60  # characters of what a program states about itself
LONGEST_CODE = 200  # characters


class DeviceCodeFields(Struct, kw_only=True, forbid_unknown_fields=True):
    client_id: Annotated[str, Meta(extra_json_schema={"enum": [CLIENT_ID]})]
    scope: Annotated[
        str | UnsetType,
        Meta(description="Scopes of the token with spaces between, such as `read submit`; all without it."),
    ] = UNSET
    client_version: Annotated[
        Annotated[str, Meta(max_length=LONGEST_STATED)] | UnsetType,
        Meta(description="Of the program. The page on which the code is approved shows it."),
    ] = UNSET
    host: Annotated[
        Annotated[str, Meta(max_length=LONGEST_STATED)] | UnsetType,
        Meta(description="Name of the machine; the page shows it, and the token is named after it."),
    ] = UNSET


class DeviceCodeSchema(Struct, kw_only=True):
    """Source: RFC 8628, section 3.2."""

    device_code: Annotated[str, Meta(description="Secret; for the questions of the program alone.")]
    user_code: Annotated[str, Meta(description="For the person, who compares it on the page.")]
    verification_uri: Annotated[str, Meta(description="Address of the page.")]
    verification_uri_complete: Annotated[str, Meta(description="The same with the code in it.")]
    expires_in: Annotated[Positive, Meta(description="Seconds.")]
    interval: Annotated[Positive, Meta(description="Seconds to wait between two questions.")]


class DeviceTokenFields(Struct, kw_only=True, forbid_unknown_fields=True):
    client_id: Annotated[str, Meta(extra_json_schema={"enum": [CLIENT_ID]})]
    grant_type: Annotated[str, Meta(extra_json_schema={"enum": [GRANT_TYPE]})]
    device_code: Annotated[str, Meta(max_length=LONGEST_CODE)]


class IssuedTokenSchema(Struct, kw_only=True):
    """Source: RFC 6749, section 5.1."""

    access_token: Annotated[str, Meta(description="An API token. It cannot be shown again.")]
    token_type: Annotated[str, Meta(extra_json_schema={"enum": [TOKEN_TYPE]})]
    expires_in: Annotated[Positive, Meta(description="Seconds.")]
    scope: Annotated[str, Meta(description="What it may be used for, separated by spaces.")]
