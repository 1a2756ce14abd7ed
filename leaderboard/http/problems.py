"""The one table of refusals, by code, for pages and API; and their RFC 9457 documents."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.encoding import escape_uri_path

from leaderboard.http.json_encoding import encode
from leaderboard.services.errors import ServiceError

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class ProblemType:
    """A type of problem. is_general: whether it describes a response of which only the status is known."""

    status: int
    title: str
    hint: str
    is_general: bool = False


PROBLEM_TYPES: Mapping[str, ProblemType] = {
    "request-malformed": ProblemType(
        400,
        "The request cannot be read",
        "Send the whole body, with headers that match it.",
        is_general=True,
    ),
    "parameter-invalid": ProblemType(
        400, "A query parameter is not valid", "Fix what `problems` points to, or leave the parameter out."
    ),
    "code-refused": ProblemType(
        400,
        "The code gets no token",
        "`error` says why (RFC 8628): ask again after `interval` seconds while it is authorization_pending.",
    ),
    "not-authenticated": ProblemType(
        401,
        "A token is needed",
        "Send `Authorization: Bearer wb_…`; create a token on your tokens page.",
    ),
    "authentication-failed": ProblemType(
        401, "The token is not accepted", "Create a new token on your tokens page if you need one."
    ),
    "token-expired": ProblemType(
        401,
        "The token has expired",
        "Create a new token on your tokens page, and put it where the old one was.",
    ),
    "scope-missing": ProblemType(
        403,
        "The token may not be used for this",
        "Create a token with this scope, or for this leaderboard; GET /api/v1/me/ lists what yours may do.",
    ),
    "id-token-refused": ProblemType(
        403, "The ID token of the CI job is not accepted", "Fix every problem listed, and exchange a new one."
    ),
    "permission-denied": ProblemType(
        403, "Not allowed", "A program should send a token, not a session cookie.", is_general=True
    ),
    "email-unverified": ProblemType(
        403,
        "A verified email address is needed",
        "Sign in, open Your account, and have the confirmation sent again.",
    ),
    "approval-needed": ProblemType(
        403,
        "The organisers have not approved the team",
        "Ask them on the page where files are submitted; the same request works once they have.",
    ),
    "not-found": ProblemType(
        404, "There is nothing here", "Check the address, or the id, or whether it is yours.", is_general=True
    ),
    "method-not-allowed": ProblemType(
        405, "The method is not allowed here", "The header `Allow` lists those that are.", is_general=True
    ),
    "confirmation-needed": ProblemType(
        409,
        "The log says that its results should not be used as they are",
        "Read the warnings of the submission. If its result holds, publish it with `confirm_log=true`.",
    ),
    "wrong-state": ProblemType(409, "The present state does not allow this", "`detail` names the state."),
    "board-closed": ProblemType(
        409,
        "The leaderboard takes no files yet",
        "Wait until it has reference answers, or choose another one.",
    ),
    "file.too-large": ProblemType(
        413,
        "The file is too large",
        "Compress it with gzip, or leave out what the format does not ask for.",
        is_general=True,
    ),
    "storage-spent": ProblemType(
        413,
        "The files that are kept leave too little room for this one",
        "Compress the file with gzip, or ask the organisers for more room; allowance/ shows the limits.",
    ),
    "unsupported-media-type": ProblemType(
        415,
        "The service does not accept this content type",
        "Send multipart/form-data with the field `file`, or to raw/ the file itself as JSON or JSON Lines.",
    ),
    "file-rejected": ProblemType(
        422,
        "The file cannot be scored",
        "Fix every problem listed and send the file again; POST /api/v1/validations/ checks it first.",
    ),
    "file-unscorable": ProblemType(
        422,
        "A value of the file cannot be scored",
        "Look for values that no run produces, such as enormous numbers.",
    ),
    "request-invalid": ProblemType(
        422,
        "The request has errors",
        "Fix every problem listed and send the request again; nothing was stored.",
    ),
    "idempotency-key-reused": ProblemType(
        422, "The Idempotency-Key belongs to another request", "Use a new key for a new file or other facts."
    ),
    "quota-spent": ProblemType(
        429,
        "The team's quota is spent",
        "Try again at `retry_at`; without it, waiting does not help.",
    ),
    "too-many-requests": ProblemType(
        429, "Too many requests", "Wait as many seconds as `Retry-After` says.", is_general=True
    ),
    "scoring-failed": ProblemType(
        500, "Scoring failed through our fault", "Send the same file again; this costs no quota."
    ),
    "server-error": ProblemType(
        500, "Something went wrong here", "Try again; if it stays, tell the organisers the `error_id`."
    ),
    "unavailable": ProblemType(
        503, "The service is not available right now", "Try again in a few seconds.", is_general=True
    ),
    "storage-full": ProblemType(
        507, "There is no room for the file", "Send it again later; nothing was stored.", is_general=True
    ),
}

INVALID = PROBLEM_TYPES["request-invalid"].status  # of a page with a form that needs correcting


def status_of(refusal: str | ServiceError) -> int:
    """Return the HTTP status of a code, or of the error of a use-case.

    Raises KeyError for an error that is no refusal of a request, such as a backup that cannot be read.
    """
    return PROBLEM_TYPES[refusal.code if isinstance(refusal, ServiceError) else refusal].status


def code_of_status(status: int) -> str | None:
    """Return the code of a response of which only the status is known; None for a fault of ours."""
    general = (code for code, known in PROBLEM_TYPES.items() if known.is_general and known.status == status)
    return next(general, None)


def retry_headers(seconds: int | None) -> dict[str, str]:
    """Return the header that tells a client when to ask again; nothing where waiting does not help."""
    return {} if seconds is None else {"Retry-After": str(seconds)}


def mark_refused(page: HttpResponse, refusal: str | ServiceError) -> HttpResponse:
    """Return a page that shows a refusal, with the status of the refusal and the time to ask again.

    refusal: a code, or the error of a use-case, which may know itself when to ask again.
    """
    seconds = refusal.retry_after if isinstance(refusal, ServiceError) else None
    page.status_code = status_of(refusal)
    for name, value in retry_headers(seconds).items():
        page[name] = value
    return page


Document = dict[str, Any]


def describe(code: str) -> Document:
    """Describe a type of problem, for the address that `type` points at."""
    known = PROBLEM_TYPES[code]
    return {
        "type": reverse("api:problem", args=[code]),
        "code": code,
        "status": known.status,
        "title": known.title,
        "hint": known.hint,
    }


def problem_document(code: str, detail: str = "", *, request: HttpRequest, hint: str = "") -> Document:
    """Build a problem document.

    detail: about this occurrence; without it, the title as a sentence.
    Source: RFC 9457, section 3.
    """
    described = describe(code)
    return {
        **described,
        "detail": detail or f"{described['title']}.",
        "instance": escape_uri_path(request.path),
        "hint": hint or described["hint"],
    }


def as_response(document: Document, headers: Mapping[str, str] | None = None) -> HttpResponse:
    return HttpResponse(
        encode(document), status=document["status"], content_type=MEDIA_TYPE, headers=dict(headers or {})
    )
