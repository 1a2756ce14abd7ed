"""Chain the events of each board: entries of the log, each with the digest of the one before it.

A board has a chain of its own, so that publications on different boards never wait for each other. A
checkpoint (`services.record.checkpoint`) joins the last entries of all.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from django.db.models import Subquery

from leaderboard.models import (
    BoardAction,
    BoardEvent,
    Installation,
    LogEntry,
    PastStanding,
    ReferenceRevision,
)
from leaderboard.services import visibility
from wardboard.scoring.receipts.canonical import canonical
from wardboard.scoring.receipts.entries import NOTHING, digest_of_entry, make_entry, salted
from wardboard.scoring.receipts.log_file import as_line

# This replaces a text that was erased (`services.record.erase`).
ERASED = "[erased]"


def append(events: Sequence[tuple[BoardEvent, Sequence[PastStanding]]]) -> None:
    """Append events of one board to its chain, in their order; the caller has locked its state.

    events: each with its board and its revision, so that publishing takes no query for them, and with the
        rows that it wrote, as they are stored
    """
    first = events[0][0]
    last, secret = _read_last(first.board_id)
    number, digest = (last.number, last.digest) if last else (0, NOTHING)
    before: list[tuple[BoardEvent, Sequence[PastStanding]]] = []
    # A process of an earlier release, which had no chain, may have written events during an upgrade.
    if number < first.number - 1:
        between = BoardEvent.objects.filter(board=first.board_id, number__gt=number, number__lt=first.number)
        joined = between.select_related("board", "revision")
        for earlier in joined.defer("revision__content", "revision__task_ids").order_by("number"):
            before.append((earlier, list(PastStanding.objects.filter(event=earlier))))
    entries = []
    for event, rows in [*before, *events]:
        entries.append(_entry(event, rows, digest, secret))
        digest = entries[-1].digest
    LogEntry.objects.bulk_create(entries, batch_size=500)


def _read_last(board_id: int) -> tuple[LogEntry | None, bytes]:
    """Return the last entry of a board, None before the first, and the secret of all salts."""
    key = Installation.objects.filter(pk=1).values("key")
    entries = LogEntry.objects.filter(board=board_id).defer("body").annotate(secret=Subquery(key))
    last = entries.order_by("-number").first()
    return last, last.secret.bytes if last and last.secret else _secret()


def _entry(event: BoardEvent, rows: Sequence[PastStanding], previous: str, secret: bytes) -> LogEntry:
    """Return the entry of an event, unsaved."""
    slug, revision = event.board.slug, event.revision
    texts = texts_of(event.action, event.system_name, event.reason, event.data)
    entry = make_entry(
        board=slug,
        number=event.number,
        previous=previous,
        at=event.at,
        action=event.action,
        system=event.system_id,
        texts=salted(secret, slug, event.number, texts),
        submission=str(event.submission_id) if event.submission_id else None,
        figures=_figures(event),
        references=_name_references(revision) if revision else None,
        judge=event.judge,
        feedback=event.feedback,
        mixes_judges=event.mixes_judges,
        rows=[_row(row) for row in rows],
    )
    body, digest = canonical(entry).decode(), digest_of_entry(entry)
    return LogEntry(event=event, board_id=event.board_id, number=event.number, body=body, digest=digest)


def _secret() -> bytes:
    return Installation.get().key.bytes


def texts_of(action: str, system_name: str, reason: str, data: Mapping[str, object] | None) -> dict[str, str]:
    """Return the texts of an event that are public: data as canonical JSON, in place of a reason.

    The reason of a change of references is not public: in earlier releases it held the plain digest.
    """
    if action == BoardAction.ACTIVATED:
        reason = ""
    elif data is not None:
        reason = canonical(data).decode()
    return {"system_name": system_name, "reason": reason}


def _figures(event: BoardEvent) -> dict[str, object] | None:
    if event.total is None and event.score is None:
        return None
    score = visibility.round_figure(event.score)
    return {"right": event.right, "total": event.total, "score": score}


def _name_references(revision: ReferenceRevision) -> dict[str, object]:
    return {"revision": revision.number, "commitment": revision.commitment or None}


def _row(row: PastStanding) -> Mapping[str, object]:
    return {
        "system": row.system_id,
        "kind": row.kind,
        "judge": row.judge,
        "right": row.right,
        "total": row.total,
        "score": visibility.visible_score(row.score, row.kind),
        "removed": row.is_gone,
    }


def log_lines(boards: Iterable[int] | None = None) -> Iterator[tuple[str, int, str, bytes]]:
    """Yield slug, number and digest of each event with its line of the log, one leaderboard after another.

    boards: primary keys; None for all
    """
    rows = LogEntry.objects.all() if boards is None else LogEntry.objects.filter(board__in=boards)
    columns = rows.order_by("board__slug", "number").values_list(
        *("board__slug", "number", "body", "digest"),
        *("event__action", "event__system_name", "event__reason", "event__data"),
    )
    secret = _secret()
    for slug, number, body, digest, *event in columns.iterator(chunk_size=500):
        public = texts_of(*event)
        unerased = {name: text for name, text in public.items() if text != ERASED}
        texts = salted(secret, slug, number, unerased)
        shown = {name: {"text": text, "salt": salt} for name, (text, salt) in texts.items()}
        yield slug, number, digest, as_line(body, digest, shown)
