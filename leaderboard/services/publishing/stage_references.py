"""Import reference answers from uploaded files: read them as the command does, store them, activate nothing.

The files are read where they are and kept nowhere; what is stored is the revision that they make, in one
transaction. Discarding deletes a revision that was never active.
"""

import gzip
import os
import zlib
from collections.abc import Collection, Mapping
from tempfile import TemporaryFile
from typing import IO, BinaryIO, Literal

from django.conf import settings
from django.db import transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _

from leaderboard.models import AuditEvent, Board, Evaluation, ReferenceRevision, User
from leaderboard.services import audit, turns
from leaderboard.services.errors import WrongState
from leaderboard.services.files.disk import disk_full_as_no_room
from leaderboard.services.publishing.import_references import Imported, ImportRefused, import_references
from wardboard.scoring import registry
from wardboard.scoring.ground_truth import GroundTruthInvalid, refuse
from wardboard.scoring.reading.codes import DocumentCode, ReferenceCode
from wardboard.scoring.reading.limits import MIB, size
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.problems import Problem

_GZIP = b"\x1f\x8b"


class UploadedReferences:
    """An uploaded file of an import, as wardboard.scoring.ground_truth.ReferenceFile.

    name: as the sender called it. file: seekable, with a descriptor; plain or gzip.
    Raises GroundTruthInvalid for a file that is empty, damaged, or too large once unpacked; NoRoom.
    """

    def __init__(self, name: str, file: IO[bytes]) -> None:
        self.name = "".join(c for c in name if c.isprintable())[:120] or "?"
        file.seek(0)
        head = file.read(2)
        file.seek(0)
        if not head:
            raise _refuse(DocumentCode.EMPTY, phrase("the file is empty"), self.name)
        self._file = self._unpack(file) if head == _GZIP else file

    def open(self, mode: Literal["rb"], /) -> BinaryIO:
        """Return the unpacked file from its start; closing it leaves this one open."""
        self._file.flush()
        file = os.fdopen(os.dup(self._file.fileno()), mode)
        file.seek(0)
        return file

    def read_bytes(self) -> bytes:
        with self.open("rb") as file:
            return file.read()

    def _unpack(self, packed: IO[bytes]) -> IO[bytes]:
        left = settings.REFERENCE_UNPACKED_BYTES
        unpacked: IO[bytes] = TemporaryFile()  # noqa: SIM115 - it lasts as long as this object
        try:
            with gzip.GzipFile(fileobj=packed) as source, disk_full_as_no_room():
                while chunk := source.read(MIB):
                    left -= len(chunk)
                    if left < 0:
                        most = size(settings.REFERENCE_UNPACKED_BYTES)
                        message = phrase("the file holds more than {limit} when unpacked", limit=most)
                        raise _refuse(DocumentCode.TOO_LARGE, message, self.name)
                    unpacked.write(chunk)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            message = phrase("the gzip data of the file are damaged")
            if isinstance(error, EOFError):
                message = phrase("the gzip data of the file end too early")
            raise _refuse(DocumentCode.GZIP, message, self.name) from None
        return unpacked


def _refuse(code: DocumentCode, message: Phrase, file: str) -> GroundTruthInvalid:
    # The code's own hints are about result files.
    return refuse(code, message, file=file, hint=ReferenceCode.UNREADABLE.fix)


def stage_references(
    *,
    board: Board,
    files: Mapping[str, tuple[str, IO[bytes]]],
    choices: Collection[str],
    allow_unusable: bool,
    by: User,
) -> Imported:
    """Build references from uploaded files, and store them as a revision that is not active.

    files: option of an ImportFile of the benchmark -> name and file. choices: options of its ImportChoices
    that are chosen. allow_unusable: import although some tasks cannot be graded.
    Raises GroundTruthInvalid with every problem, Busy and NoRoom; nothing is stored then.
    """
    benchmark = registry.get(board.benchmark)
    problems: list[Problem] = []
    options: dict[str, object] = {
        choice.option: choice.option in choices for choice in benchmark.import_choices
    }
    for option, (name, file) in files.items():
        try:
            options[option] = UploadedReferences(name, file)
        except GroundTruthInvalid as error:
            problems += error.problems
    if problems:
        raise GroundTruthInvalid(problems)
    options |= {"slug": board.slug, "board_version": board.version}
    with turns.take_to_read():
        truth = benchmark.read_ground_truth(options)
        try:
            return import_references(
                board=board,
                references=truth.references,
                origin=truth.origin,
                texts=truth.texts,
                allow_unusable=allow_unusable,
                is_staged=True,
                by=by,
            )
        except ImportRefused as error:
            raise GroundTruthInvalid(_unusable(error)) from error


def _unusable(error: ImportRefused) -> list[Problem]:
    code = ReferenceCode.UNUSABLE
    problems = [
        Problem(
            code=code,
            pointer="",
            task=task,
            message=phrase("no answer to this task can be graded: {why}", why=why),
            hint=code.fix,
        )
        for task, why in error.unusable.items()
    ]
    none = ReferenceCode.UNREADABLE
    message = phrase("there are no tasks to import")
    return problems or [Problem(code=none, pointer="", message=message, hint=none.fix)]


def numbers_once_active(board: Board) -> set[int]:
    """Return the numbers of the revisions of a board that are or were active."""
    activated = AuditEvent.objects.filter(board=board, action=AuditEvent.Action.ACTIVATED)
    return {event.data["revision"] for event in activated}


def is_discarded(board: Board, number: int) -> bool:
    """Return whether a revision of a board was discarded; its number is not used again."""
    discarded = AuditEvent.objects.filter(board=board, action=AuditEvent.Action.DISCARDED)
    return discarded.filter(data__revision=number).exists()


@transaction.atomic
def discard_revision(*, revision: ReferenceRevision, by: User) -> None:
    """Delete a revision that was never active; twice is harmless. Raises WrongState for another."""
    # Revisions become active under this lock.
    board = Board.objects.select_for_update(no_key=True).get(pk=revision.board_id)
    if is_discarded(board, revision.number):
        return
    try:
        if revision.number in numbers_once_active(board):
            raise WrongState(_("A revision that was active once stays: results were scored by it."))
        # Scores by it are those of an activation that was not finished.
        Evaluation.objects.all().forget_prepared(revision)
        ReferenceRevision.objects.filter(pk=revision.pk).discard()
    except ProtectedError as error:
        raise WrongState(_("A revision that was active once stays: results were scored by it.")) from error
    audit.record(
        AuditEvent.Action.DISCARDED,
        actor=by,
        board=board,
        revision=revision.number,
        digest=revision.digest,
    )
