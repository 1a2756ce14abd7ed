"""Read an `.eval` file of inspect_ai: a zip archive with a JSON file for each sample.

Source: inspect_ai, whose recorder writes `header.json` (in a log that was not finished, only
`_journal/start.json`) and `samples/ID_epoch_N.json`, compressed by Zstandard, in older releases by deflate.
Nothing is unpacked to the disk, one sample is in memory at a time, and other members are never opened.
"""

import copy
import os
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, BinaryIO, cast

from wardboard.scoring.reading.archives import (
    DAMAGE,
    ArchiveEntry,
    TooMuch,
    open_zip,
    problems_of_entry,
    read_entry,
    zip_entry,
)
from wardboard.scoring.reading.codes import DocumentCode, RunsCode
from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.inspect_logs.header import CONVERT
from wardboard.scoring.reading.json_text import parse_json
from wardboard.scoring.reading.limits import MIB
from wardboard.scoring.reading.limits import size as size_in_words
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import pointer, quote

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# The place of a value in the log, and the value.
Row = tuple[Findings, Any]

_HEADERS = ("header.json", "_journal/start.json")
_SAMPLES = "samples/"
_OF_CHUNKS = "/skeleton.json"  # in the folder of a sample whose messages are files of their own
_ZSTANDARD = 93  # the number of the method in a zip. Source: PKWARE's APPNOTE
_LARGEST_WINDOW = 25  # which Zstandard may ask for, as a power of 2; inspect_ai's level takes 8 MiB at most
_SMALL = 16 * MIB  # to which any log may unpack, however small it is
_FEWER_EVENTS = phrase(
    "Run the benchmark with fewer events in the log (--no-log-images, and without --log-model-api)."
)
_FAULTS = (*DAMAGE, zstd.ZstdError)


def eval_rows(source: BinaryIO, findings: Findings) -> Iterator[Row]:
    """Yield the header of a seekable `.eval` file, None without one, then its samples; each with its place.

    A member that is not JSON, or none that inspect_ai writes, is reported and left out.
    Raises Unreadable for what ends the reading.
    """
    limits = findings.limits
    left = min(limits.log_bytes, max(_SMALL, limits.ratio * source.seek(0, os.SEEK_END)))
    try:
        with open_zip(source) as archive:
            members = {info.filename: info for info in archive.infolist()}
            header = next((members[name] for name in _HEADERS if name in members), None)
            if any(name.startswith(_SAMPLES) and name.endswith(_OF_CHUNKS) for name in members):
                message = phrase("the log holds its samples in pieces, which are not read here")
                raise Unreadable(FormatCode.UNKNOWN_VERSION, message, hint=CONVERT)
            samples = [info for info in archive.infolist() if _is_sample(info.filename)]
            names: set[str] = set()

            def parsed(info: zipfile.ZipInfo) -> Row:
                nonlocal left
                here = findings.at(*info.filename.split("/", 1))
                findings.check_time()
                entry = _entry(archive, info)
                if _is_refused(entry, names, here):
                    return here, None
                content = read_entry(entry, min(left, limits.record_bytes))
                if content is None:
                    message = phrase(
                        "the log holds more than {limit} when unpacked, or more than {most} in one sample",
                        limit=size_in_words(limits.log_bytes),
                        most=size_in_words(limits.record_bytes),
                    )
                    raise Unreadable(DocumentCode.TOO_LARGE, message, hint=_FEWER_EVENTS)
                left -= len(content)
                # zipfile checks only the members that it unpacks itself.
                if zlib.crc32(content) != info.CRC:
                    raise zipfile.BadZipFile
                return here, _parsed(content, here)

            yield parsed(header) if header else (findings, None)
            yield from (row for row in map(parsed, samples) if row[1] is not None)
    except TooMuch:
        raise Unreadable(
            DocumentCode.TOO_LARGE, phrase("the log lists too many files"), hint=_FEWER_EVENTS
        ) from None
    except _FAULTS:
        raise Unreadable(FormatCode.DAMAGED, phrase("the log is damaged, or ends too early")) from None


def _is_sample(name: str) -> bool:
    return name.startswith(_SAMPLES) and name.endswith(".json")


def _entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> ArchiveEntry:
    entry = zip_entry(archive, info)
    if info.compress_type != _ZSTANDARD:
        return entry
    return replace(entry, is_known_method=True, open=partial(_zstandard, archive, info))


def _is_refused(entry: ArchiveEntry, names: set[str], here: Findings) -> bool:
    """Report what is wrong with a member of the archive; return whether it must not be opened."""
    problems = list(problems_of_entry(entry, names))
    names.add(entry.name)
    for message in problems:
        here.problem(RunsCode.MEMBER, (), message, FormatCode.DAMAGED.fix)
    return bool(problems)


@contextmanager
def _zstandard(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[BinaryIO]:
    # zipfile unpacks Zstandard only from Python 3.14 on, but reads stored bytes in any release.
    packed = copy.copy(info)
    packed.compress_type, packed.file_size = zipfile.ZIP_STORED, info.compress_size
    packed.CRC = None  # type: ignore[assignment]  # that of the unpacked bytes
    options: dict[int, int] = {zstd.DecompressionParameter.window_log_max: _LARGEST_WINDOW}
    # Python 3.14 reads several frames as one file, and so does its backport.
    with archive.open(packed) as file, zstd.ZstdFile(file, options=options) as unpacked:
        yield cast(BinaryIO, unpacked)


def _parsed(content: bytes, here: Findings) -> Any:
    """Return a member as JSON, or report it and return None. NaN and repeated keys are no matter."""
    try:
        return parse_json(content.decode(), here.discarded())
    except UnicodeDecodeError:
        here.problem(FormatCode.DAMAGED, (), phrase("“{name}” is not UTF-8", name=quote(here.base[-1])))
    except Unreadable as error:
        # Its line is one of the member, and its pointer begins there.
        place = pointer(*here.base) + error.problem.pointer
        here.add_problem(replace(error.problem, pointer=place, line=None, column=None))
    return None
