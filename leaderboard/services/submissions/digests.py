"""Digest answers, so that files can be compared without reading them."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
import numpy.typing as npt
from django.conf import settings

from leaderboard.models import AnswerDigests, Board, ReferenceRevision, Status, Submission
from leaderboard.services.publishing.publish import of_same_senders
from wardboard.scoring.benchmark import Benchmark
from wardboard.scoring.runs import encode_answer, public_digest

# Bytes of a digest. Of 65,535 pairs of different answers one has equal digests: too few to matter where
# thousands are counted. Four bytes were half of what the database keeps of a result.
SIZE = 2
# Share of the answers in which two files agree at least where one may be made from the other. Two runs of one
# public agent agree in .73: those of public_files.json of MedAgentBench.
NEARLY_EQUAL = 0.95
_AT_ONCE = 256  # tasks; most pairs differ too much within the first of them
_NONE = bytes(SIZE)
_Link = tuple[set[UUID], float, set[str]]  # submissions, share and addresses, as in `SimilarGroup`
_INSTEAD_OF_NONE = b"\1" * SIZE


class AnswerDigester:
    """Takes the digests of records while they are graded, so that no file is read for them alone.

    Answers of the same words have equal digests, in any file and to any task. Digests of earlier versions,
    which were of exact answers, equal only each other. Without SECRET_KEY nobody can try answers.
    """

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self._key = hashlib.sha256(b"answer digests" + settings.SECRET_KEY.encode()).digest()
        self._by_run: list[dict[str, bytes]] = []
        self.public_files: dict[str, float] = {}  # as `AnswerDigests` keeps them

    def pass_on(self, records: Iterable[Any]) -> Iterator[Any]:
        """Yield the records of a file unchanged, and count each in the digests."""
        by_task: dict[str, bytes] = {}
        self._by_run.append(by_task)
        public = self._benchmark.public_files
        same = dict.fromkeys(public, 0)
        for record in records:
            text = encode_answer(self._benchmark, record)
            if text is not None:
                known = public_digest(text) if public else ""
                for address, digests in public.items():
                    same[address] += digests.get(record.task_id) == known
                digest = hashlib.blake2b(text, key=self._key, digest_size=SIZE).digest()
                by_task[record.task_id] = _INSTEAD_OF_NONE if digest == _NONE else digest
            yield record
        for address, number in same.items():
            share = number / len(by_task.keys() | public[address].keys())
            if share >= max(NEARLY_EQUAL, self.public_files.get(address, 0)):
                self.public_files[address] = share

    def packed(self, revision: ReferenceRevision) -> bytes:
        """Return the digests in the order of the revision's tasks; zeros for a task without an answer.

        Of several files, one after the other.
        """
        return b"".join(by_task.get(task, _NONE) for by_task in self._by_run for task in revision.task_ids)


def store_digests(*, submission: Submission, revision: ReferenceRevision, digester: AnswerDigester) -> None:
    """Store the digests of a submission's answers to the tasks of a revision."""
    packed, public = digester.packed(revision), digester.public_files
    fields: dict[str, Any] = {"revision": revision, "digests": packed, "public_files": public}
    AnswerDigests.objects.bulk_create(
        [AnswerDigests(submission=submission, **fields)],
        update_conflicts=True,
        unique_fields=["submission"],
        update_fields=fields,
    )


def has_known_answers(*, submission: Submission, packed: bytes, tasks: int) -> bool:
    """Return whether its senders have had a score of the answers of each of its runs, so may know its own.

    packed: its digests of all `tasks`; a run that was declared and not sent has none
    """
    of_run = SIZE * tasks
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


class SimilarGroup(NamedTuple):
    """Submissions of equal or nearly equal answers, directly or through others, or like a public file.

    submissions: newest first. share: the least of those by which they are linked, in 0..1.
    """

    submissions: Sequence[Submission]
    share: float
    public_files: Sequence[str]


def similar_answers(board: Board) -> list[SimilarGroup]:
    """Return the scored submissions of a board that are similar to one of another team, or to a public file.

    A run is if its answers are the same in `NEARLY_EQUAL` of the tasks that either answers. One that gives
    the same answer, or none, to more than half of the tasks is similar to nothing. No file is read.
    """
    revisions = ReferenceRevision.objects.filter(board=board).values_list("pk", "task_ids")
    tasks = {revision: tuple(ids) for revision, ids in revisions}
    links: list[_Link] = []
    runs = defaultdict[tuple[str, ...], list[tuple[UUID, int, bytes]]](list)
    rows = AnswerDigests.objects.filter(submission__board=board, submission__status=Status.SCORED)
    columns = ("submission", "submission__team", "revision", "digests", "public_files")
    for submission, team, revision, digests, public in rows.values_list(*columns).iterator():
        if public:
            links.append(({submission}, min(public.values()), set(public)))
        ids = tasks[revision]
        runs[ids] += [(submission, team, run) for run in _split(bytes(digests), SIZE * len(ids))]
    groups: list[_Link] = []
    for link in chain(links, *map(_links, runs.values())):
        linked = [group for group in groups if group[0] & link[0]]
        members, shares, addresses = zip(link, *linked, strict=True)
        joined = (set[UUID]().union(*members), min(shares), set[str]().union(*addresses))
        groups = [*(group for group in groups if group not in linked), joined]
    found = Submission.objects.select_related("board", "team", "system").order_by("-received_at")
    return [
        SimilarGroup(list(found.filter(pk__in=members)), share, sorted(addresses))
        for members, share, addresses in groups
    ]


def _links(runs: Sequence[tuple[UUID, int, bytes]]) -> Iterator[_Link]:
    """Yield each pair of similar runs of two teams. runs: submission, team and digests of each."""
    runs = [run for run in runs if _says_something(np.frombuffer(run[2], dtype=np.uint16))]
    if not runs:
        return
    table = np.vstack([np.frombuffer(digests, dtype=np.uint16) for _, _, digests in runs])
    teams = np.array([team for _, team, _ in runs])
    for index, (submission, team, _) in enumerate(runs):
        own, others = table[index], np.flatnonzero(teams[:index] != team)
        differing = np.zeros(len(others), dtype=np.int64)
        for start in range(0, len(own), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            differing += (own[part] != table[others, part]).sum(axis=1)
            may_be = differing <= (1 - NEARLY_EQUAL) * len(own)
            others, differing = others[may_be], differing[may_be]
        shares = 1 - differing / ((own != 0) | (table[others] != 0)).sum(axis=1)
        for other, share in zip(others[shares >= NEARLY_EQUAL], shares[shares >= NEARLY_EQUAL], strict=True):
            yield {submission, runs[other][0]}, float(share), set()


def _says_something(run: npt.NDArray[np.uint16]) -> bool:
    """Return whether at least half of the tasks have an answer that is not the commonest one of the run."""
    _, counts = np.unique(run[run != 0], return_counts=True)
    return bool(2 * (counts.sum() - counts.max(initial=0)) >= len(run))
