"""Sign the state of the log: the last event of every board."""

from collections.abc import Iterable, Iterator, Mapping

from django.db.models import OuterRef, Subquery

from leaderboard.models import Board, BoardState, LogEntry
from leaderboard.services.record.chain import log_lines
from leaderboard.services.record.keys import published_keys, signer
from wardboard.scoring.receipts.checkpoints import Head, write_checkpoint
from wardboard.scoring.receipts.log_file import as_last_line
from wardboard.scoring.receipts.notes import sign_note


def signed_checkpoint() -> str:
    """Return the signed checkpoint of the log as it is now: the same until the next event."""
    return _sign(heads())


def heads() -> dict[str, Head]:
    """Return the slug of each leaderboard with events -> its last one in the chain."""
    last = LogEntry.objects.filter(board=OuterRef("board"), number=OuterRef("number"))
    boards = BoardState.objects.filter(number__gt=0).annotate(digest=Subquery(last.values("digest")))
    rows = boards.values_list("board", "board__slug", "number", "digest")
    # Events of an earlier release that still ran during an upgrade have no entry before the next event.
    ends = {slug: Head(number, digest) if digest else head_of(pk) for pk, slug, number, digest in rows}
    return {slug: head for slug, head in ends.items() if head is not None}


def head_of(board: Board | int) -> Head | None:
    """Return the last event of a board in the chain; None before the first."""
    last = LogEntry.objects.filter(board=board).order_by("-number").first()
    return Head(last.number, last.digest) if last else None


def write_log(ends: Mapping[str, Head], boards: Iterable[int] | None = None) -> Iterator[str]:
    """Yield the lines of the log, a JSON object each, the last of them with a checkpoint.

    ends: from `heads`; the log of each board ends there, as the checkpoint does, though the board may have
        changed since
    boards: primary keys of those whose events are wanted; None for all. The checkpoint is of all boards.
    """
    for slug, number, _digest, line in log_lines(boards):
        if slug in ends and number <= ends[slug].number:
            yield line.decode()
    yield as_last_line(_sign(ends), key_lines()).decode()


def key_lines() -> list[str]:
    """Return the public keys as C2SP writes them, a line each, once the service has signed."""
    return [published.key.text for published in published_keys()]


def _sign(ends: Mapping[str, Head]) -> str:
    key = signer()
    return sign_note(write_checkpoint(key.key.name, ends), key)
