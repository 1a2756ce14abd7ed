"""Chain the events of each board, each with the digest of the one before it, and sign the ends of the chains.

A board has a chain of its own, so that publications on different boards never wait for each other.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db.models import F

from leaderboard.models import BoardAction, BoardEvent, Installation, PastStanding
from leaderboard.services import visibility
from leaderboard.services.record.keys import signer
from wardboard.scoring.receipts import entries
from wardboard.scoring.receipts.canonical import canonical
from wardboard.scoring.receipts.entries import format_time, salted
from wardboard.scoring.receipts.signatures import sign

# This replaces a text that was erased (`services.record.erase`).
ERASED = "[erased]"


def link(events: Sequence[tuple[BoardEvent, Sequence[PastStanding]]]) -> None:
    """Give new, unsaved events of one board their entries; the caller has locked the board's state."""
    past = BoardEvent.objects.filter(board=events[0][0].board_id).order_by("-number")
    digest, secret = past.values_list("digest", flat=True).first() or entries.NOTHING, _secret()
    for event, rows in events:
        body = canonical(_entry(event, rows, digest, secret))
        digest = hashlib.sha256(body).hexdigest()
        event.body, event.digest = body.decode(), digest


def _secret() -> bytes:
    return Installation.get().key.bytes


def _entry(event: BoardEvent, rows: Sequence[PastStanding], previous: str, secret: bytes) -> dict[str, Any]:
    """Return what stays public of an event, whatever becomes of names and settings."""
    revision, figures = event.revision, None
    if event.total is not None or event.score is not None:
        score = visibility.round_figure(event.score)
        figures = {"right": event.right, "total": event.total, "score": score}
    shown = salted(secret, event.board.slug, event.number, _texts(event))
    return {
        "format": entries.FORMAT,
        "board": event.board.slug,
        "number": event.number,
        "previous": previous,
        "at": format_time(event.at),
        "action": event.action,
        "system": event.system_id,
        **{name: entries.commit_to_text(**shown[name]) if name in shown else None for name in entries.TEXTS},
        "submission": str(event.submission_id) if event.submission_id else None,
        "figures": figures,
        "references": revision and {"revision": revision.number, "commitment": revision.commitment or None},
        "judge": event.judge,
        "feedback": event.feedback,
        "mixes_judges": event.mixes_judges,
        "rows": [_row(row) for row in sorted(rows, key=lambda row: row.system_id)],
    }


def _row(row: PastStanding) -> Mapping[str, Any]:
    return {
        "system": row.system_id,
        "kind": row.kind,
        "judge": row.judge,
        "right": row.right,
        "total": row.total,
        "score": visibility.visible_score(row.score, row.kind),
        "removed": row.is_gone,
    }


def _texts(event: BoardEvent) -> dict[str, str]:
    """Return the texts of an event that are public and not erased: data as canonical JSON, for a reason."""
    reason = event.reason if event.data is None else canonical(event.data).decode()
    texts = {
        "system_name": event.system_name,
        "reason": "" if event.action == BoardAction.ACTIVATED else reason,
    }
    return {name: text for name, text in texts.items() if text != ERASED}


def read_heads(slugs: Iterable[str] | None = None) -> dict[str, dict[str, Any]]:
    """Return slug -> number, digest and time of the last event. slugs: of the boards; None for all"""
    last = BoardEvent.objects.filter(number=F("board__state__number"))
    if slugs is not None:
        last = last.filter(board__slug__in=slugs)
    rows = last.order_by("board__slug").values_list("board__slug", "number", "digest", "at")
    return {
        slug: {"number": number, "digest": digest, "at": format_time(at)} for slug, number, digest, at in rows
    }


def sign_heads(heads: Mapping[str, Mapping[str, Any]]) -> bytes:
    """Return heads as a signed statement: the same until the next event."""
    return sign("head", {"service": settings.SITE_URL, "boards": heads}, signer())


def write_log(heads: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of the log up to `heads`, a JSON object each, the last of them the signed heads."""
    secret = _secret()
    events = BoardEvent.objects.filter(board__slug__in=heads).select_related("board")
    columns = ("board__slug", "number", "body", "action", "system_name", "reason", "data")
    for event in events.order_by("board__slug", "number").only(*columns).iterator(chunk_size=500):
        slug, number = event.board.slug, event.number
        if number <= heads[slug]["number"]:
            yield entries.as_line(event.body.encode(), salted(secret, slug, number, _texts(event))).decode()
    yield sign_heads(heads).decode()
