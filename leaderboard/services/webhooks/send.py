"""Send the calls that are due; called beside the sweep, never by a request."""

import logging
from datetime import datetime, timedelta
from time import monotonic
from uuid import UUID

from django.conf import settings
from django.core.cache import caches
from django.db.models import F
from django.utils import timezone

from leaderboard.models import CallProblem, OffReason, Webhook, WebhookCall, WebhookEvent
from leaderboard.services.webhooks.collect import collect_calls
from leaderboard.services.webhooks.post import CallFailed, post
from leaderboard.services.webhooks.signature import headers_of
from leaderboard.services.webhooks.webhooks import body_of, secret_of, switch_off

logger = logging.getLogger(__name__)

# Calls given up in a row after which a webhook is switched off; each was tried for seven hours.
MOST_FAILURES = 5
_KEPT = timedelta(days=60)
_MOST, _SECONDS = 200, 20.0  # of one round, so that others go on
_LOOKS_EVERY = 15
_GONE = 410


def send_calls(*, at: datetime | None = None) -> int:
    """Look for events that webhooks hear of, and send the calls that are due; return how many were taken.

    Harmless at any time, and from several processes at once.

    at: by default now
    """
    now = at or timezone.now()
    if caches["boards"].add("webhooks-looked", True, _LOOKS_EVERY):
        collect_calls(now)
        WebhookCall.objects.filter(created_at__lt=now - _KEPT).delete()
    if count := WebhookCall.objects.give_up_interrupted(now):
        logger.warning("%s call(s) of webhooks will not be tried again: each attempt was interrupted", count)
    # The first attempts come first: a server that is away must not hold up the calls of others.
    due = WebhookCall.objects.filter(due_at__lte=now, webhook__off_at=None).select_related("webhook")
    taken, ends = 0, monotonic() + _SECONDS
    failing: set[UUID] = set()
    for call in due.order_by("attempts", "created_at", "pk")[:_MOST]:
        if monotonic() >= ends:
            break
        if call.webhook_id in failing or not call.take(now):
            continue
        if _send(call, now):
            taken += 1
        else:
            failing.add(call.webhook_id)
    return taken


def _send(call: WebhookCall, now: datetime) -> bool:
    """Make an attempt, and store what came of it; return whether the server took the call."""
    try:
        status, problem = _attempt(call)
    except Exception:
        # A fault of ours in one call must not hold up the others.
        logger.exception("a call of webhook %s could not be made", call.webhook_id)
        call.postpone(now)
        return False
    row = WebhookCall.objects.filter(pk=call.pk)
    row.update(status=status, problem=problem)
    if not problem:
        row.update(due_at=None, sent_at=timezone.now())
        Webhook.objects.filter(pk=call.webhook_id).exclude(failures=0).update(failures=0)
        return True
    logger.info("a call of webhook %s failed: %s %s", call.webhook_id, problem, status or "")
    is_test, is_gone = call.kind == WebhookEvent.TEST, status == _GONE
    is_given_up = call.postpone(now, is_last=is_test or is_gone)
    if is_gone:
        switch_off(call.webhook, OffReason.GONE)
    elif is_given_up and not is_test:
        _count_failure(call.webhook)
    return False


def _attempt(call: WebhookCall) -> tuple[int | None, str]:
    """Return the status of the answer, None without one, and the problem, "" where the call was taken."""
    body = body_of(call)
    seconds = int(timezone.now().timestamp())
    signed = headers_of(secret=secret_of(call.webhook), message_id=str(call.pk), seconds=seconds, body=body)
    headers = {"Content-Type": "application/json", "User-Agent": "Wardboard-Webhook/1", **signed}
    try:
        status = post(
            call.webhook.url, body=body, headers=headers, allows_loopback=settings.WEBHOOKS_TO_LOOPBACK
        )
    except CallFailed as error:
        return None, error.problem
    if 200 <= status < 300:
        return status, ""
    return status, CallProblem.REDIRECT if 300 <= status < 400 else CallProblem.STATUS


def _count_failure(webhook: Webhook) -> None:
    rows = Webhook.objects.filter(pk=webhook.pk)
    rows.update(failures=F("failures") + 1)
    if rows.filter(failures__gte=MOST_FAILURES).exists():
        switch_off(webhook, OffReason.FAILURES)
