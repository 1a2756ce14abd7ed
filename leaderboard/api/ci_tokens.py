"""Let CI jobs exchange the ID token of their CI system for an API token."""

from uuid import UUID

from django.http import HttpResponse
from rest_framework.request import Request

from leaderboard.api.base import PublicView, respond
from leaderboard.api.errors import ParameterInvalid
from leaderboard.api.operation import Operation
from leaderboard.api.serializers.accounts import CiTokenSerializer
from leaderboard.api.serializers.forms import CiTokenForm
from leaderboard.http.rates import PostThrottle
from leaderboard.services.trusted_publishing.exchange import exchange
from leaderboard.services.trusted_publishing.provenance import provenance_of
from wardboard.scoring.reading.problems import Problem, quote


class CiTokenView(PublicView):
    """The exchange. Nobody is signed in: the ID token says who asks."""

    http_method_names = ["post"]
    throttle_classes = [PostThrottle]
    throttle_scope = "exchanges"

    @Operation(
        id="exchangeIdToken",
        summary="Exchange the ID token of a CI job for an API token of 15 minutes",
        description="Each ID token is good for one exchange. `problems` of a refusal lists what does not "
        "match.",
        body=CiTokenForm,
        answer=CiTokenSerializer,
        statuses=[201],
        refusals=["id-token-refused", "unavailable"],
    )
    def post(self, request: Request) -> HttpResponse:
        publisher_id = _read_id(self.body["publisher"].strip())
        token, text = exchange(id_token=self.body["token"].strip(), publisher_id=publisher_id)
        assert token.ci_job is not None
        assert token.team is not None
        shown = {
            "token": text,
            "expires_at": token.expiry,
            "team": token.team.name,
            "scopes": token.allowed,
            "benchmark": token.board.slug if token.board else None,
            "provenance": provenance_of(token.ci_job),
            "job": token.ci_job,
        }
        return respond(CiTokenSerializer(shown).data, status=201, headers={"Cache-Control": "no-store"})


def _read_id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        message = f"“{quote(text)}” is not the id of a publisher."
        hint = "Copy it from the page of trusted publishers: a UUID. It is not secret."
        problem = Problem(code="request.value-invalid", pointer="/publisher", message=message, hint=hint)
        raise ParameterInvalid(problem) from error
