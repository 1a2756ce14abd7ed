"""Let CI jobs exchange the ID token of their CI system for an API token."""

from uuid import UUID

import msgspec
from django.http import HttpResponse
from rest_framework.request import Request

from leaderboard.api.base import PublicView, respond
from leaderboard.api.errors import ParameterInvalid
from leaderboard.api.parameters.query import invalid_value, read_text
from leaderboard.api.representations.submissions import show_ci_job
from leaderboard.api.schema.me import (
    CiTokenFields,
    CiTokenSchema,
    IssuerSchema,
    TrustedPublishingSchema,
)
from leaderboard.api.schema.operation import Operation, SuccessResponse
from leaderboard.http.rates import PostThrottle
from leaderboard.services.trusted_publishing.exchange import LIFETIME, exchange
from leaderboard.services.trusted_publishing.id_tokens import audience
from leaderboard.services.trusted_publishing.issuers import known_issuers
from leaderboard.services.trusted_publishing.provenance import provenance_of
from wardboard.scoring.reading.problems import quote

_LONGEST_BODY = 16 * 1024


class TrustedPublishingView(PublicView):
    """What an ID token must have, to be exchanged."""

    @Operation(
        id="getTrustedPublishing",
        tag="service",
        summary="What the ID token of a CI job must have, to be exchanged for an API token",
        answer=TrustedPublishingSchema,
    )
    def get(self, request: Request) -> HttpResponse:
        body = TrustedPublishingSchema(
            audience=audience(),
            issuers=msgspec.convert(list(known_issuers().values()), list[IssuerSchema], from_attributes=True),
            lifetime_seconds=int(LIFETIME.total_seconds()),
        )
        return respond(body, headers={"Cache-Control": "public, max-age=300"})


class CiTokenView(PublicView):
    """The exchange. Nobody is signed in: the ID token says who asks."""

    fields = CiTokenFields
    http_method_names = ["post"]
    throttle_classes = [PostThrottle]
    throttle_scope = "exchanges"

    @Operation(
        id="exchangeIdToken",
        tag="service",
        summary="Exchange the ID token of a CI job for an API token of 15 minutes",
        description="Each ID token is good for one exchange. `problems` of a refusal lists what does not "
        "match.",
        answer=[SuccessResponse(status=201, body=CiTokenSchema)],
        refusals=["id-token-refused", "issuer-away"],
    )
    def post(self, request: Request) -> HttpResponse:
        id_token = read_text(request.data, "token", _LONGEST_BODY).strip()
        publisher_id = _read_id(read_text(request.data, "publisher", _LONGEST_BODY).strip())
        token, text = exchange(id_token=id_token, publisher_id=publisher_id)
        assert token.ci_job is not None
        assert token.team is not None
        body = CiTokenSchema(
            token=text,
            expires_at=token.expiry,
            team=token.team.name,
            scopes=token.allowed,
            benchmark=token.board.slug if token.board else None,
            provenance=provenance_of(token.ci_job),
            job=show_ci_job(token.ci_job),
        )
        return respond(body, status=201, headers={"Cache-Control": "no-store"})


def _read_id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        message = f"“{quote(text)}” is not the id of a publisher."
        hint = "Copy it from the page of trusted publishers: a UUID. It is not secret."
        raise ParameterInvalid(invalid_value("publisher", message, hint)) from error
