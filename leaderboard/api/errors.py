"""From exceptions to problem documents: the one place where domain errors meet HTTP."""

import logging
import math
import uuid

from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.db import OperationalError
from django.http import Http404
from django.http.multipartparser import MultiPartParserError
from django.http.request import UnreadablePostError
from rest_framework import exceptions
from rest_framework.response import Response

from leaderboard.api.problems import CSRF_FAILED, KINDS, respond
from leaderboard.services import errors
from scoring.reading.problems import Problem, Remarks, SubmissionInvalid

logger = logging.getLogger(__name__)


class BodyTooLarge(Exception):
    """The body, or the file in it, passes the limit of `limit` bytes."""

    def __init__(self, limit: int, advice: str = "") -> None:
        said = f"The file is larger than the limit of {limit} bytes ({limit / 2**20:.4g} MiB)."
        super().__init__(f"{said} {advice}".rstrip())


class BodyIncomplete(Exception):
    """The connection ended before the whole body had come."""


class ParameterInvalid(Exception):
    """A query parameter says something that cannot be meant, where to pass over it would mislead.

    problem: with a pointer of the parameter's name.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class NotScored(Exception):
    """A submission that is kept but will get no score: its file was rejected, or scoring failed.

    shown: how the submission is represented to its team.
    """

    def __init__(self, shown: dict) -> None:
        super().__init__(shown["status"])
        self.shown = shown


# Whose `str` is fit to be shown, and the code that it has.
_PLAIN = (
    (BodyTooLarge, "file.too-large"),
    (BodyIncomplete, "body-incomplete"),
    (UnreadablePostError, "body-incomplete"),
    (MultiPartParserError, "request-malformed"),
    (exceptions.ParseError, "request-malformed"),
    (SuspiciousOperation, "request-malformed"),
    (BadRequest, "request-malformed"),
    (exceptions.NotAuthenticated, "not-authenticated"),
    (exceptions.AuthenticationFailed, "authentication-failed"),
    (exceptions.PermissionDenied, "permission-denied"),
    (PermissionDenied, "permission-denied"),
    (exceptions.NotFound, "not-found"),
    (exceptions.MethodNotAllowed, "method-not-allowed"),
    (exceptions.UnsupportedMediaType, "unsupported-media-type"),
    (exceptions.Throttled, "too-many-requests"),
    (errors.NotFound, "not-found"),
    (errors.WrongState, "wrong-state"),
    (errors.BoardClosed, "board-closed"),
    (errors.QuotaSpent, "quota-spent"),
    (errors.NoRoom, "storage-full"),
    (errors.KeyReused, "idempotency-key-reused"),
)

# For what comes from outside of the API's views: the status is all there is.
BY_STATUS = {
    400: "request-malformed",
    403: "permission-denied",
    404: "not-found",
    405: "method-not-allowed",
    413: "file.too-large",
    429: "too-many-requests",
    503: "unavailable",
}


def problem_response(error: Exception, context: dict) -> Response:
    """Return the problem document of whatever was raised in a view (REST framework's EXCEPTION_HANDLER)."""
    request = context["request"]
    listed = _listed(error)
    if listed is not None:
        code, detail, more = listed
        return respond(code, detail, request=request, **more)
    if isinstance(error, Http404):
        return respond("not-found", "There is nothing at this address.", request=request)
    if getattr(getattr(error, "detail", None), "code", None) == CSRF_FAILED:
        return respond(CSRF_FAILED, str(error), request=request)
    for kind, code in _PLAIN:
        if isinstance(error, kind):
            return respond(code, _text(error, code), request=request, headers=_headers(error))
    return unexpected(request, error)


def _listed(error: Exception) -> tuple[str, str, dict] | None:
    """Return code, detail and members of the errors that carry a list."""
    match error:
        case SubmissionInvalid():
            detail = _count(error.problems.total, "in the file.")
            return "file-rejected", detail, {**members(error.problems, error.warnings), "valid": False}
        case errors.FactsInvalid():
            remarks = _remarks(error.problems)
            return "request-invalid", _count(remarks.total, "in the request."), members(remarks)
        case errors.RequestInvalid():
            problems = _remarks(error.facts)
            if error.file is not None:
                problems.listed += error.file.listed
                problems.total += error.file.total
            return (
                "request-invalid",
                _count(problems.total, "in the request and its file."),
                members(problems, error.warnings),
            )
        case ParameterInvalid():
            return "parameter-invalid", error.problem.message, members(_remarks([error.problem]))
        case NotScored():
            return _not_scored(error.shown)
    return None


def _not_scored(shown: dict) -> tuple[str, str, dict]:
    kept = {"submission": {key: shown[key] for key in ("id", "url", "status")}}
    if shown["failure"]:
        return "scoring-failed", shown["failure"], kept
    lists = ("problems", "problems_total", "warnings", "warnings_total")
    detail = _count(shown["problems_total"], "in the file. It is kept as a rejected submission.")
    return "file-rejected", detail, kept | {key: shown[key] for key in lists}


def _count(total: int, where: str) -> str:
    return f"{total} problem{'' if total == 1 else 's'} {where}"


def _remarks(problems: list[Problem]) -> Remarks:
    remarks = Remarks()
    remarks.extend(problems)
    return remarks


def members(problems: Remarks, warnings: Remarks | None = None) -> dict:
    """Return the lists as members of a problem document, with how many there are beyond those listed."""
    warnings = warnings or Remarks()
    return {
        "problems": [problem.as_dict() for problem in problems.listed],
        "problems_total": problems.total,
        "warnings": [warning.as_dict() for warning in warnings.listed],
        "warnings_total": warnings.total,
    }


def _text(error: Exception, code: str) -> str:
    if isinstance(error, errors.ServiceError):
        return error.detail
    if isinstance(error, exceptions.APIException):
        return str(error.detail)
    # Django's own texts name settings; what the title says is enough.
    is_ours = isinstance(error, (BodyTooLarge, BodyIncomplete, MultiPartParserError))
    return (is_ours and str(error)) or f"{KINDS[code].title}."


def _headers(error: Exception) -> dict[str, str]:
    headers = {}
    if getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = error.auth_header
    if isinstance(error, errors.QuotaSpent):
        headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, exceptions.Throttled):
        headers["Retry-After"] = str(max(1, math.ceil(error.wait or 1)))
    return headers


def unexpected(request, error: BaseException | None) -> Response:
    """Return a document that says no more than an id, and log the rest under that id."""
    error_id = uuid.uuid4().hex[:12]
    logger.error("error %s at %s %s", error_id, request.method, request.path, exc_info=error)
    if isinstance(error, OperationalError):
        # The database is away or busy, which passes.
        detail = "The database does not answer."
        return respond(
            "unavailable", detail, request=request, headers={"Retry-After": "5"}, error_id=error_id
        )
    detail = "The error is in our log under the id given here."
    return respond("server-error", detail, request=request, error_id=error_id)
