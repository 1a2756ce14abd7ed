"""The one table of refusals, by code, for pages and API; and their RFC 9457 documents."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.encoding import escape_uri_path
from msgspec import UNSET, Meta, Struct, UnsetType

from leaderboard.http.json_encoding import encode
from leaderboard.models import Status
from leaderboard.services.errors import ServiceError
from wardboard.scoring.reading.problems import Problem, Remarks

MEDIA_TYPE = "application/problem+json"
CSRF_FAILED = "csrf-failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemType:
    """A type of problem.

    status: of the HTTP response.
    title: the same for every occurrence.
    hint: what the client can do next.
    error: its name in OAuth 2.0, "" where it has none.
    is_general: whether it describes a response of which only the status is known.
    """

    status: int
    title: str
    hint: str
    error: str = ""
    is_general: bool = False


PROBLEM_TYPES: Mapping[str, ProblemType] = {
    "request-malformed": ProblemType(
        status=400,
        title="The request cannot be read",
        hint="Check how the body is put together; curl's -F and --data-binary do it right.",
        is_general=True,
    ),
    "parameter-invalid": ProblemType(
        status=400,
        title="A query parameter is not valid",
        hint="Fix what `problems` points to, or leave the parameter out.",
    ),
    "body-incomplete": ProblemType(
        status=400,
        title="The body ended too early",
        hint="Send the file again; nothing was stored.",
    ),
    "authorization-pending": ProblemType(
        status=400,
        title="Nobody has approved the code yet",
        hint="Ask again after the seconds of `interval`.",
        error="authorization_pending",
    ),
    "slow-down": ProblemType(
        status=400,
        title="The code is asked for too often",
        hint="Wait five seconds longer between two questions from now on.",
        error="slow_down",
    ),
    "sign-in-denied": ProblemType(
        status=400,
        title="The sign-in was denied",
        hint="Ask for a new code if that was a mistake.",
        error="access_denied",
    ),
    "code-expired": ProblemType(
        status=400,
        title="The code has expired",
        hint="Ask for a new code, and approve it within ten minutes.",
        error="expired_token",
    ),
    "code-invalid": ProblemType(
        status=400,
        title="The code cannot be used",
        hint="Ask for a new code.",
        error="invalid_grant",
    ),
    "not-authenticated": ProblemType(
        status=401,
        title="An API token is needed",
        hint="Send the header `Authorization: Bearer wb_…`; make a token on your Tokens page.",
    ),
    "authentication-failed": ProblemType(
        status=401,
        title="The API token is not accepted",
        hint="Look at your Tokens page, and create a new token if you need one.",
    ),
    "token-expired": ProblemType(
        status=401,
        title="The API token has expired",
        hint="Make a new token on your Tokens page, and put it where the old one was.",
    ),
    "token-revoked": ProblemType(
        status=401,
        title="The API token was revoked",
        hint="Make a new token on your Tokens page. If you did not revoke this one, someone with your "
        "password did.",
    ),
    "scope-missing": ProblemType(
        status=403,
        title="The API token may not be used for this",
        hint="Make a token with this scope on your Tokens page, or ask the operator for one with `organise`; "
        "GET /api/v1/me/ lists the scopes of a token.",
    ),
    "token-of-other-board": ProblemType(
        status=403,
        title="The API token is for another leaderboard",
        hint="Make a token for this leaderboard, or for all, on your Tokens page.",
    ),
    "id-token-refused": ProblemType(
        status=403,
        title="The ID token of the CI job is not accepted",
        hint="Fix every problem listed, and exchange a new ID token.",
    ),
    "permission-denied": ProblemType(
        status=403,
        title="Not allowed",
        hint="Ask the organisers if you think that it should be.",
        is_general=True,
    ),
    CSRF_FAILED: ProblemType(
        status=403,
        title="The request did not come from our pages",
        hint="Reload the page and try again; a program should send an API token, not a session cookie.",
    ),
    "email-unverified": ProblemType(
        status=403,
        title="A verified email address is needed",
        hint="Sign in, open Your account, have the confirmation sent again, and follow the link in the "
        "email.",
    ),
    "approval-needed": ProblemType(
        status=403,
        title="The organisers have not approved the team",
        hint="POST a message to approval/ of the leaderboard, or ask on the page where files are "
        "submitted; the same request works once they have approved the team.",
    ),
    "not-found": ProblemType(
        status=404,
        title="There is nothing here",
        hint="Check the address, or the id, or whether it is yours.",
        is_general=True,
    ),
    "method-not-allowed": ProblemType(
        status=405,
        title="The method is not allowed here",
        hint="The header `Allow` lists those that are.",
        is_general=True,
    ),
    "confirmation-needed": ProblemType(
        status=409,
        title="The log says that its results should not be used as they are",
        hint="Read the warnings of the submission. If its result holds all the same, publish it with "
        "`confirm_log=true`.",
    ),
    "wrong-state": ProblemType(
        status=409,
        title="Its present state does not allow it",
        hint="`detail` names the state. GET what the request is about to see it whole.",
    ),
    "board-closed": ProblemType(
        status=409,
        title="The leaderboard takes no files yet",
        hint="Wait until the organisers have imported its reference answers, or choose another leaderboard.",
    ),
    "file.too-large": ProblemType(
        status=413,
        title="The file is too large",
        hint="Compress a file with gzip, and leave out logs that the format does not ask for; else shorten "
        "the texts.",
        is_general=True,
    ),
    "storage-spent": ProblemType(
        status=413,
        title="The files that are kept leave too little room for this one",
        hint="Compress the file with gzip, or ask the organisers for more room. Nothing was stored; "
        "`wardboard quota` shows the limits, as does the leaderboard's allowance/ in the API.",
    ),
    "unsupported-media-type": ProblemType(
        status=415,
        title="The body is of a type that is not taken",
        hint="Send multipart/form-data with the field `file`, or the file itself as application/json, "
        "application/x-ndjson, application/jsonl, application/gzip, application/zip, application/x-tar, "
        "application/octet-stream, text/csv or text/plain.",
    ),
    "file-rejected": ProblemType(
        status=422,
        title="The file cannot be scored",
        hint="Fix every problem listed and send the file again; POST /api/v1/validations/ checks it first.",
    ),
    "file-unscorable": ProblemType(
        status=422,
        title="A value of the file cannot be scored",
        hint="Look for values that no run produces, such as enormous numbers, and send a corrected file.",
    ),
    "request-invalid": ProblemType(
        status=422,
        title="The request needs correcting",
        hint="Fix every problem listed and send it again; nothing was stored.",
    ),
    "idempotency-key-reused": ProblemType(
        status=422,
        title="The Idempotency-Key belongs to another request",
        hint="Use a new key for a new file or other facts.",
    ),
    "quota-spent": ProblemType(
        status=429,
        title="The team's quota is spent",
        hint="Try again at the time that `retry_at` has; without one, waiting does not help. Of files, "
        "checks are not counted; `wardboard quota` shows the limits, as does allowance/ of the leaderboard.",
    ),
    "too-many-requests": ProblemType(
        status=429,
        title="Too many requests",
        hint="Wait for the seconds of `Retry-After`.",
        is_general=True,
    ),
    "scoring-failed": ProblemType(
        status=500,
        title="Scoring failed through a fault of ours",
        hint="Send the same file again; a failed attempt costs no quota.",
    ),
    "server-error": ProblemType(
        status=500,
        title="Something went wrong here",
        hint="Try again; if it stays, tell the organisers the `error_id`.",
    ),
    "unavailable": ProblemType(
        status=503,
        title="The service is not available right now",
        hint="Try again in a few seconds.",
        is_general=True,
    ),
    "busy": ProblemType(
        status=503,
        title="As many files are being read or sent as may be at once",
        hint="Nothing was stored. Wait for the seconds of `Retry-After` and ask again.",
    ),
    "issuer-away": ProblemType(
        status=503,
        title="The issuer of the ID token does not answer",
        hint="Wait for the seconds of `Retry-After`, and exchange a new ID token.",
    ),
    "storage-away": ProblemType(
        status=503,
        title="The storage for files does not answer",
        hint="No quota was spent. Wait for the seconds of `Retry-After` and send it again.",
    ),
    "storage-full": ProblemType(
        status=507,
        title="There is no room for the file",
        hint="Nothing was stored and no quota was spent; send it again once the organisers have made room.",
        is_general=True,
    ),
}

INVALID = PROBLEM_TYPES["request-invalid"].status  # of a page with a form that needs correcting


def status_of(refusal: str | ServiceError) -> int:
    """Return the HTTP status of a code, or of the error of a use-case.

    Raises KeyError for an error that is no refusal of a request, such as a backup that cannot be read.
    """
    code = refusal.code if isinstance(refusal, ServiceError) else refusal
    return PROBLEM_TYPES[code].status


def code_of_status(status: int) -> str | None:
    """Return the code of a response of which only the status is known; None for a fault of ours."""
    general = (code for code, known in PROBLEM_TYPES.items() if known.is_general and known.status == status)
    return next(general, None)


def retry_headers(seconds: int | None) -> dict[str, str]:
    """Return the header that tells a client when to ask again; nothing where waiting does not help."""
    return {} if seconds is None else {"Retry-After": str(seconds)}


def mark_refused(
    page: HttpResponse, refusal: str | ServiceError, retry_after: int | None = None
) -> HttpResponse:
    """Return a page that shows a refusal, with the status of the refusal and the time to ask again.

    refusal: a code, or the error of a use-case, which may know itself when to ask again.
    """
    seconds = refusal.retry_after if isinstance(refusal, ServiceError) else retry_after
    page.status_code = status_of(refusal)
    for name, value in retry_headers(seconds).items():
        page[name] = value
    return page


class QuotedLineSchema(Struct, kw_only=True):
    """A line of the submitted file."""

    number: Annotated[int, Meta(description="From 1.")]
    text: Annotated[
        str, Meta(description="Printable: control characters are escaped. “…” where a long line is cut.")
    ]


class FixSchema(Struct, kw_only=True):
    """What to write in place of what is written, where that needs no thought."""

    before: Annotated[
        str,
        Meta(
            description="The line to remove, as the file has it, cut with “…” where it is long; where its "
            "place is not known, the JSON of the value alone. Empty where nothing is removed."
        ),
    ]
    after: Annotated[str, Meta(description="The line to insert, cut in the same way. Empty for none.")]


class ProblemSchema(Struct, kw_only=True):
    code: Annotated[
        str,
        Meta(description="Stable. `facts.…` and `request.…` point into the request, others into the file."),
    ]
    pointer: Annotated[str, Meta(description="JSON Pointer (RFC 6901) of the place.")]
    line: Annotated[int | None, Meta(description="Line of the file, from 1, where there is one.")]
    message: Annotated[str, Meta(description="What is so.")]
    hint: Annotated[str, Meta(description="What to do about it.")]
    run: Annotated[
        int | UnsetType,
        Meta(description="Of several runs, the one it is about, from 1; `pointer` is within it."),
    ] = UNSET
    file: Annotated[str | UnsetType, Meta(description="The name of the file of that run.")] = UNSET
    where: Annotated[
        str | UnsetType,
        Meta(description="The place in words: `result 9, task2_5, line 31`; where it is known."),
    ] = UNSET
    column: Annotated[
        int | UnsetType, Meta(description="The character of the line, from 1, where it is known.")
    ] = UNSET
    record: Annotated[
        int | UnsetType, Meta(description="The number of the result in the file's list of them, from 1.")
    ] = UNSET
    task: Annotated[str | UnsetType, Meta(description="The task id that this result states.")] = UNSET
    quoted: Annotated[
        list[QuotedLineSchema] | UnsetType,
        Meta(description="The line of the file, cut around the place, and the one before or after it."),
    ] = UNSET
    fix: FixSchema | UnsetType = UNSET


ByCode = Annotated[
    dict[str, int], Meta(description="Code -> how many there are, with those beyond the listed ones.")
]


class KeptSubmission(Struct, kw_only=True):
    """A submission that is kept, though it has no score."""

    id: UUID
    url: str
    status: Status


class ProblemDocument(Struct, kw_only=True):
    """RFC 9457."""

    type: Annotated[str, Meta(description="Address of what this sort of problem means.")]
    title: str
    status: int
    detail: str
    instance: str
    code: Annotated[str, Meta(extra_json_schema={"enum": sorted(PROBLEM_TYPES)})]
    hint: Annotated[str, Meta(description="What to do next.")]
    submission: KeptSubmission | UnsetType = UNSET
    problems: list[ProblemSchema] | UnsetType = UNSET
    problems_total: Annotated[
        int | UnsetType, Meta(description="More than are listed, at times; 1001 means more than 1,000.")
    ] = UNSET
    problems_by_code: ByCode | UnsetType = UNSET
    warnings: list[ProblemSchema] | UnsetType = UNSET
    warnings_total: int | UnsetType = UNSET
    warnings_by_code: ByCode | UnsetType = UNSET
    valid: bool | UnsetType = UNSET
    retry_at: Annotated[
        Annotated[datetime, Meta(tz=True)] | UnsetType,
        Meta(description="Of quota-spent: when the next one is accepted, as `Retry-After` has in seconds."),
    ] = UNSET
    error_id: str | UnsetType = UNSET
    error: Annotated[
        str | UnsetType, Meta(description="The name that OAuth 2.0 has for it (RFC 8628, section 3.5).")
    ] = UNSET


class ProblemTypeSchema(Struct, kw_only=True):
    type: str
    code: str
    status: int
    title: str
    hint: str


def describe(code: str) -> ProblemTypeSchema:
    """Describe a type of problem, for the address that `type` points at."""
    problem_type = PROBLEM_TYPES[code]
    return ProblemTypeSchema(
        type=_address(code),
        code=code,
        status=problem_type.status,
        title=problem_type.title,
        hint=problem_type.hint,
    )


def problem_document(code: str, detail: str = "", *, request: HttpRequest, hint: str = "") -> ProblemDocument:
    """Build a problem document.

    detail: about this occurrence; without it, the title as a sentence.
    hint: in place of that of the type.
    Source: RFC 9457, section 3.
    """
    problem_type = PROBLEM_TYPES[code]
    return ProblemDocument(
        type=_address(code),
        title=problem_type.title,
        status=problem_type.status,
        detail=detail or f"{problem_type.title}.",
        instance=escape_uri_path(request.path),
        code=code,
        hint=hint or problem_type.hint,
        error=problem_type.error or UNSET,
    )


def list_problems(document: ProblemDocument, problems: Remarks, warnings: Remarks | None = None) -> None:
    """Add problems and warnings to the document, with how many there are beyond those listed."""
    warnings = warnings or Remarks()
    document.problems, document.problems_total = show_problems(problems.listed), problems.total
    document.warnings, document.warnings_total = show_problems(warnings.listed), warnings.total
    document.problems_by_code, document.warnings_by_code = dict(problems.counts), dict(warnings.counts)


def show_problems(problems: list[Problem]) -> list[ProblemSchema]:
    return [
        ProblemSchema(
            code=problem.code,
            pointer=problem.pointer,
            line=problem.line,
            message=problem.message,
            hint=problem.hint,
            run=UNSET if problem.run is None else problem.run,
            file=problem.file or UNSET,
            where=problem.where or UNSET,
            column=problem.column or UNSET,
            record=problem.record or UNSET,
            task=problem.task or UNSET,
            quoted=[QuotedLineSchema(number=line.number, text=line.text) for line in problem.quoted] or UNSET,
            fix=FixSchema(before=problem.fix.before, after=problem.fix.after) if problem.fix else UNSET,
        )
        for problem in problems
    ]


def as_response(document: ProblemDocument, headers: Mapping[str, str] | None = None) -> HttpResponse:
    return HttpResponse(
        encode(document), status=document.status, content_type=MEDIA_TYPE, headers=dict(headers or {})
    )


def _address(code: str) -> str:
    return reverse("api:problem", args=[code])
