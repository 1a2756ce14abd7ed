"""What the API can answer beside success: one table of codes, and problem documents made from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.encoding import escape_uri_path
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

MEDIA_TYPE = "application/problem+json"
CSRF_FAILED = "csrf-failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A sort of problem. status: HTTP. title: the same for every occurrence. hint: what to do next."""

    status: int
    title: str
    hint: str


KINDS: Mapping[str, Kind] = {
    "request-malformed": Kind(
        status=400,
        title="The request cannot be read",
        hint="Check how the body is put together; curl's -F and --data-binary do it right.",
    ),
    "parameter-invalid": Kind(
        status=400,
        title="A query parameter cannot be meant so",
        hint="Mend what `problems` points to, or leave the parameter out.",
    ),
    "body-incomplete": Kind(
        status=400,
        title="The body ended too early",
        hint="Send the file again; nothing was stored.",
    ),
    "not-authenticated": Kind(
        status=401,
        title="An API token is needed",
        hint="Send the header `Authorization: Bearer wb_…`; make a token on your Tokens page.",
    ),
    "authentication-failed": Kind(
        status=401,
        title="The API token is not accepted",
        hint="Look at your Tokens page, and make a new token if need be.",
    ),
    "permission-denied": Kind(
        status=403, title="Not allowed", hint="Ask the organisers if you think that it should be."
    ),
    CSRF_FAILED: Kind(
        status=403,
        title="The request did not come from our pages",
        hint="Reload the page and try again; a program should send an API token, not a session cookie.",
    ),
    "not-found": Kind(
        status=404,
        title="There is nothing here",
        hint="Check the address, or the id, or whether it is yours.",
    ),
    "method-not-allowed": Kind(
        status=405, title="The method is not allowed here", hint="The header `Allow` lists those that are."
    ),
    "wrong-state": Kind(
        status=409, title="Its present state does not allow it", hint="GET the submission to see its status."
    ),
    "board-closed": Kind(
        status=409,
        title="The board takes no files yet",
        hint="Wait until the organisers have imported its ground truth, or choose another board.",
    ),
    "file.too-large": Kind(
        status=413,
        title="The file is too large",
        hint="Compress it with gzip, and leave out logs that the format does not ask for.",
    ),
    "unsupported-media-type": Kind(
        status=415,
        title="The body is of a type that is not taken",
        hint="Send multipart/form-data with the field `file`, or the file itself as application/json, "
        "application/x-ndjson, application/jsonl, application/gzip, application/octet-stream, text/csv "
        "or text/plain.",
    ),
    "file-rejected": Kind(
        status=422,
        title="The file cannot be scored",
        hint="Mend every problem listed and send the file again; POST /api/v1/validations/ checks it first.",
    ),
    "request-invalid": Kind(
        status=422,
        title="The request needs mending",
        hint="Mend every problem listed and send it again; nothing was stored.",
    ),
    "idempotency-key-reused": Kind(
        status=422,
        title="The Idempotency-Key belongs to another request",
        hint="Use a new key for a new file or other facts.",
    ),
    "quota-spent": Kind(
        status=429,
        title="The team's quota is spent",
        hint="Wait for the seconds of `Retry-After`; checking a file is not counted.",
    ),
    "too-many-requests": Kind(
        status=429, title="Too many requests", hint="Wait for the seconds of `Retry-After`."
    ),
    "scoring-failed": Kind(
        status=500,
        title="Scoring failed through a fault of ours",
        hint="Send the same file again; a failed attempt costs no quota.",
    ),
    "server-error": Kind(
        status=500,
        title="Something went wrong here",
        hint="Try again; if it stays, tell the organisers the `error_id`.",
    ),
    "unavailable": Kind(
        status=503,
        title="The service cannot answer just now",
        hint="Try again in a few seconds.",
    ),
    "storage-full": Kind(
        status=507,
        title="There is no room for the file",
        hint="Nothing was stored and no quota was spent; send it again once the organisers have made room.",
    ),
}


def describe(code: str) -> dict[str, Any]:
    """Return what is said at the address of a problem's type."""
    kind = KINDS[code]
    return {
        "type": type_of(code),
        "code": code,
        "status": kind.status,
        "title": kind.title,
        "hint": kind.hint,
    }


def type_of(code: str) -> str:
    return reverse("api:problem", args=[code])


def document(code: str, detail: str, *, instance: str, **more: Any) -> dict[str, Any]:
    """Return a problem document. `more`: extension members, left out where None.

    Source: RFC 9457, section 3.
    """
    kind = KINDS[code]
    return {
        "type": type_of(code),
        "title": kind.title,
        "status": kind.status,
        "detail": detail,
        "instance": escape_uri_path(instance),
        "code": code,
        "hint": kind.hint,
        **{key: value for key, value in more.items() if value is not None},
    }


def respond(code: str, detail: str, *, request: HttpRequest, headers=None, **more: Any) -> Response:
    """Return the response that carries a problem document, rendered."""
    data = document(code, detail, instance=request.path, **more)
    response = Response(data, status=data["status"], headers=headers, content_type=MEDIA_TYPE)
    # Rendered here: outside of the API's views nothing was negotiated, and the docs page renders HTML.
    response.accepted_renderer, response.accepted_media_type = JSONRenderer(), MEDIA_TYPE
    response.renderer_context = {}
    return response.render()
