"""From exceptions to problem documents: the one place where domain errors meet HTTP."""

import logging
import uuid
from collections.abc import Mapping
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.request import UnreadablePostError
from django.utils import timezone
from django.utils.deprecation import MiddlewareMixin
from rest_framework import exceptions

from leaderboard.api.serializers.problems import ProblemSerializer
from leaderboard.http import outages
from leaderboard.http.problems import (
    MEDIA_TYPE,
    PROBLEM_TYPES,
    Document,
    as_response,
    code_of_status,
    problem_document,
    retry_headers,
)
from leaderboard.services import errors
from leaderboard.services.submissions.grade import FILE_FAULT
from wardboard.scoring.reading.limits import MOST_PROBLEMS
from wardboard.scoring.reading.problems import Problem, Remarks, SubmissionInvalid

logger = logging.getLogger(__name__)

# Members of a submission that its problem document has, too.
_LISTS = ("problems", "warnings")


class BodyTooLarge(errors.ServiceError, code="file.too-large"):
    """The body, or the file in it, is larger than `limit` bytes. what: "file" or "body"."""

    def __init__(self, limit: int, advice: str = "", *, what: str = "file") -> None:
        size = f"{limit / 2**20:.4g} MiB" if limit >= 2**20 else f"{limit / 2**10:.4g} KiB"
        message = f"The {what} is larger than the limit of {limit} bytes ({size})."
        super().__init__(f"{message} {advice}".rstrip())


class BodyIncomplete(errors.ServiceError, code="request-malformed"):
    """The connection ended before the whole body had arrived."""


class ParameterInvalid(errors.HasProblems, code="parameter-invalid"):
    """Query parameters are unknown, or have values that must not be ignored, because that would mislead."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(problems)


class NotScored(Exception):
    """A submission that is kept but gets no score: its file was rejected, or scoring failed.

    submission: as its team sees it. headers: of the response
    """

    def __init__(self, submission: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        super().__init__(submission["status"])
        self.submission, self.headers = submission, headers


# Errors of Django about requests that cannot be read.
_MALFORMED = (UnreadablePostError, MultiPartParserError, SuspiciousOperation, BadRequest)


def problem_response(error: Exception, context: Mapping[str, Any]) -> HttpResponse:
    """Return the problem document for an exception of a view. REST framework calls it."""
    request = context["request"]
    document = _with_lists(error, request)
    if document is None and (code := _code_of(error)):
        document = problem_document(code, _detail(error), request=request)
        if isinstance(error, errors.QuotaSpent) and error.retry_after is not None:
            at = timezone.now() + timedelta(seconds=error.retry_after)
            document["retry_at"] = at.replace(microsecond=0)
        if isinstance(error, errors.DeviceCodeRefused):
            document["error"] = error.error
    if document is not None:
        return as_response(document, _headers(error))
    if outage := outages.code_of(error):
        return outages.finish(as_response(problem_document(outage, request=request)), request, error)
    return unexpected(request, error)


def _code_of(error: Exception) -> str | None:
    """Return the code of an error that refuses a request; None for any other."""
    match error:
        case errors.ServiceError():
            return error.code if error.code in PROBLEM_TYPES else None
        case exceptions.APIException():
            # REST framework has codes, too; of two of them ours are those of their statuses.
            code = str(error.get_codes()).replace("_", "-")
            return code if code in PROBLEM_TYPES else code_of_status(error.status_code)
    return "request-malformed" if isinstance(error, _MALFORMED) else None


class ProblemDocuments(MiddlewareMixin):
    """Turn every other error response under /api/ into a problem document.

    It is far out in the list, so that an unknown host, or an error in another middleware, is covered too.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if response.status_code < 400 or not request.path_info.startswith("/api/"):
            return response
        if response.headers.get("Content-Type") == MEDIA_TYPE:
            return response
        code = code_of_status(response.status_code)
        if code is None:
            # Django has logged the traceback already; this log line joins it to the id in the response.
            return unexpected(request, None)
        headers = {name: response[name] for name in ("Retry-After",) if name in response}
        return as_response(problem_document(code, request=request), headers)


def _with_lists(error: Exception, request: HttpRequest) -> Document | None:
    """Return the document of an error that carries a list of problems; None for any other error."""
    problems, warnings = Remarks(), Remarks()
    match error:
        case NotScored():
            return _not_scored(error.submission, request)
        case SubmissionInvalid():
            problems, warnings = error.problems, error.warnings
            code, detail = "file-rejected", _count(problems.total, "in the file.")
        case errors.RequestInvalid():
            problems.extend(error.facts)
            if error.file is not None:
                problems.absorb(error.file)
            warnings = error.warnings or warnings
            code, detail = error.code, _count(problems.total, "in the request and its file.")
        case errors.HasProblems():
            problems.extend(error.problems)
            code, detail = error.code, error.detail
            if isinstance(error, errors.FactsInvalid):
                detail = _count(problems.total, "in the request.")
        case _:
            return None
    document = problem_document(code, detail, request=request)
    for name, remarks in (("problems", problems), ("warnings", warnings)):
        document[name] = ProblemSerializer(remarks.listed, many=True).data
        document[f"{name}_total"], document[f"{name}_by_code"] = remarks.total, dict(remarks.counts)
    if code == "file-rejected":
        document["valid"] = False
    if problems.systems:
        document["systems"] = [asdict(system) for system in problems.systems]
    return document


def _not_scored(submission: Mapping[str, Any], request: HttpRequest) -> Document:
    failure = submission["failure"]
    if failure:
        code = "file-unscorable" if failure == FILE_FAULT else "scoring-failed"
        document = problem_document(code, failure, request=request)
    else:
        detail = _count(submission["problems_total"], "in the file. It is kept as a rejected submission.")
        document = problem_document("file-rejected", detail, request=request)
        document |= {name: value for name, value in submission.items() if name.startswith(_LISTS)}
    document["submission"] = {name: submission[name] for name in ("id", "url", "status")}
    return document


def _count(total: int, where: str) -> str:
    if total > MOST_PROBLEMS:
        return f"More than {MOST_PROBLEMS:,} problems {where}"
    return f"{total} problem{'' if total == 1 else 's'} {where}"


def _detail(error: Exception) -> str:
    """Return the text of our own errors; "" for those of Django, which may name settings."""
    if isinstance(error, errors.ServiceError):
        return error.detail
    if isinstance(error, exceptions.APIException):
        return str(error.detail)
    return str(error) if isinstance(error, MultiPartParserError) else ""


def _headers(error: Exception) -> dict[str, str]:
    headers = dict(error.headers) if isinstance(error, NotScored) else {}
    if auth_header := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = auth_header
    if isinstance(error, errors.ServiceError):
        headers |= retry_headers(error.retry_after)
    if isinstance(error, errors.DeviceCodeRefused):
        # RFC 6749, section 5.1.
        headers["Cache-Control"] = "no-store"
    if isinstance(error, exceptions.Throttled):
        headers["Retry-After"] = str(getattr(error, "wait", None) or 1)
    return headers


def unexpected(request: HttpRequest, error: Exception | None) -> HttpResponse:
    """Return a document with nothing but an id, and log everything else under that id."""
    error_id = uuid.uuid4().hex[:12]
    logger.error("error %s at %s %s", error_id, request.method, request.path, exc_info=error)
    detail = "The error is in our log under the id given here."
    document = problem_document("server-error", detail, request=request)
    document["error_id"] = error_id
    return as_response(document)
