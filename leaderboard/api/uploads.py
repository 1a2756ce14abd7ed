"""Parse requests with files: the files, the board, the facts, and every problem with them."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from rest_framework.request import Request

from leaderboard.api.base import body_of, find_board, nearest_board
from leaderboard.api.errors import BodyTooLarge
from leaderboard.api.parameters.query import read_strict, read_wait, repeated_parameter, unknown_parameter
from leaderboard.api.schema.forms import STATED
from leaderboard.http import uploads
from leaderboard.http.uploads import IncomingFile
from leaderboard.models import Board
from leaderboard.services import data_class
from leaderboard.services.files.read import limits_of
from wardboard.scoring.reading.problems import Problem, Remarks, SubmissionInvalid, pointer, quote

_KEY_LENGTH = 255
_YES_NO = {"true": True, "1": True, "false": False, "0": False}


class RequestCode(StrEnum):
    """Problems of a request beyond its facts and its file."""

    UNKNOWN_PARAMETER = "request.unknown-parameter"
    FILE_MISSING = "request.file-missing"
    FILE_REPEATED = "request.file-repeated"
    FILE_EMPTY = "request.file-empty"
    BENCHMARK_MISSING = "request.benchmark-missing"
    BENCHMARK_UNKNOWN = "request.benchmark-unknown"
    PUBLISH_INVALID = "request.publish-invalid"
    DESIGNATE_INVALID = "request.designate-invalid"
    UNRANKED_INVALID = "request.unranked-invalid"
    KEY_INVALID = "request.idempotency-key-invalid"


@dataclass(slots=True)
class Upload:
    """A request that brings a file, or several that are runs of one system.

    files: as they arrived, without empty ones.
    file: the only one, or all of them as one; None if one is missing or empty, or they cannot be joined.
    file_problems: why they cannot be joined; None if they can.
    board: None if none is named, or an unknown one.
    params: the parameters by name.
    publish: whether to publish the submission as soon as it is scored.
    designate: whether, besides, it is the entry of its system, whatever its score.
    unranked: whether only an unranked lane may take it.
    strict: codes of the warnings that are problems, empty for all; None where they are only shown.
    wait: for how many seconds at most the answer may wait for the score.
    problems: all problems of the request so far, without those of its facts and the file's content.
    """

    files: list[IncomingFile] = field(default_factory=list)
    file: IncomingFile | None = None
    file_problems: Remarks | None = None
    board: Board | None = None
    params: dict[str, Any] = field(default_factory=dict)
    publish: bool = False
    designate: bool = False
    unranked: bool = False
    strict: frozenset[str] | None = None
    wait: int = 0
    problems: list[Problem] = field(default_factory=list)

    @property
    def acknowledgement(self) -> str:
        return str(self.params.get(data_class.FIELD, ""))

    @property
    def may_be_read(self) -> bool:
        """Whether the board is known and open, there is a file, and the terms are acknowledged."""
        board = self.board
        return bool(
            board
            and board.is_open
            and self.file
            and not data_class.missing_acknowledgement(board, self.acknowledgement)
        )

    @property
    def facts(self) -> dict[str, Any]:
        return {name: self.params[name] for name in STATED if name in self.params}

    def is_repeated(self, at: str) -> bool:
        """Return whether the field at this pointer is given more than once."""
        return repeated_parameter(at.removeprefix("/")) in self.problems

    def require(self) -> tuple[Board, IncomingFile]:
        """Return the board and the file, where the request has no problems.

        Raises SubmissionInvalid for files that cannot be joined.
        """
        if self.file_problems:
            raise SubmissionInvalid(self.file_problems)
        assert self.board is not None
        assert self.file is not None
        return self.board, self.file

    def add_problem(
        self, code: RequestCode, name: str, message: str, hint: str, *, run: int | None = None
    ) -> None:
        at = pointer(name) if name else ""
        self.problems.append(Problem(code=code, pointer=at, message=message, hint=hint, run=run))


def read_upload(
    request: Request, *, known: Iterable[str], before: Callable[[Board], None] | None = None
) -> Upload:
    """Read an upload; its parameters may be those in `known`, as form fields or in the query.

    before: called before the body is read, where the address names the board; what it raises is passed on.
    Raises BodyTooLarge, BodyIncomplete, NoRoom, Busy, and REST framework's errors for a body that cannot be
    read.
    """
    upload = Upload()
    upload.board = find_board(request.query_params.get("benchmark", "").strip())
    if upload.board:
        body_of(request).narrow(limits_of(upload.board.benchmark).body_bytes)
        if before is not None:
            before(upload.board)
    body = request.data
    known = tuple(known)
    fields = QueryDict(mutable=True)
    fields.update(request.query_params)
    if isinstance(body, IncomingFile):
        _take_files(upload, [body])
    else:
        fields.update(request.POST)
        known = ("file", *known)
        _take_form_files(upload, request.FILES, known=known, in_text="file" in fields)
        fields.pop("file", None)
    _take_parameters(upload, fields, known)
    _take_benchmark(upload)
    _refuse_oversized(upload)
    if upload.board and (missing := data_class.missing_acknowledgement(upload.board, upload.acknowledgement)):
        upload.problems.append(missing)
    else:
        _join_files(upload, request)
    upload.publish = _take_yes_no(
        upload,
        "publish",
        RequestCode.PUBLISH_INVALID,
        "Say publish=true to publish as soon as it is scored, or leave it out.",
    )
    upload.designate = _take_yes_no(
        upload,
        "designate",
        RequestCode.DESIGNATE_INVALID,
        "Say designate=true to make it the entry of its system, whatever its score, or leave it out.",
    )
    upload.unranked = _take_yes_no(
        upload,
        "unranked",
        RequestCode.UNRANKED_INVALID,
        "Say unranked=true to have it refused unless the leaderboard is an unranked lane, or leave it out.",
    )
    upload.strict = read_strict(upload.params.get("strict", ""), upload.problems)
    upload.wait = read_wait(upload.params.get("wait", ""), upload.problems)
    return upload


def _take_yes_no(upload: Upload, name: str, code: RequestCode, hint: str) -> bool:
    """Return the value of a parameter that is true or false; false where it is left out."""
    word = upload.params.get(name, "false").strip().lower()
    if word not in _YES_NO:
        upload.add_problem(code, name, f"“{quote(word)}” is neither true nor false.", hint)
    return _YES_NO.get(word, False)


def _take_files(upload: Upload, files: list[IncomingFile]) -> None:
    """Add the files to `upload`, without empty ones, which are problems."""
    for number, file in enumerate(files, 1):
        if file.stored.size:
            upload.files.append(file)
            continue
        upload.add_problem(
            RequestCode.FILE_EMPTY,
            "file",
            "The file is empty: 0 bytes.",
            "Check that the run wrote its results and that the path is right, then send that file.",
            run=number if len(files) > 1 else None,
        )


def _refuse_oversized(upload: Upload) -> None:
    """Raise BodyTooLarge for files over the limit of their board, which may follow them in a form."""
    if upload.board is None:
        return
    limit = limits_of(upload.board.benchmark).body_bytes
    if sum(file.stored.size for file in upload.files) > limit:
        raise BodyTooLarge(limit)


def _join_files(upload: Upload, request: Request) -> None:
    if upload.board is None or not upload.files:
        return
    if not upload.board.is_open:
        # Nothing is unpacked for a board that refuses it anyway.
        upload.file = upload.files[0]
        return
    try:
        upload.file = uploads.join_files(
            request._request,
            upload.files,
            [upload.board.benchmark],
            has_account=request.user.is_authenticated,
        )
    except SubmissionInvalid as error:
        upload.file_problems = error.problems


def _take_form_files(
    upload: Upload, files: "MultiValueDict[str, UploadedFile[Any]]", *, known: Collection[str], in_text: bool
) -> None:
    form_files = files.getlist("file")
    for other in files:
        if other != "file":
            upload.add_problem(
                RequestCode.UNKNOWN_PARAMETER, other, "A file of another name.", "Send the file as `file`."
            )
    if not form_files:
        hint = "Send the file as the form field `file`; with curl: -F file=@results.json"
        message = "`file` holds text, not a file." if in_text else "There is no file in the request."
        upload.add_problem(RequestCode.FILE_MISSING, "file", message, hint)
        return
    if in_text:
        upload.add_problem(
            RequestCode.FILE_REPEATED,
            "file",
            "There is a `file` that holds text beside another one.",
            "Send each `file` as a file; with curl: -F file=@results.json",
        )
        return
    _take_files(upload, [file for part in form_files if (file := uploads.file_in_form(part))])


def _take_parameters(upload: Upload, fields: QueryDict, known: tuple[str, ...]) -> None:
    for name, values in fields.lists():
        if name not in known:
            upload.problems.append(unknown_parameter(name, known))
        elif len(values) > 1 and name != "models":
            upload.problems.append(repeated_parameter(name))
        else:
            upload.params[name] = values if name == "models" and len(values) > 1 else values[0]


def _take_benchmark(upload: Upload) -> None:
    slug = upload.params.get("benchmark", "").strip()
    hint = "GET /api/v1/benchmarks/ lists the leaderboards; give the slug of one."
    if upload.board and upload.board.slug == slug:
        return
    upload.board = None
    if upload.is_repeated("/benchmark"):
        return
    if not slug:
        upload.add_problem(RequestCode.BENCHMARK_MISSING, "benchmark", "No leaderboard is named.", hint)
        return
    upload.board = find_board(slug)
    if upload.board is None:
        message = f"There is no leaderboard called “{quote(slug)}”."
        if nearest := nearest_board(slug):
            hint = f"Did you mean {nearest}? {hint}"
        upload.add_problem(RequestCode.BENCHMARK_UNKNOWN, "benchmark", message, hint)


def read_key(request: Request, upload: Upload) -> str:
    """Return the Idempotency-Key, "" for none; add a problem to `upload` if it cannot be stored."""
    key: str | None = request.headers.get("Idempotency-Key")
    if key is None:
        return ""
    if not key or len(key) > _KEY_LENGTH or not key.isascii() or not key.isprintable():
        upload.add_problem(
            RequestCode.KEY_INVALID,
            "",
            f"The Idempotency-Key is empty, longer than {_KEY_LENGTH} characters, or not plain ASCII.",
            "Use a UUID, or the name of the job and the digest of the file.",
        )
        return ""
    return key
