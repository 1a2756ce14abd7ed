"""Parsing what is sent with a file: the file, the board, the facts, and every problem with them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.http import QueryDict

from leaderboard.api.base import find_benchmark
from leaderboard.api.errors import BodyTooLarge
from leaderboard.api.schema.forms import FACTS
from leaderboard.http import uploads
from leaderboard.http.uploads import Incoming
from leaderboard.models import Benchmark
from leaderboard.services.files.read import limits_of
from scoring.reading.problems import Problem, pointer, quote

_KEY_LENGTH = 255
_YES_NO = {"true": True, "1": True, "false": False, "0": False}


class RequestCode(StrEnum):
    """What can be wrong with a request beside its facts and its file."""

    UNKNOWN_PARAMETER = "request.unknown-parameter"
    REPEATED_PARAMETER = "request.repeated-parameter"
    FILE_MISSING = "request.file-missing"
    FILE_REPEATED = "request.file-repeated"
    FILE_EMPTY = "request.file-empty"
    BENCHMARK_MISSING = "request.benchmark-missing"
    BENCHMARK_UNKNOWN = "request.benchmark-unknown"
    PUBLISH_INVALID = "request.publish-invalid"
    KEY_INVALID = "request.idempotency-key-invalid"


@dataclass(slots=True)
class Upload:
    """What was sent. file: None when it is missing; benchmark: None when it is not known.

    said: the parameters by name. problems: everything that is wrong with the request so far.
    """

    file: Incoming | None = None
    filename: str = ""
    benchmark: Benchmark | None = None
    said: dict[str, Any] = field(default_factory=dict)
    publish: bool = False
    problems: list[Problem] = field(default_factory=list)

    @property
    def facts(self) -> dict[str, Any]:
        return {name: self.said[name] for name in FACTS if name in self.said}

    def complain(self, code: RequestCode, name: str, message: str, hint: str) -> None:
        at = pointer(name) if name else ""
        self.problems.append(Problem(code=code, pointer=at, message=message, hint=hint))


def read_upload(request, *, known: Iterable[str]) -> Upload:
    """Return what `request` carries; its parameters may be those in `known`, as form fields or in the query.

    Raises BodyTooLarge, BodyIncomplete, NoRoom and REST framework's errors for a body that cannot be read.
    """
    upload = Upload()
    if named := find_benchmark(request.query_params.get("benchmark", "").strip()):
        request.stream.narrow(limits_of(named.family).body_bytes)
    body = request.data
    known = tuple(known)
    fields = QueryDict(mutable=True)
    fields.update(request.query_params)
    if isinstance(body, Incoming):
        upload.file = body
        _refuse_empty(upload)
    else:
        fields.update(request.POST)
        known = ("file", *known)
        _take_file(upload, request.FILES, in_text="file" in fields)
        fields.pop("file", None)
    _take_parameters(upload, fields, known)
    _take_benchmark(upload)
    _refuse_oversized(upload)
    if "publish" in upload.said:
        word = upload.said["publish"].strip().lower()
        upload.publish = _YES_NO.get(word, False)
        if word not in _YES_NO:
            upload.complain(
                RequestCode.PUBLISH_INVALID,
                "publish",
                f"“{quote(word)}” is neither true nor false.",
                "Say publish=true to publish as soon as it is scored, or leave it out.",
            )
    return upload


def _refuse_empty(upload: Upload) -> None:
    if upload.file is None or not upload.file.arrived.size:
        upload.complain(
            RequestCode.FILE_EMPTY,
            "file",
            "The file is empty: 0 bytes.",
            "Check that the run wrote its results and that the path is right, then send that file.",
        )
        upload.file = None


def _refuse_oversized(upload: Upload) -> None:
    """Hold a file against the limit of its board, which a form may name after the file."""
    if upload.benchmark is None or upload.file is None:
        return
    limit = limits_of(upload.benchmark.family).body_bytes
    if upload.file.arrived.size > limit:
        raise BodyTooLarge(limit)


def _take_file(upload: Upload, files, in_text: bool) -> None:
    given = files.getlist("file")
    for other in files:
        if other != "file":
            upload.complain(
                RequestCode.UNKNOWN_PARAMETER, other, "A file of another name.", "Send the file as `file`."
            )
    if not given:
        hint = "Send the file as the form field `file`; with curl: -F file=@results.json"
        message = "`file` holds text, not a file." if in_text else "There is no file in the request."
        upload.complain(RequestCode.FILE_MISSING, "file", message, hint)
        return
    if len(given) > 1 or in_text:
        upload.complain(
            RequestCode.FILE_REPEATED, "file", "There is more than one `file`.", "Send one file a request."
        )
        return
    upload.file = uploads.file_in_form(given[0])
    upload.filename = given[0].name
    _refuse_empty(upload)


def _take_parameters(upload: Upload, fields: QueryDict, known: tuple[str, ...]) -> None:
    for name, values in fields.lists():
        if name not in known:
            upload.complain(
                RequestCode.UNKNOWN_PARAMETER,
                name,
                f"There is no parameter “{quote(name)}” here.",
                f"Those there are: {', '.join(known)}.",
            )
        elif len(values) > 1 and name != "models":
            upload.complain(
                RequestCode.REPEATED_PARAMETER, name, f"`{name}` is given twice.", f"Give `{name}` once."
            )
        else:
            upload.said[name] = values if name == "models" and len(values) > 1 else values[0]


def _take_benchmark(upload: Upload) -> None:
    slug = upload.said.get("benchmark", "").strip()
    hint = "GET /api/v1/benchmarks/ lists the boards; give the slug of one."
    if not slug:
        upload.complain(RequestCode.BENCHMARK_MISSING, "benchmark", "No board is named.", hint)
        return
    upload.benchmark = find_benchmark(slug)
    if upload.benchmark is None:
        message = f"There is no board called “{quote(slug)}”."
        upload.complain(RequestCode.BENCHMARK_UNKNOWN, "benchmark", message, hint)


def read_key(request, upload: Upload) -> str:
    """Return the request's Idempotency-Key, "" for none; one that cannot be kept is a problem of `upload`."""
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return ""
    if not key or len(key) > _KEY_LENGTH or not key.isascii() or not key.isprintable():
        upload.complain(
            RequestCode.KEY_INVALID,
            "",
            f"The Idempotency-Key is empty, longer than {_KEY_LENGTH} characters, or not plain ASCII.",
            "Use a UUID, or the name of the job and the digest of the file.",
        )
        return ""
    return key
