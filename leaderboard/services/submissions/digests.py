"""Digest answers, so that files can be compared without reading them."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from django.conf import settings

from leaderboard.models import AnswerDigests, Board, ReferenceRevision, Status, Submission
from leaderboard.services.publishing.publish import of_same_senders
from wardboard.scoring.benchmark import Benchmark
from wardboard.scoring.runs import encode_answer

# Bytes of a digest. Of 65,535 pairs of different answers one has equal digests: too few to matter where
# thousands are counted. Four bytes were half of what the database keeps of a result.
SIZE = 2
_NONE = bytes(SIZE)
_INSTEAD_OF_NONE = b"\1" * SIZE


class AnswerDigester:
    """Takes the digests of records while they are graded, so that no file is read for them alone.

    Equal answers have equal digests, in any file and to any task. Without SECRET_KEY nobody can try answers.
    """

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self._key = hashlib.sha256(b"answer digests" + settings.SECRET_KEY.encode()).digest()
        self._by_run: list[dict[str, bytes]] = []

    def pass_on(self, records: Iterable[Any]) -> Iterator[Any]:
        """Yield the records of a file unchanged, and count each in the digests."""
        by_task: dict[str, bytes] = {}
        self._by_run.append(by_task)
        for record in records:
            text = encode_answer(self._benchmark, record)
            if text is not None:
                digest = hashlib.blake2b(text, key=self._key, digest_size=SIZE).digest()
                by_task[record.task_id] = _INSTEAD_OF_NONE if digest == _NONE else digest
            yield record

    def packed(self, revision: ReferenceRevision) -> bytes:
        """Return the digests in the order of the revision's tasks; zeros for a task without an answer.

        Of several files, one after the other.
        """
        return b"".join(by_task.get(task, _NONE) for by_task in self._by_run for task in revision.task_ids)


def store_digests(*, submission: Submission, revision: ReferenceRevision, packed: bytes) -> None:
    """Store the digests of a submission's answers to the tasks of a revision."""
    AnswerDigests.objects.bulk_create(
        [AnswerDigests(submission=submission, revision=revision, digests=packed)],
        update_conflicts=True,
        unique_fields=["submission"],
        update_fields=["revision", "digests"],
    )


def has_known_answers(*, submission: Submission, packed: bytes) -> bool:
    """Return whether its senders have had a score of the answers of each of its runs, so may know its own.

    packed: its digests
    """
    of_run = len(packed) // submission.runs
    earlier = AnswerDigests.objects.filter(
        of_same_senders(submission, "submission__"),
        submission__board=submission.board_id,
        submission__status=Status.SCORED,
    ).exclude(submission=submission)
    known = {
        run for digests in earlier.values_list("digests", flat=True) for run in _split(bytes(digests), of_run)
    }
    return known.issuperset(_split(packed, of_run))


def same_answers_before(submission: Submission) -> Submission | None:
    """Return the first submission of its team to the board with its answers, sent before; None without one.

    The same runs in the same order, in whatever bytes: an agent that crashed may have left them.
    """
    own = AnswerDigests.objects.filter(submission=submission)
    alike = AnswerDigests.objects.filter(
        submission__team=submission.team_id,
        submission__board=submission.board_id,
        submission__received_at__lt=submission.received_at,
        revision=own.values("revision")[:1],
        digests=own.values("digests")[:1],
    )
    first = alike.select_related("submission").order_by("submission__received_at").first()
    return first.submission if first else None


def _split(packed: bytes, of_run: int) -> list[bytes]:
    return [packed[start : start + of_run] for start in range(0, len(packed), of_run)]


def equal_answers(board: Board) -> list[list[Submission]]:
    """Return the scored submissions of a board that share the answers of a run with one of another team.

    Each list holds those that are equal, directly or through others, newest first. No file is read.
    """
    rows = AnswerDigests.objects.filter(submission__board=board, submission__status=Status.SCORED)
    columns = ("submission", "submission__runs", "revision", "digests")
    by_answers = defaultdict[tuple[int, bytes], set[UUID]](set)
    for submission, runs, revision, digests in rows.values_list(*columns).iterator():
        packed = bytes(digests)
        for run in _split(packed, len(packed) // runs):
            # A run without any answer is equal to nothing.
            if any(run):
                by_answers[revision, hashlib.sha256(run).digest()].add(submission)
    groups: list[set[UUID]] = []
    for equal in (members for members in by_answers.values() if len(members) > 1):
        linked = [group for group in groups if group & equal]
        groups = [group for group in groups if group not in linked] + [equal.union(*linked)]
    of_groups = [
        list(Submission.objects.filter(pk__in=group).select_related("board", "team", "system"))
        for group in groups
    ]
    return [each for each in of_groups if len({submission.team_id for submission in each}) > 1]
