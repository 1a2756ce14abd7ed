"""Recorded FHIR responses: an object {"url", "status", "body"} on each line, plain or gzip."""

import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any

from wardboard.scoring.fhir.bundles import check_bundle, merge_pages, with_next
from wardboard.scoring.fhir.source import (
    Fault,
    FhirQueryFailed,
    FhirUnavailable,
    RecordingInvalid,
    query_key,
    query_text,
)
from wardboard.scoring.reading.messages import phrase


class RecordedFhir:
    """A recording that answers searches: a FhirSource that needs no network.

    A search raises FhirQueryFailed if the query is not in the recording, FhirUnavailable if it was
    recorded with HTTP 429 or 5xx. Opening it raises RecordingInvalid, which names every faulty line,
    and OSError. file: its path, or something that opens as a path does. all_pages, paged: as of FhirServer.
    """

    def __init__(self, file: Any, *, all_pages: bool = True) -> None:
        self._all_pages, self.paged = all_pages, list[str]()
        source = Path(file) if isinstance(file, str | os.PathLike) else file
        self._responses: dict[object, tuple[int, Any]] = {}
        faults: list[Fault] = []
        for number, line in _lines(source, faults):
            response = _response(line)
            if response is None:
                faults.append(Fault(number, phrase("the line is not JSON with a url, a status and a body")))
                continue
            url, status, body = response
            if self._responses.setdefault(query_key(url), (status, body)) != (status, body):
                message = phrase("the line answers the query of an earlier one in another way")
                faults.append(Fault(number, message))
        if not faults and not self._responses:
            faults.append(Fault(None, phrase("the recording is empty")))
        if faults:
            raise RecordingInvalid(source.name, faults)

    def search(self, resource_type: str, /, **parameters: str) -> dict[str, Any]:
        """Search as described in FhirSource.search."""
        query = query_text(resource_type, parameters)
        first = self._page(query, query, "it is not in the recording")

        def follow(link: str) -> tuple[str, dict[str, Any]]:
            return link, self._page(link, query, "its next page is not in the recording")

        return merge_pages(first, follow, query, paged=None if self._all_pages else self.paged)

    def _page(self, url: str, query: str, missing: str) -> dict[str, Any]:
        if (response := self._responses.get(query_key(url))) is None:
            raise FhirQueryFailed(query, f"{missing}; record it with `manage.py record_fhir`")
        status, body = response
        if status == 429 or status >= 500:
            raise FhirUnavailable(query, f"HTTP {status} was recorded; record it again")
        if status >= 300:
            raise FhirQueryFailed(query, f"HTTP {status} was recorded")
        return check_bundle(body, query)


def _lines(source: Any, faults: list[Fault]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank, each with its number from 1."""
    with source.open("rb") as file:
        is_gzip = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        number = 0
        try:
            for number, line in enumerate(gzip.GzipFile(fileobj=file) if is_gzip else file, 1):
                if line.strip():
                    yield number, line
        except (EOFError, gzip.BadGzipFile, zlib.error):
            faults.append(Fault(number, phrase("the gzip data is damaged or cut off after this line")))


def _response(line: bytes) -> tuple[str, int, Any] | None:
    """Return (url, status, body) of one line; None for one that is no response."""
    try:
        value = json.loads(line)
        url, status, body = value["url"], value["status"], value["body"]
        is_response = bool(query_key(url)[0]) and type(status) is int and 100 <= status < 600
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None
    return (url, status, body) if is_response else None


def record(
    source_url: str,
    queries: Iterable[tuple[str, Mapping[str, str]]],
    out_path: str | os.PathLike[str],
    progress: Callable[[], object] | None = None,
) -> None:
    """Send every query to the server at `source_url` and write a recording of the answers.

    - queries: (resource type, parameters), as `queries_for` returns them; duplicates are sent once
    - out_path: compressed with gzip if the name ends in .gz
    - progress: called once a query

    Each page of a search is a response of its own. Raises FhirQueryFailed, FhirUnavailable, ValueError
    (if `source_url` is no address) or OSError; there is no file then.
    """
    # Import it here, as in __init__, because reading a recording does not need it.
    from wardboard.scoring.fhir.server import FhirServer  # noqa: PLC0415

    server = FhirServer(source_url)

    def responses() -> Iterator[dict[str, Any]]:
        sent = set[str]()
        for resource_type, parameters in queries:
            query = query_text(resource_type, parameters)
            if query not in sent:
                sent.add(query)
                pages = list(server.pages(resource_type, **parameters))
                addresses = [address for address, _page in pages]
                for (address, page), following in zip_longest(pages, addresses[1:]):
                    body = with_next(page, following) if following else page
                    yield {"url": address, "status": 200, "body": body}
            if progress:
                progress()

    write_recording(out_path, responses())


def write_recording(out_path: str | os.PathLike[str], responses: Iterable[Mapping[str, Any]]) -> None:
    """Write `responses` ({"url", "status", "body"}) to `out_path`; equal ones give equal bytes.

    The file is written under another name in the same folder and then renamed, so that it is either
    complete or absent.
    """
    path = Path(out_path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as raw:
            if path.suffix == ".gz":
                # Put no name and no time into the header, because they would make equal recordings differ.
                with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed:
                    _write(packed, responses)
            else:
                _write(raw, responses)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _write(file: IO[bytes] | gzip.GzipFile, responses: Iterable[Mapping[str, Any]]) -> None:
    for response in responses:
        file.write(json.dumps(response, separators=(",", ":")).encode() + b"\n")
