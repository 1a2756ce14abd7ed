"""Who a token acts for, what it may be used for, and how programs and CI jobs get one."""

from django.http import HttpResponse
from django.urls import reverse
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request

from leaderboard.api.authentication import token_of
from leaderboard.api.base import ApiView, PublicView, respond, user_of, viewer_of
from leaderboard.api.errors import ParameterInvalid
from leaderboard.api.operation import Operation
from leaderboard.api.parameters import unknown_choice
from leaderboard.api.serializers.accounts import (
    TOKEN_TYPE,
    CiTokenSerializer,
    DeviceCodeSerializer,
    IssuedTokenSerializer,
    MeSerializer,
)
from leaderboard.api.serializers.forms import CLIENT_ID, CiTokenForm, DeviceCodeForm, DeviceTokenForm
from leaderboard.http.addresses import client_address
from leaderboard.models import OF_SENDERS, Membership
from leaderboard.services.accounts import new_team
from leaderboard.services.teams import device_codes
from leaderboard.services.trusted_publishing.exchange import exchange

_NO_STORE = {"Cache-Control": "no-store"}


class MeView(ApiView):
    permission_classes = [IsAuthenticated]
    # A token may always ask what it is.
    scopes = {}

    @Operation(
        id="getMe",
        summary="The account, the team and the token of the request",
        answer=MeSerializer,
    )
    def get(self, request: Request) -> HttpResponse:
        user, token = user_of(request), token_of(request)
        team = viewer_of(request) or new_team(user)
        # Of a token of a team, that team alone.
        memberships = Membership.objects.filter(user=user, team__owner_alone=None).select_related("team")
        if token is not None and token.team is not None:
            memberships = memberships.filter(team=token.team)
        shown = {
            # The log of a job may be public, and the account is that of the person who added its publisher.
            "account": "" if token and token.ci_job else user.email,
            "email_verified": user.has_verified_email,
            "team": team.name,
            "teams": memberships.order_by("team__name", "pk"),
            "token": token,
        }
        return respond(MeSerializer(shown).data, headers=_NO_STORE)


class DeviceCodesView(PublicView):
    throttle_scope = "sign-ins"

    @Operation(
        id="requestDeviceCode",
        summary="Ask for a token that a person approves in a browser",
        description="The device authorization request of RFC 8628. A code is good for ten minutes.",
        body=DeviceCodeForm,
        answer=DeviceCodeSerializer,
    )
    def post(self, request: Request) -> HttpResponse:
        known = [scope.value for scope in OF_SENDERS]
        names = self.body["scope"].split() or known
        hint = f"Those there are: {' '.join(known)}."
        if problems := [unknown_choice("scope", name, known, hint) for name in names if name not in known]:
            raise ParameterInvalid(*problems)
        row, device_code = device_codes.begin(
            client=f"{CLIENT_ID} {self.body['client_version']}",
            host=self.body["host"],
            scopes=[scope for scope in OF_SENDERS if scope in names],
            address=client_address(request._request),
        )
        page = request.build_absolute_uri(reverse("web:device"))
        shown = {
            "device_code": device_code,
            "user_code": row.shown_code,
            "verification_uri": page,
            "verification_uri_complete": f"{page}?user_code={row.shown_code}",
            "expires_in": int(device_codes.LIFETIME.total_seconds()),
            "interval": device_codes.INTERVAL,
        }
        return respond(DeviceCodeSerializer(shown).data, headers=_NO_STORE)


class DeviceTokenView(PublicView):
    throttle_scope = "submissions"

    @Operation(
        id="fetchDeviceToken",
        summary="Fetch the token of an approved code, once",
        description="The device access token request of RFC 8628. `error` of a problem is the "
        "RFC's name: authorization_pending, access_denied, expired_token or invalid_grant.",
        body=DeviceTokenForm,
        answer=IssuedTokenSerializer,
        refusals=["code-refused", "wrong-state"],
    )
    def post(self, request: Request) -> HttpResponse:
        token, text = device_codes.fetch_token(device_code=self.body["device_code"])
        shown = {
            "access_token": text,
            "token_type": TOKEN_TYPE,
            "expires_in": int((token.expiry - token.created).total_seconds()),
            "scope": " ".join(token.allowed),
        }
        return respond(IssuedTokenSerializer(shown).data, headers=_NO_STORE)


class CiTokenView(PublicView):
    """The exchange. Nobody is signed in: the ID token says who asks."""

    http_method_names = ["post"]
    throttle_scope = "exchanges"

    @Operation(
        id="exchangeIdToken",
        summary="Exchange the ID token of a CI job for a Wardboard token that works for 15 minutes",
        description="Each ID token is good for one exchange. `problems` of a refusal lists what does not "
        "match.",
        body=CiTokenForm,
        answer=CiTokenSerializer,
        statuses=[201],
        refusals=["id-token-refused", "unavailable"],
    )
    def post(self, request: Request) -> HttpResponse:
        token, text = exchange(id_token=self.body["token"].strip(), publisher_id=self.body["publisher"])
        return respond(CiTokenSerializer(token, context={"token": text}).data, status=201, headers=_NO_STORE)
