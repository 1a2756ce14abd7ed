"""Reading what is uploaded: as bytes, counted, never more than the limit."""

import contextlib
import json
from collections.abc import Iterator

from django.http import HttpRequest, QueryDict
from django.http.multipartparser import MultiPartParser
from django.http.request import UnreadablePostError
from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.parsers import BaseParser, DataAndFiles

from leaderboard.api.errors import BodyIncomplete, BodyTooLarge
from leaderboard.api.schema.forms import MULTIPART, RAW_TYPES
from leaderboard.http import uploads
from leaderboard.services.errors import NoRoom
from leaderboard.services.files.read import largest_body
from scoring.reading.limits import MIB

_FIELDS_LIMIT = 16 * 1024
# What the fields beside the file and the framing of multipart may take.
_MULTIPART_MARGIN = MIB
_CHUNK = uploads.CHUNK


class Body:
    """The body of a request as a stream that counts, and stops where the limit is passed.

    Raises BodyTooLarge when the body is longer than `limit` + `margin` bytes, whether the length is said,
    said wrongly or (chunked) not said at all, and BodyIncomplete when it is shorter than was said. The limit
    may be narrowed until the first byte is read.
    """

    def __init__(self, request: HttpRequest, *, limit: int, margin: int = 0) -> None:
        self._request, self._told, self._margin = request, limit, margin
        self._advice = ""
        said = request.META.get("CONTENT_LENGTH") or ""
        self.length = int(said) if said.isascii() and said.isdecimal() else None
        self._read = 0
        if self.length is None and request.META.get("wsgi.input_terminated"):
            # Django reads nothing of a chunked body; the server marks where it ends.
            request._stream = request.META["wsgi.input"]

    @property
    def limit(self) -> int:
        return self._told + self._margin

    def narrow(self, limit: int, advice: str = "") -> None:
        """Take no more than `limit` bytes; advice: what to do about it."""
        if limit < self._told:
            self._told, self._advice = limit, advice

    def read(self, size: int = -1) -> bytes:
        if self.length is not None and self.length > self.limit:
            raise self._too_large()
        left = self.limit + 1 - self._read
        try:
            chunk = self._request.read(left if size is None or size < 0 else min(size, left))
        except Exception as error:
            # The server's own errors about chunks that are cut off or no chunks have no base in common.
            if self.length is not None and not isinstance(error, UnreadablePostError):
                raise
            raise BodyIncomplete("The body broke off, or is not what its headers say.") from error
        self._read += len(chunk)
        if self._read > self.limit:
            raise self._too_large()
        if not chunk and size != 0 and self.length is not None and self._read < self.length:
            raise BodyIncomplete(f"The body ended after {self._read} of {self.length} bytes.")
        return chunk

    def drain(self) -> None:
        """Let the rest run out, up to about the limit, and throw it away: a client that still sends when the
        line closes sees a broken line, not the answer."""
        left = self.limit
        with contextlib.suppress(Exception):  # The answer is the same, however the rest of the body ends.
            while left > 0 and (chunk := self._request.read(_CHUNK)):
                left -= len(chunk)

    def _too_large(self) -> BodyTooLarge:
        self.drain()
        return BodyTooLarge(self._told, self._advice)

    def __iter__(self) -> Iterator[bytes]:
        return iter(lambda: self.read(_CHUNK), b"")

    def read_all(self) -> bytes:
        return b"".join(self)


def upload_body(request: HttpRequest) -> Body:
    """Return the body of an upload, with the limit of its kind."""
    margin = _MULTIPART_MARGIN if request.content_type == MULTIPART else 0
    return Body(request, limit=largest_body(), margin=margin)


def fields_body(request: HttpRequest) -> Body:
    """Return the body of a request that carries a few fields and no file."""
    return Body(request, limit=_FIELDS_LIMIT)


class UploadParser(BaseParser):
    """Takes multipart/form-data, or the file itself as body: then `request.data` is the Incoming file.

    It is called when somebody asks for `request.data`, so after it is settled who calls; the file goes to the
    store as it comes.
    """

    media_type = "*/*"

    def parse(self, stream: Body, media_type=None, parser_context=None):
        request = parser_context["request"]
        encoding = request.META.get("HTTP_CONTENT_ENCODING", "identity").strip().lower()
        # What is gzipped is told by its bytes, so the header needs no more than to agree.
        if encoding not in ("", "identity", "gzip", "x-gzip"):
            raise UnsupportedMediaType(media_type, "The only Content-Encoding that is taken is gzip.")
        kind = request._request.content_type
        if kind not in (*RAW_TYPES, MULTIPART):
            raise UnsupportedMediaType(media_type)
        uploads.expect_file(request._request)
        if kind == MULTIPART:
            return _multipart(request, stream)
        try:
            return uploads.arrive(request._request, stream)
        except NoRoom:
            stream.drain()
            raise


class FieldsParser(BaseParser):
    """Takes a few fields as a form or as a JSON object, or nothing."""

    media_type = "*/*"

    def parse(self, stream: Body, media_type=None, parser_context=None):
        request = parser_context["request"]
        kind = request._request.content_type
        if kind == MULTIPART:
            return _multipart(request, stream)
        raw = stream.read_all()
        if kind == "application/x-www-form-urlencoded":
            return QueryDict(raw, encoding="utf-8")
        if not raw.strip():
            return {}
        if kind != "application/json":
            raise UnsupportedMediaType(media_type, "Send the fields as a form, or as application/json.")
        try:
            said = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise ParseError("The body is not JSON.") from error
        if not isinstance(said, dict):
            raise ParseError("The body is not a JSON object.")
        return said


def _multipart(request: HttpRequest, stream: Body) -> DataAndFiles:
    # A length that is not known is taken for the largest, which goes to a temporary file.
    meta = {**request.META, "CONTENT_LENGTH": stream.limit if stream.length is None else stream.length}
    data, files = MultiPartParser(meta, stream, [uploads.ToStore(request._request)], "utf-8").parse()
    # Whatever follows the last boundary must have come too, or the file may be a part of itself.
    for _ in stream:
        pass
    uploads.raise_no_room(request._request)
    return DataAndFiles(data, files)
