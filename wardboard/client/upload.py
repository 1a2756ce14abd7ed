"""The body of a request with files, sent while they are read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from urllib3.fields import RequestField
from urllib3.filepost import choose_boundary

from wardboard.errors import WrongUse

_PIECE = 2**18  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePart:
    """A seekable file to send. name: what the report calls it."""

    name: str
    file: BinaryIO


def _encoded(name: str, value: str) -> bytes:
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise WrongUse(f"{name} is not UTF-8: {value!r}") from None


class UploadForm:
    """A form with fields and files, which is read piece by piece: a multipart/form-data body.

    It can be iterated several times, once for each attempt. requests takes its length from `len()`.
    """

    def __init__(self, fields: Sequence[tuple[str, str]], files: Sequence[FilePart]) -> None:
        self._boundary = choose_boundary()
        self._parts: list[tuple[bytes, BinaryIO]] = [
            (self._head(RequestField(name, value)), BytesIO(_encoded(name, value))) for name, value in fields
        ]
        for part in files:
            # A name on the disk may not be text. The service only shows it.
            name = Path(part.name).name.encode(errors="replace").decode()
            field = RequestField("file", b"", filename=name)
            self._parts.append((self._head(field, "application/octet-stream"), part.file))
        self._end = f"--{self._boundary}--\r\n".encode()
        lengths = (len(head) + file.seek(0, 2) + 2 for head, file in self._parts)
        self._length = sum(lengths) + len(self._end)

    @property
    def content_type(self) -> str:
        return f"multipart/form-data; boundary={self._boundary}"

    def _head(self, field: RequestField, content_type: str | None = None) -> bytes:
        field.make_multipart(content_type=content_type)
        return f"--{self._boundary}\r\n{field.render_headers()}".encode()

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[bytes]:
        for head, file in self._parts:
            yield head
            file.seek(0)
            while piece := file.read(_PIECE):
                yield piece
            yield b"\r\n"
        yield self._end
