"""Bodies of requests: read as bytes that are counted, never more than the limit."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.http import HttpRequest, QueryDict
from django.http.multipartparser import MultiPartParser
from django.http.request import UnreadablePostError
from django.utils.datastructures import MultiValueDict
from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.parsers import BaseParser, DataAndFiles

from leaderboard.api.errors import BodyIncomplete, BodyTooLarge
from leaderboard.api.serializers.forms import MULTIPART, RAW_TYPES
from leaderboard.http import uploads
from leaderboard.http.uploads import CHUNK, IncomingFile
from wardboard.scoring.reading.limits import MIB

FIELDS_LIMIT = 16 * 1024  # bytes of a body without a file
# For the fields beside the file and the framing of multipart.
MULTIPART_MARGIN = MIB


class Body:
    """The body of a request as a stream that counts, and stops where the limit is passed.

    Raises BodyTooLarge when the body is longer than `limit` + `margin` bytes, whether its length is
    announced, announced wrongly or (chunked) not announced at all, and BodyIncomplete when it is shorter
    than announced. The limit may be narrowed until the first byte is read.

    margin: bytes that a body may have beside its file.
    has_file: whether it may carry a file, so that the error speaks of one.
    """

    def __init__(self, request: HttpRequest, *, limit: int, margin: int = 0, has_file: bool = True) -> None:
        self._request, self._file_limit, self.margin = request, limit, margin
        self._what = "file" if has_file else "body"
        self._advice = ""
        self.length = uploads.announced_length(request)
        self._read = 0
        if self.length is None and request.META.get("wsgi.input_terminated"):
            # Django reads nothing of a chunked body, although the server marks where it ends.
            request._stream = request.META["wsgi.input"]

    @property
    def limit(self) -> int:
        return self._file_limit + self.margin

    def narrow(self, limit: int, advice: str = "") -> None:
        """Take no more than `limit` bytes. advice: what the client can do about it."""
        if limit < self._file_limit:
            self._file_limit, self._advice = limit, advice

    def check_length(self) -> None:
        """Raise BodyTooLarge if the announced length is over the limit."""
        if self.length is not None and self.length > self.limit:
            raise self._too_large()

    def read(self, size: int | None = -1) -> bytes:
        self.check_length()
        left = self.limit + 1 - self._read
        try:
            chunk = self._request.read(left if size is None or size < 0 else min(size, left))
        except Exception as error:
            # The server's own errors about broken or missing chunks have no base class in common.
            if self.length is not None and not isinstance(error, UnreadablePostError):
                raise
            raise BodyIncomplete("The body broke off, or is not what its headers say.") from error
        self._read += len(chunk)
        if self._read > self.limit:
            raise self._too_large()
        if not chunk and size != 0 and self.length is not None and self._read < self.length:
            raise BodyIncomplete(f"The body ended after {self._read} of {self.length} bytes.")
        return chunk

    def _too_large(self) -> BodyTooLarge:
        return BodyTooLarge(self._file_limit, self._advice, what=self._what)

    def __iter__(self) -> Iterator[bytes]:
        return iter(lambda: self.read(CHUNK), b"")


# REST framework's parsers, whose stream is always the Body that `ApiView` has set.


class FileParser(BaseParser):
    """Accept a file in a form, or the file itself as the body, as the `media_type` of the view says.

    It goes to the store as it comes. A view reads `request.data` once it knows who sends the file; of a file
    as the body it is the IncomingFile.
    """

    media_type = "*/*"

    def parse(  # type: ignore[override]  # the stream is ours
        self, stream: Body, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> "DataAndFiles[Any, Any] | IncomingFile":
        context = parser_context or {}
        request, is_form = context["request"]._request, context["view"].media_type == MULTIPART
        encoding = request.META.get("HTTP_CONTENT_ENCODING", "identity").strip().lower()
        # Gzip is recognised by its bytes, so the header need only agree.
        if encoding not in ("", "identity", "gzip", "x-gzip"):
            raise UnsupportedMediaType(media_type or "", "The only Content-Encoding that is taken is gzip.")
        if request.content_type not in ((MULTIPART,) if is_form else RAW_TYPES):
            raise UnsupportedMediaType(media_type or "")
        # Before a file is opened, for which there may be no room.
        stream.check_length()
        uploads.expect_file(request)
        return _multipart(request, stream) if is_form else uploads.receive_file(request, stream)


class FieldsParser(BaseParser):
    """Accept a few fields as a form or as a JSON object, or nothing."""

    media_type = "*/*"

    def parse(  # type: ignore[override]  # the stream is ours
        self, stream: Body, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> "DataAndFiles[Any, Any] | MultiValueDict[str, Any]":
        request = (parser_context or {})["request"]._request
        if request.content_type == MULTIPART:
            return _multipart(request, stream)
        raw = b"".join(stream)
        if request.content_type == "application/x-www-form-urlencoded":
            return QueryDict(raw, encoding="utf-8")
        if not raw.strip():
            return MultiValueDict()
        if request.content_type != "application/json":
            raise UnsupportedMediaType(media_type or "", "Send the fields as a form, or as application/json.")
        try:
            fields = json.loads(raw, object_pairs_hook=_with_repeats)
        except (ValueError, RecursionError) as error:
            raise ParseError("The body is not JSON.") from error
        if not isinstance(fields, MultiValueDict):
            raise ParseError("The body is not a JSON object.")
        return fields


def _with_repeats(pairs: list[tuple[str, Any]]) -> "MultiValueDict[str, Any]":
    """Return a JSON object as a form is read, so that names that are repeated can be refused."""
    fields: MultiValueDict[str, Any] = MultiValueDict()
    for name, value in pairs:
        fields.appendlist(name, value)
    return fields


def _multipart(request: HttpRequest, stream: Body) -> "DataAndFiles[Any, Any]":
    # An unknown length is taken for the largest, which goes to a temporary file.
    meta = {**request.META, "CONTENT_LENGTH": stream.limit if stream.length is None else stream.length}
    handlers = [uploads.StoreUploadHandler(request)]
    # The parser calls nothing of the stream but `read`.
    data, files = MultiPartParser(meta, stream, handlers, "utf-8").parse()  # type: ignore[arg-type]
    # Whatever follows the last boundary must have arrived too, or the file may be a part of itself.
    for _ in stream:
        pass
    uploads.raise_no_room(request)
    return DataAndFiles(data, files)
