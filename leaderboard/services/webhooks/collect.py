"""Find what happened lately to the submissions of teams with webhooks, and write a call for each webhook."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet
from django.urls import reverse

from leaderboard.models import AuditEvent, Submission, Webhook, WebhookCall, WebhookEvent
from leaderboard.services.text import remove_hidden_characters

# Older events are not sent: they date from before an upgrade, or no sweep has run for long.
_LOOKS_BACK = timedelta(hours=6)
_A = AuditEvent.Action
_KINDS: Mapping[str, WebhookEvent] = {
    _A.SCORED: WebhookEvent.SCORED,
    _A.REJECTED: WebhookEvent.REJECTED,
    _A.FAILED: WebhookEvent.FAILED,
    _A.PUBLISHED: WebhookEvent.PUBLISHED,
}


def collect_calls(now: datetime) -> int:
    """Write the calls about events that no call is about yet; return how many."""
    webhooks: dict[int, list[Webhook]] = defaultdict(list)
    for webhook in Webhook.objects.filter(off_at=None):
        webhooks[webhook.team_id].append(webhook)
    if not webhooks:
        return 0
    events = list(_events(since=now - _LOOKS_BACK, teams=set(webhooks)))
    names = [f"audit:{event.pk}" for event in events]
    stored = set(WebhookCall.objects.filter(event__in=names).values_list("webhook", "event"))
    rows = [
        WebhookCall(
            webhook=webhook,
            event=name,
            kind=_kind_of(event),
            submission=event.submission,
            payload=_payload_of(event),
            created_at=event.at,
            due_at=now,
        )
        for name, event in zip(names, events, strict=True)
        for webhook in webhooks[event.submission.team_id]  # type: ignore[union-attr]  # see _events
        if webhook.added_at <= event.at and (webhook.pk, name) not in stored
    ]
    # Another process may collect the same events: the constraint keeps the first row.
    WebhookCall.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)
    return len(rows)


def _events(*, since: datetime, teams: set[int]) -> "QuerySet[AuditEvent]":
    """Select the events of a submission each; `is_again` says whether it was scored before."""
    earlier = AuditEvent.objects.filter(
        submission=OuterRef("submission"), action=_A.SCORED, pk__lt=OuterRef("pk")
    )
    events = AuditEvent.objects.filter(action__in=_KINDS, at__gt=since, submission__team__in=teams)
    rows = events.select_related("submission__board", "submission__system").order_by("pk")
    return rows.defer("submission__problems", "submission__warnings").annotate(is_again=Exists(earlier))


def _kind_of(event: Any) -> WebhookEvent:
    """Return what calls about an event of `_events` are about."""
    is_rescored = event.action == _A.SCORED and event.is_again
    return WebhookEvent.RESCORED if is_rescored else _KINDS[event.action]


def _payload_of(event: Any) -> dict[str, Any]:
    """Return the body of a call. It has no score: the API shows that to those who may see it."""
    submission: Submission = event.submission
    return {
        "type": _kind_of(event).value,
        # In whole seconds: from finer times would follow how long grading took, and so verdicts.
        "timestamp": event.at.replace(microsecond=0).isoformat(),
        "data": {
            "submission": str(submission.pk),
            "benchmark": submission.board.slug,
            "system": remove_hidden_characters(submission.system.name),
            "status": submission.status,
            "page": settings.SITE_URL + reverse("web:submission", args=[submission.pk]),
            "api": settings.SITE_URL + reverse("api:submission", args=[submission.pk]),
        },
    }
