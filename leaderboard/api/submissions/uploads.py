"""Parse requests with files: the files, the board, the facts, and every problem with them."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from leaderboard.api.base import body_of, find_board, nearest_board
from leaderboard.api.errors import BodyTooLarge
from leaderboard.api.parameters import name_problems, read_values, repeated_parameter
from leaderboard.api.serializers.forms import STATED
from leaderboard.http import uploads
from leaderboard.http.uploads import IncomingFile
from leaderboard.models import Board
from leaderboard.services import data_class
from leaderboard.services.errors import Busy, RequestInvalid
from leaderboard.services.files.read import limits_of
from leaderboard.services.submissions.admit import check_unsent
from wardboard.scoring.reading.problems import Problem, Remarks, SubmissionInvalid, pointer, quote

_KEY_LENGTH = 255


@dataclass(slots=True)
class Upload:
    """A request that brings a file, or several that are runs of one system.

    files: as they arrived, without empty ones.
    file: the only one, or all of them as one; None if one is missing or empty, or they cannot be joined.
    file_problems: why they cannot be joined; None if they can.
    board: None if none is named, or an unknown one.
    problems: all problems of the request so far, without those of its facts and the file's content.
    """

    files: list[IncomingFile] = field(default_factory=list)
    file: IncomingFile | None = None
    file_problems: Remarks | None = None
    board: Board | None = None
    params: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    @property
    def acknowledgement(self) -> str:
        return str(self.params.get(data_class.FIELD, ""))

    @property
    def is_wanted(self) -> bool:
        """Whether the submission is to be published as soon as it is scored."""
        return bool(self.options.get("publish") or self.options.get("designate"))

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

    def add_problem(self, code: str, name: str, message: str, hint: str, *, run: int | None = None) -> None:
        at = pointer(name) if name else ""
        self.problems.append(Problem(code=code, pointer=at, message=message, hint=hint, run=run))


def read_upload(
    request: Request,
    *,
    options: type[Serializer[Any]],
    known: Collection[str],
) -> Upload:
    """Read an upload: a form, or a file as the body itself with its parameters in the query.

    options: the form of the parameters that are not facts. known: the names of all.
    Raises BodyTooLarge, BodyIncomplete, NoRoom, Busy, and REST framework's errors for a body that cannot be
    read.
    """
    upload = Upload()
    upload.board = find_board(request.query_params.get("benchmark", "").strip())
    if upload.board:
        body_of(request).narrow(limits_of(upload.board.benchmark).body_bytes)
    body = request.data
    if isinstance(body, IncomingFile):
        _take_files(upload, [body])
        _take_parameters(upload, request.query_params, known)
    else:
        fields, known = request.POST.copy(), ("file", *known)
        _take_form_files(upload, request, in_text="file" in fields)
        fields.pop("file", None)
        _take_parameters(upload, fields, known)
        hint = "Send what is in the address as a field of the form, or the file as the body to raw/."
        for name in request.query_params:
            message = f"`{quote(name)}` is in the address of a form."
            upload.add_problem("request.unknown-parameter", name, message, hint)
    _take_benchmark(upload)
    _refuse_oversized(upload)
    if upload.board and (missing := data_class.missing_acknowledgement(upload.board, upload.acknowledgement)):
        upload.problems.append(missing)
    else:
        _join_files(upload, request)
    stated = {name: value for name, value in upload.params.items() if name != "benchmark"}
    upload.options, problems = read_values(options, {"benchmark": "", **stated})
    upload.problems += problems
    return upload


def refused(
    upload: Upload, problems: list[Problem], *, has_account: bool = True, is_read: bool = True
) -> RequestInvalid:
    """Return the error with the problems of a request, and with those of its file where that may be read."""
    if upload.file_problems:
        return RequestInvalid(problems, upload.file_problems)
    # Without the acknowledgement that a board asks for, the files were not joined.
    if upload.board and upload.board.is_open and upload.file and is_read:
        try:
            check_unsent(board=upload.board, file=upload.file.stored, has_account=has_account)
        except SubmissionInvalid as error:
            return RequestInvalid(problems, error.problems, error.warnings)
        except Busy:
            return RequestInvalid(problems, None)
    return RequestInvalid(problems, None)


def _take_files(upload: Upload, files: list[IncomingFile]) -> None:
    """Add the files to `upload`, without empty ones, which are problems."""
    for number, file in enumerate(files, 1):
        if file.stored.size:
            upload.files.append(file)
            continue
        upload.add_problem(
            "request.file-empty",
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
            select=upload.params.get("select", ""),
        )
    except SubmissionInvalid as error:
        upload.file_problems = error.problems


def _take_form_files(upload: Upload, request: Request, *, in_text: bool) -> None:
    hint = "Send each file as the form field `file`; with curl: -F file=@results.json"
    for other in request.FILES:
        if other != "file":
            upload.add_problem("request.unknown-parameter", other, "A file of another name.", hint)
    if "file" not in request.FILES:
        message = "`file` holds text, not a file." if in_text else "There is no file in the request."
        upload.add_problem("request.file-missing", "file", message, hint)
    elif in_text:
        message = "There is a `file` that holds text beside another one."
        upload.add_problem("request.file-repeated", "file", message, hint)
    else:
        _take_files(upload, uploads.chosen_files(request._request))


def _take_parameters(upload: Upload, fields: QueryDict, known: Collection[str]) -> None:
    upload.problems += name_problems(fields, [*known], ["models"])
    for name, values in fields.lists():
        if name in known and (len(values) == 1 or name == "models"):
            upload.params[name] = values[0] if len(values) == 1 else values


def _take_benchmark(upload: Upload) -> None:
    slug = upload.params.get("benchmark", "").strip()
    hint = "GET /api/v1/benchmarks/ lists the leaderboards; give the slug of one."
    if upload.board and upload.board.slug == slug:
        return
    upload.board = None
    if upload.is_repeated("/benchmark"):
        return
    if not slug:
        upload.add_problem("request.benchmark-missing", "benchmark", "No leaderboard is named.", hint)
        return
    upload.board = find_board(slug)
    if upload.board is None:
        message = f"There is no leaderboard called “{quote(slug)}”."
        if nearest := nearest_board(slug):
            hint = f"Did you mean {nearest}? {hint}"
        upload.add_problem("request.benchmark-unknown", "benchmark", message, hint)


def read_key(request: Request, upload: Upload) -> str:
    """Return the Idempotency-Key, "" for none; add a problem to `upload` if it cannot be stored."""
    key: str | None = request.headers.get("Idempotency-Key")
    if key is None:
        return ""
    if not key or len(key) > _KEY_LENGTH or not key.isascii() or not key.isprintable():
        upload.add_problem(
            "request.idempotency-key-invalid",
            "",
            f"The Idempotency-Key is empty, longer than {_KEY_LENGTH} characters, or not plain ASCII.",
            "Use a UUID, or the name of the job and the digest of the file.",
        )
        return ""
    return key
