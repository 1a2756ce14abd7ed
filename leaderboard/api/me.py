"""Who a token acts for, what it may be used for, and how a program gets one that a person approves."""

from django.http import HttpResponse
from django.urls import reverse
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request

from leaderboard.api.authentication import token_of
from leaderboard.api.base import ApiView, PublicView, respond, user_of, viewer_of
from leaderboard.api.errors import ParameterInvalid
from leaderboard.api.parameters.query import read_text, unknown_choice
from leaderboard.api.representations.submissions import show_ci_job
from leaderboard.api.schema.me import (
    CLIENT_ID,
    GRANT_TYPE,
    LONGEST_CODE,
    LONGEST_STATED,
    TOKEN_TYPE,
    DeviceCodeFields,
    DeviceCodeSchema,
    DeviceTokenFields,
    IssuedTokenSchema,
    MeSchema,
    TeamSchema,
    TokenSchema,
)
from leaderboard.api.schema.operation import Operation
from leaderboard.http.addresses import client_address
from leaderboard.http.rates import PostThrottle
from leaderboard.models import OF_SENDERS, ApiToken, Membership, Role, Scope, User
from leaderboard.services.accounts import new_team
from leaderboard.services.teams import device_codes

_NO_STORE = {"Cache-Control": "no-store"}


class MeView(ApiView):
    permission_classes = [IsAuthenticated]
    # A token may always ask what it is.
    scopes = {}

    @Operation(
        id="getMe",
        tag="service",
        summary="The account, the team and the token of the request",
        answer=MeSchema,
    )
    def get(self, request: Request) -> HttpResponse:
        user, token = user_of(request), token_of(request)
        team = viewer_of(request) or new_team(user)
        body = MeSchema(
            # The log of a job may be public, and the account is that of the person who added its publisher.
            account="" if token and token.ci_job else user.email,
            email_verified=user.has_verified_email,
            team=team.name,
            teams=_teams(user, token),
            token=_token(token) if token else None,
        )
        return respond(body, headers=_NO_STORE)


def _teams(user: User, token: ApiToken | None) -> list[TeamSchema]:
    """Return the teams that the request may act for: of a token of a team, that one alone."""
    rows = Membership.objects.filter(user=user, team__owner_alone=None).select_related("team")
    if token is not None and token.team is not None:
        rows = rows.filter(team=token.team)
    return [
        TeamSchema(name=row.team.name, handle=row.team.handle or "", role=Role(row.role))
        for row in rows.order_by("team__name", "pk")
    ]


def _token(token: ApiToken) -> TokenSchema:
    return TokenSchema(
        name=token.name,
        begins_with=token.token_key,
        scopes=token.allowed,
        benchmark=token.board.slug if token.board else None,
        created_at=token.created,
        expires_at=token.expiry,
        job=show_ci_job(token.ci_job) if token.ci_job else None,
    )


class DeviceCodesView(PublicView):
    fields = DeviceCodeFields
    throttle_classes = [PostThrottle]
    throttle_scope = "sign-ins"

    @Operation(
        id="requestDeviceCode",
        tag="service",
        summary="Ask for a token that a person approves in a browser",
        description="The device authorization request of RFC 8628. A code is good for ten minutes.",
        answer=DeviceCodeSchema,
    )
    def post(self, request: Request) -> HttpResponse:
        scopes = _scopes(read_text(request.data, "scope", LONGEST_STATED))
        version = read_text(request.data, "client_version", LONGEST_STATED)
        host = read_text(request.data, "host", LONGEST_STATED)
        _require(request, client_id=CLIENT_ID)
        row, device_code = device_codes.begin(
            client=f"{CLIENT_ID} {version}",
            host=host,
            scopes=scopes,
            address=client_address(request._request),
        )
        page = request.build_absolute_uri(reverse("web:device"))
        body = DeviceCodeSchema(
            device_code=device_code,
            user_code=row.shown_code,
            verification_uri=page,
            verification_uri_complete=f"{page}?user_code={row.shown_code}",
            expires_in=int(device_codes.LIFETIME.total_seconds()),
            interval=row.interval,
        )
        return respond(body, headers=_NO_STORE)


class DeviceTokenView(PublicView):
    fields = DeviceTokenFields
    throttle_classes = [PostThrottle]
    throttle_scope = "submissions"

    @Operation(
        id="fetchDeviceToken",
        tag="service",
        summary="Fetch the token of an approved code, once",
        description="The device access token request of RFC 8628. `error` of a problem is the "
        "RFC's name: authorization_pending, slow_down, access_denied, expired_token or invalid_grant.",
        answer=IssuedTokenSchema,
        refusals=["authorization-pending", "wrong-state"],
    )
    def post(self, request: Request) -> HttpResponse:
        _require(request, client_id=CLIENT_ID, grant_type=GRANT_TYPE)
        device_code = read_text(request.data, "device_code", LONGEST_CODE)
        token, text = device_codes.fetch_token(device_code=device_code)
        body = IssuedTokenSchema(
            access_token=text,
            token_type=TOKEN_TYPE,
            expires_in=int((token.expiry - token.created).total_seconds()),
            scope=" ".join(token.allowed),
        )
        return respond(body, headers=_NO_STORE)


def _require(request: Request, **values: str) -> None:
    """Raise ParameterInvalid unless each field has its only value."""
    if problems := [
        unknown_choice(name, read_text(request.data, name, LONGEST_CODE), [value], f"Send {name}={value}.")
        for name, value in values.items()
        if read_text(request.data, name, LONGEST_CODE) != value
    ]:
        raise ParameterInvalid(*problems)


def _scopes(text: str) -> list[Scope]:
    """Return the scopes that a program asks for. Raises ParameterInvalid."""
    known = [scope.value for scope in OF_SENDERS]
    names = text.split() or known
    hint = f"Those there are: {' '.join(known)}."
    if problems := [unknown_choice("scope", name, known, hint) for name in names if name not in known]:
        raise ParameterInvalid(*problems)
    return [scope for scope in OF_SENDERS if scope in names]
