"""List, add, test and remove the webhooks of a team."""

from uuid import UUID

from django.http import HttpResponse
from django.utils.translation import gettext as _
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request

from leaderboard.api.authentication import OtherBoard, require_scope, token_of
from leaderboard.api.base import ApiView, respond, team_of, user_of
from leaderboard.api.parameters.query import read_text
from leaderboard.api.schema.operation import Operation, SuccessResponse
from leaderboard.api.schema.parameters import TEAM
from leaderboard.api.webhooks.schema import (
    CallListSchema,
    CallSchema,
    NewWebhookSchema,
    WebhookFields,
    WebhookListSchema,
    WebhookSchema,
)
from leaderboard.http.rates import PostThrottle
from leaderboard.models import (
    OF_SENDERS,
    CallProblem,
    OffReason,
    Team,
    Webhook,
    WebhookCall,
    WebhookEvent,
)
from leaderboard.services.errors import WrongState
from leaderboard.services.webhooks import webhooks
from leaderboard.services.webhooks.webhooks import LONGEST_URL

_CHANGES = (
    "For owners of the team. A token needs every scope that people can choose, and no limit to a "
    "leaderboard: a webhook is called about all submissions of the team, also after the token has ended."
)


class _WebhookView(ApiView):
    permission_classes = [IsAuthenticated]
    throttle_classes = [PostThrottle]
    throttle_scope = "submissions"

    def check_permissions(self, request: Request) -> None:
        super().check_permissions(request)
        token = token_of(request)
        if token is None or request.method != "POST":
            return
        for scope in OF_SENDERS:
            require_scope(request, scope)
        if token.board is not None:
            raise OtherBoard(token.board.slug)
        if token.ci_job is not None:
            raise WrongState(_("A token of a CI job changes no webhooks: use one of a person or a team."))


class WebhooksView(_WebhookView):
    fields = WebhookFields

    @Operation(
        id="listWebhooks",
        tag="webhooks",
        summary="The webhooks of the team",
        parameters=[TEAM],
        answer=WebhookListSchema,
    )
    def get(self, request: Request) -> HttpResponse:
        rows = webhooks.webhooks_of(team_of(request))
        return respond(WebhookListSchema(webhooks=[_show(webhook) for webhook in rows]))

    @Operation(
        id="addWebhook",
        tag="webhooks",
        summary="Have an address called when a submission of the team is scored, published or scored again",
        description=_CHANGES,
        parameters=[TEAM],
        answer=[SuccessResponse(status=201, body=NewWebhookSchema)],
        refusals=["wrong-state", "request-invalid"],
    )
    def post(self, request: Request) -> HttpResponse:
        url = read_text(request.data, "url", LONGEST_URL)
        webhook, secret = webhooks.add_webhook(team=team_of(request), by=user_of(request), url=url)
        return respond(_show_new(webhook, secret), status=201, headers={"Cache-Control": "no-store"})


class DeliveriesView(_WebhookView):
    @Operation(
        id="listDeliveries",
        tag="webhooks",
        summary="The last calls of a webhook, and what became of them",
        answer=CallListSchema,
    )
    def get(self, request: Request, webhook_id: UUID) -> HttpResponse:
        webhook = webhooks.find_webhook(_team_of(request, webhook_id), webhook_id)
        return respond(CallListSchema(deliveries=[_show_call(call) for call in webhooks.calls_of(webhook)]))


class TestWebhookView(_WebhookView):
    @Operation(
        id="testWebhook",
        tag="webhooks",
        summary="Send a call of the type webhook.test, once",
        description=f"{_CHANGES} It is sent within seconds; see the deliveries.",
        answer=[SuccessResponse(status=202, body=CallSchema)],
        refusals=["wrong-state"],
    )
    def post(self, request: Request, webhook_id: UUID) -> HttpResponse:
        team = _team_of(request, webhook_id)
        call = webhooks.send_test(team=team, by=user_of(request), webhook_id=webhook_id)
        return respond(_show_call(call), status=202)


class RemoveWebhookView(_WebhookView):
    @Operation(
        id="removeWebhook",
        tag="webhooks",
        summary="Remove a webhook with its deliveries",
        description=_CHANGES,
        answer=WebhookListSchema,
        refusals=["wrong-state"],
    )
    def post(self, request: Request, webhook_id: UUID) -> HttpResponse:
        team = _team_of(request, webhook_id)
        webhooks.remove_webhook(team=team, by=user_of(request), webhook_id=webhook_id)
        rows = webhooks.webhooks_of(team)
        return respond(WebhookListSchema(webhooks=[_show(webhook) for webhook in rows]))


def _team_of(request: Request, webhook_id: UUID) -> Team:
    """Return the team that acts: of the token, or else the one of the person that has the webhook."""
    token = token_of(request)
    owning = None if token and token.team else webhooks.team_of_webhook(user_of(request), webhook_id)
    return owning or team_of(request)


def _show(webhook: Webhook) -> WebhookSchema:
    return WebhookSchema(
        id=webhook.pk,
        url=webhook.url,
        added_at=webhook.added_at,
        off_at=webhook.off_at,
        off_reason=OffReason(webhook.off_reason) if webhook.off_reason else None,
    )


def _show_new(webhook: Webhook, secret: str) -> NewWebhookSchema:
    return NewWebhookSchema(
        id=webhook.pk, url=webhook.url, added_at=webhook.added_at, off_at=None, off_reason=None, secret=secret
    )


def _show_call(call: WebhookCall) -> CallSchema:
    return CallSchema(
        id=call.pk,
        type=WebhookEvent(call.kind),
        payload=call.payload,
        created_at=call.created_at.replace(microsecond=0),
        state=call.state,
        attempts=call.attempts,
        next_attempt_at=call.due_at,
        delivered_at=call.sent_at,
        status=call.status,
        problem=CallProblem(call.problem) if call.problem else None,
    )
