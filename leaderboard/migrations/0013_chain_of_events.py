"""Commit to the references of every revision, and chain the events of every board.

The commitments have new random keys. The chain follows from the rows: repeated on them, it is the same.
"""

import hashlib
import hmac
import secrets
from datetime import UTC
from typing import Any

import rfc8785
from django.db import migrations

_EVENTS = 500
_NOTHING = "0" * 64


def commit_to_references(apps: Any, schema_editor: Any) -> None:
    Revision = apps.get_model("leaderboard", "ReferenceRevision")
    Key = apps.get_model("leaderboard", "CommitmentKey")
    for pk in Revision.objects.filter(commitment="").values_list("pk", flat=True).order_by("pk"):
        content = bytes(Revision.objects.values_list("content", flat=True).get(pk=pk))
        key = secrets.token_bytes(32)
        Key.objects.create(revision_id=pk, key=key)
        commitment = hmac.new(key, content, hashlib.sha256).hexdigest()
        Revision.objects.filter(pk=pk).update(commitment=commitment)


def chain_events(apps: Any, schema_editor: Any) -> None:
    Benchmark = apps.get_model("leaderboard", "Benchmark")
    Event = apps.get_model("leaderboard", "BoardEvent")
    Revision = apps.get_model("leaderboard", "ReferenceRevision")
    if not Event.objects.exists():
        return
    secret = apps.get_model("leaderboard", "Installation").objects.get_or_create(pk=1)[0].key.bytes
    revisions = {
        pk: {"revision": number, "commitment": commitment or None}
        for pk, number, commitment in Revision.objects.values_list("pk", "number", "commitment")
    }
    for pk, slug in Benchmark.objects.order_by("pk").values_list("pk", "slug"):
        previous, done = _NOTHING, 0
        while events := list(Event.objects.filter(benchmark=pk, number__gt=done).order_by("number")[:_EVENTS]):
            done = events[-1].number
            previous = _chain(apps, slug, events, revisions, secret, previous)


def _chain(
    apps: Any, slug: str, events: list[Any], revisions: dict[Any, Any], secret: bytes, previous: str
) -> str:
    """Store the entries of consecutive events; return the digest of the last one."""
    Row = apps.get_model("leaderboard", "PastStanding")
    LogEntry = apps.get_model("leaderboard", "LogEntry")
    rows: dict[int, list[dict[str, Any]]] = {}
    span = Row.objects.filter(event__in=[event.pk for event in events])
    columns = ("event", "system", "kind", "judge", "right", "total", "score", "is_gone")
    for event, *values in span.order_by("pk").values_list(*columns):
        rows.setdefault(event, []).append(_row(*values))
    entries = []
    for event in events:
        reason = "" if event.action == "activated" else event.reason
        at = event.at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        # Format wardboard-event/1, as scoring.receipts.entries makes it.
        entry = {
            "format": "wardboard-event/1",
            "board": slug,
            "number": event.number,
            "previous": previous,
            "at": at,
            "action": event.action,
            "system": event.system_id,
            "system_name": _digest(secret, slug, event.number, "system_name", event.system_name),
            "reason": _digest(secret, slug, event.number, "reason", reason),
            "submission": str(event.submission_id) if event.submission_id else None,
            "figures": _figures(event),
            "references": revisions.get(event.revision_id),
            "judge": event.judge,
            "feedback": event.feedback,
            "mixes_judges": event.mixes_judges,
            "rows": sorted(rows.get(event.pk, []), key=lambda row: row["system"]),
        }
        body = rfc8785.dumps(entry)
        previous = hashlib.sha256(body).hexdigest()
        entries.append(
            LogEntry(
                event_id=event.pk,
                benchmark_id=event.benchmark_id,
                number=event.number,
                body=body.decode(),
                digest=previous,
            )
        )
    LogEntry.objects.bulk_create(entries)
    return previous


def _digest(secret: bytes, slug: str, number: int, name: str, text: str) -> str | None:
    """Return the digest of a text with its salt before it; None for no text."""
    if not text:
        return None
    salt = hmac.new(secret, f"{slug}/{number}/{name}".encode(), hashlib.sha256).digest()[:16]
    return hashlib.sha256(salt + text.encode()).hexdigest()


def _figures(event: Any) -> dict[str, Any] | None:
    if event.total is None and event.score is None:
        return None
    return {"right": event.right, "total": event.total, "score": _rounded(event.score)}


def _row(
    system: int, kind: str, judge: str, right: int | None, total: int | None, score: float | None, is_gone: bool
) -> dict[str, Any]:
    return {
        "system": system,
        "kind": kind,
        "judge": judge,
        "right": right,
        "total": total,
        # As printed in its publication, else with three decimals.
        "score": score if kind == "reported" else _rounded(score),
        "removed": is_gone,
    }


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 3)


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0012_receipts_and_log")]

    operations = [
        migrations.RunPython(commit_to_references, migrations.RunPython.noop),
        migrations.RunPython(chain_events, migrations.RunPython.noop),
    ]
