"""Add, list, test and remove the webhooks of a team."""

import json
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard import encryption
from leaderboard.models import AuditEvent, Team, User, Webhook, WebhookCall, WebhookEvent
from leaderboard.services import audit
from leaderboard.services.errors import FactsInvalid, NotFound, WrongState
from leaderboard.services.processes import heartbeat
from leaderboard.services.teams.members import is_owner
from leaderboard.services.webhooks.post import is_address, is_loopback, is_public
from leaderboard.services.webhooks.signature import new_secret
from wardboard.scoring.reading.problems import Problem, pointer

MOST = 5  # webhooks of a team
LONGEST_URL = 500
_SHOWN = 20  # calls
_PURPOSE = "secrets of webhooks"


def webhooks_of(team: Team) -> "QuerySet[Webhook]":
    """Select the webhooks of a team, in the order in which they were added."""
    return Webhook.objects.filter(team=team).select_related("team")


def calls_of(webhook: Webhook) -> Sequence[WebhookCall]:
    """Return the last calls of a webhook, newest first."""
    return list(webhook.calls.order_by("-created_at", "-pk")[:_SHOWN])


def find_webhook(team: Team, webhook_id: UUID) -> Webhook:
    """Return a webhook of a team. Raises NotFound."""
    webhook = webhooks_of(team).filter(pk=webhook_id).first()
    if webhook is None:
        raise _not_found()
    return webhook


def team_of_webhook(user: User, webhook_id: UUID) -> Team | None:
    return Team.objects.filter(memberships__user=user, webhooks=webhook_id).first()


def secret_of(webhook: Webhook) -> str:
    """Return the secret with which the calls of a webhook are signed."""
    return encryption.decrypt(webhook.encrypted_secret, purpose=_PURPOSE)


@transaction.atomic
def add_webhook(*, team: Team, by: User, url: str) -> tuple[Webhook, str]:
    """Tell an address of what happens to the team's submissions; return the webhook and its secret.

    The secret cannot be read again. Raises FactsInvalid with every problem of the address, and WrongState for
    who is no owner, for an address that the team has, and where it has as many as it may.
    """
    _require_owner(team, by)
    url = url.strip()
    if problems := list(_problems_of(url)):
        raise FactsInvalid(problems)
    Team.objects.select_for_update().get(pk=team.pk)
    if webhooks_of(team).count() >= MOST:
        raise WrongState(_("The team has %d webhooks, the most that it may have.") % MOST)
    secret = new_secret()
    encrypted = encryption.encrypt(secret, purpose=_PURPOSE)
    webhook = Webhook(team=team, url=url, encrypted_secret=encrypted, added_by=by)
    try:
        with transaction.atomic():
            webhook.save(force_insert=True)
    except IntegrityError as error:
        raise WrongState(_("The team has a webhook with this address already.")) from error
    audit.record(AuditEvent.Action.WEBHOOK_ADDED, actor=by, **_audited(webhook))
    return webhook, secret


@transaction.atomic
def remove_webhook(*, team: Team, by: User, webhook_id: UUID) -> None:
    """Remove a webhook of a team with its calls. Raises NotFound, WrongState."""
    _require_owner(team, by)
    webhook = Webhook.objects.select_for_update().filter(team=team, pk=webhook_id).first()
    if webhook is None:
        raise _not_found()
    audit.record(AuditEvent.Action.WEBHOOK_REMOVED, actor=by, **_audited(webhook))
    webhook.delete()


@transaction.atomic
def send_test(*, team: Team, by: User, webhook_id: UUID) -> WebhookCall:
    """Queue a call that is about nothing, and is tried once. Raises NotFound, WrongState."""
    _require_owner(team, by)
    webhook = Webhook.objects.select_for_update().filter(team=team, pk=webhook_id).first()
    if webhook is None:
        raise _not_found()
    if webhook.off_at is not None:
        raise WrongState(_("This webhook is switched off. Remove it, and add it again."))
    if webhook.calls.filter(kind=WebhookEvent.TEST, sent_at=None, due_at__isnull=False).exists():
        raise WrongState(_("A test of this webhook is on its way. Wait for its result."))
    now, pk = timezone.now(), uuid4()
    call = WebhookCall.objects.create(
        pk=pk,
        webhook=webhook,
        event=f"test:{pk}",
        kind=WebhookEvent.TEST,
        payload={
            "type": WebhookEvent.TEST.value,
            "timestamp": now.replace(microsecond=0).isoformat(),
            "data": {},
        },
        created_at=now,
        due_at=now,
    )
    transaction.on_commit(heartbeat.call_soon)
    return call


def switch_off(webhook: Webhook, reason: str) -> None:
    """Switch off a webhook, whose waiting calls are not sent any more. Its team gets an email.

    reason: of OffReason
    """
    now = timezone.now()
    with transaction.atomic():
        rows = Webhook.objects.filter(pk=webhook.pk, off_at=None)
        if rows.update(off_at=now, off_reason=reason):
            webhook.calls.filter(sent_at=None).update(due_at=None)
            audit.record(AuditEvent.Action.WEBHOOK_SWITCHED_OFF, **_audited(webhook), reason=reason)


def body_of(call: WebhookCall) -> bytes:
    """Return the body of a call, which is the same in each attempt."""
    return json.dumps(call.payload, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _require_owner(team: Team, user: User) -> None:
    if not is_owner(team, user):
        raise WrongState(_("Only owners of the team may change its webhooks."))


def _not_found() -> NotFound:
    return NotFound(_("Your team has no such webhook; it may already have been removed."))


def _audited(webhook: Webhook) -> dict[str, Any]:
    # Without the address, which may hold a secret.
    return {"team": webhook.team_id, "webhook": str(webhook.pk)}


def _problems_of(url: str) -> Iterator[Problem]:
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname or "", parts.port
    except ValueError:
        host = ""
    is_plain = url.isascii() and url.isprintable() and " " not in url and len(url) <= LONGEST_URL
    if not host or not is_plain:
        yield _problem(
            _("This is not an address that can be called."),
            _("Give a URL of up to %d characters, such as https://ci.example.org/hooks/wardboard.")
            % LONGEST_URL,
        )
        return
    allows_loopback = settings.WEBHOOKS_TO_LOOPBACK and is_loopback(host)
    if parts.scheme != "https" and not (allows_loopback and parts.scheme == "http"):
        yield _problem(
            _("Webhooks are called over HTTPS only."), _("Give an address that begins with https://.")
        )
    if parts.username is not None or parts.password is not None:
        yield _problem(
            _("A user name or password in the address would not be sent."),
            _("Leave it out: check the signature of each call instead."),
        )
    if parts.fragment:
        yield _problem(_("The part after # would not be sent."), _("Leave it out."))
    if not allows_loopback and (is_loopback(host) or (is_address(host) and not is_public(host))):
        yield _problem(
            _("This address is not public."), _("Give the address of a server that the internet can reach.")
        )


def _problem(message: str, hint: str) -> Problem:
    return Problem(code="webhook.invalid", pointer=pointer("url"), message=message, hint=hint)
