"""Uploads by HTTP, for pages and API: files go straight into the store.

A file that is not handed over is removed at the end of its request. Nothing is written before `expect_file`
is called on the request, which happens once the sender and the board are known.
`discard_leftovers` is middleware; `StoreUploadHandler` is Django's upload handler.

Files with reference answers never reach the store: `ReferenceUploadHandler` keeps them in temporary files
without a name, which end with the request. A process that is killed leaves nothing behind.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from tempfile import TemporaryFile
from typing import IO, Any

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest, HttpResponse

from leaderboard.services.errors import NoRoom
from leaderboard.services.files import runs
from leaderboard.services.files.arrivals import StoredFile
from leaderboard.services.files.disk import disk_full_as_no_room
from leaderboard.services.files.read import limits_of, seconds_of_check
from leaderboard.services.files.runs import NamedFile
from leaderboard.services.files.store import FileWriter
from wardboard.scoring.runs import MOST_RUNS

FIELD = "file"
CHUNK = 256 * 1024  # bytes
_STATE = "wardboard.uploads"


@dataclass(slots=True)
class _Uploads:
    """The uploads of a request.

    no_room: set where the disk could not take a file; raised once the rest of the form has been read.
    """

    writers: list[FileWriter] = field(default_factory=list)
    no_room: NoRoom | None = None


class IncomingFile:
    """A completely received file. Its request removes it at the end unless it is handed over.

    name: as the client called it; "" where the file was the body itself.
    """

    def __init__(
        self, writer: FileWriter, request: HttpRequest, *, name: str = "", stored: StoredFile | None = None
    ) -> None:
        self._writer, self._request = writer, request
        self.stored = stored or writer.finish()
        self.name = name

    def hand_over(self) -> StoredFile:
        """Return the file, which belongs to the caller from here on."""
        _uploads(self._request).writers.remove(self._writer)
        return self.stored


class FormFile(UploadedFile):  # type: ignore[type-arg]  # generic in the stubs alone
    """A file in a form.

    incoming: None for a file of another field, and for one too many, whose bytes are not kept.
    """

    incoming: IncomingFile | None = None

    def close(self) -> None:
        """Do nothing, as nothing is open."""


def expect_file(request: HttpRequest) -> None:
    """Let a file of this request be written to the store."""
    request.META[_STATE] = _Uploads()


def receive_file(request: HttpRequest, chunks: Iterable[bytes]) -> IncomingFile:
    """Store the file that consists of `chunks`. Raises NoRoom, and errors of `chunks`."""
    writer = _open_writer(request)
    for chunk in chunks:
        writer.write(chunk)
    return IncomingFile(writer, request)


def join_files(
    request: HttpRequest,
    files: Sequence[IncomingFile | NamedFile],
    benchmarks: Collection[str],
    *,
    has_account: bool,
    select: str = "",
) -> IncomingFile:
    """Return the files of a submission as one, as `services.files.runs.gather` joins and unpacks them.

    Not to be called for a closed board, nor without the acknowledgement that a board asks for.
    benchmarks: whose leaderboards the files may go to; the widest of their limits holds.
    has_account: whether the sender is signed in, and so may have the service unpack for longer.
    select: which files of the one archive to take.
    Raises NoRoom, Busy, and SubmissionInvalid with every problem of an archive or of the runs together.
    """
    limits = max(map(limits_of, benchmarks), key=lambda limits: limits.body_bytes)
    seconds = min(limits.seconds, seconds_of_check(has_account=has_account))
    stored = runs.gather(
        [NamedFile(name=file.name, stored=file.stored) for file in files],
        limits=replace(limits, seconds=seconds),
        new_writer=lambda: _open_writer(request),
        has_account=has_account,
        select=select,
    )
    if isinstance(files[0], IncomingFile) and stored.id == files[0].stored.id:
        return files[0]
    (writer,) = (writer for writer in _uploads(request).writers if writer.id == stored.id)
    name = ", ".join(file.name for file in files) + (f" ({select})" if select else "")
    return IncomingFile(writer, request, name=name, stored=stored)


def chosen_files(request: HttpRequest) -> list[IncomingFile]:
    """Return the files of a form that were written to the store. Raises NoRoom."""
    raise_no_room(request)
    parts = (part for part in request.FILES.getlist(FIELD) if isinstance(part, FormFile))
    return [part.incoming for part in parts if part.incoming]


def raise_no_room(request: HttpRequest) -> None:
    """Raise NoRoom if the disk could not take the file of a form that has been read to its end."""
    if _is_expected(request) and (no_room := _uploads(request).no_room):
        raise no_room


def discard_leftovers(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: at the end of a request, remove its files that were not handed over."""

    def middleware(request: HttpRequest) -> HttpResponse:
        try:
            return get_response(request)
        finally:
            if _is_expected(request):
                for writer in _uploads(request).writers:
                    writer.discard()

    return middleware


class StoreUploadHandler(FileUploadHandler):
    """Write the files of the field `file` to the store, up to the most runs; count the bytes of others."""

    request: HttpRequest
    chunk_size = CHUNK

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self._writer: FileWriter | None = None
        self._files = 0

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self._writer = None
        if not _is_expected(self.request):
            raise SkipFile
        # One too many is written, to be reported.
        if self.field_name == FIELD and self._files <= MOST_RUNS:
            self._files += 1
            try:
                self._writer = _open_writer(self.request)
            except NoRoom as error:
                self._skip(error)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if self._writer is not None:
            try:
                self._writer.write(raw_data)
            except NoRoom as error:
                self._skip(error)

    def file_complete(self, file_size: int) -> FormFile:
        form_file = FormFile(name=self.file_name, size=file_size)
        if self._writer is not None:
            try:
                form_file.incoming = IncomingFile(self._writer, self.request, name=form_file.name or "")
            except NoRoom as error:
                _uploads(self.request).no_room = error
        return form_file

    def _skip(self, error: NoRoom) -> None:
        """Skip the file and go on with the form, as no view could answer an error raised here."""
        _uploads(self.request).no_room = error
        if self._writer is not None:
            self._writer.discard()
        raise SkipFile from error


class ReferenceUploadHandler(FileUploadHandler):
    """Keep each file of a form in a temporary file without a name."""

    request: HttpRequest
    chunk_size = CHUNK

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self._file: IO[bytes] = TemporaryFile()  # noqa: SIM115 - the request closes it

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        try:
            with disk_full_as_no_room():
                self._file.write(raw_data)
        except NoRoom as error:
            # As for other files, `raise_no_room` raises it.
            expect_file(self.request)
            _uploads(self.request).no_room = error
            self._file.close()
            raise SkipFile from error

    def file_complete(self, file_size: int) -> "UploadedFile[bytes]":
        self._file.seek(0)
        return UploadedFile(file=self._file, name=self.file_name, size=file_size)


def announced_length(request: HttpRequest) -> int | None:
    """Return the Content-Length of the request in bytes; None where it is missing or invalid."""
    length = request.META.get("CONTENT_LENGTH") or ""
    # Python refuses to read thousands of digits; more bytes than 18 digits state are too many anyway.
    return int(length[:18]) if length.isascii() and length.isdecimal() else None


def _is_expected(request: HttpRequest) -> bool:
    return _STATE in request.META


def _uploads(request: HttpRequest) -> _Uploads:
    uploads = request.META[_STATE]
    assert isinstance(uploads, _Uploads)
    return uploads


def _open_writer(request: HttpRequest) -> FileWriter:
    writer = FileWriter(expected=announced_length(request) or 0)
    _uploads(request).writers.append(writer)
    return writer
