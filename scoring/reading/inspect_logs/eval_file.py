"""Read an `.eval` file of inspect_ai: a zip archive with a JSON file for each sample.

Source: inspect_ai, whose recorder writes `header.json` (in a log that was not finished, only
`_journal/start.json`) and `samples/ID_epoch_N.json`, compressed by Zstandard, in older releases by deflate.
Nothing is unpacked to the disk, one sample is in memory at a time, and other members are never opened.
"""

import copy
import os
import re
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import BinaryIO, cast

from wardboard.scoring.reading.archives import DAMAGE, ArchiveEntry, TooMuch, open_zip, zip_entry
from wardboard.scoring.reading.codes import DocumentCode, RunsCode
from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.formats.attempts import Row
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.folders import Folder
from wardboard.scoring.reading.inspect_logs.header import CONVERT
from wardboard.scoring.reading.limits import MIB
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import pointer

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_HEADERS = ("header.json", "_journal/start.json")
_SAMPLES = "samples/"
_OF_CHUNKS = re.compile(r"samples/.*_epoch_\d+/", re.DOTALL)  # a folder of the parts of a sample
_ZSTANDARD = 93  # the number of the method in a zip. Source: PKWARE's APPNOTE
_LARGEST_WINDOW = 25  # which Zstandard may ask for, as a power of 2; inspect_ai's level takes 8 MiB at most
_SMALL = 16 * MIB  # to which any log may unpack, however small it is
# Problems of a member after which nothing more is read.
_ENDS = (DocumentCode.TOO_LARGE, RunsCode.ARCHIVE_TOO_LARGE, RunsCode.DAMAGED)


def eval_rows(source: BinaryIO, findings: Findings) -> Iterator[Row]:
    """Yield the header of a seekable `.eval` file, None without one, then its samples; each with its place.

    A member that is not JSON, or none that inspect_ai writes, is reported and left out.
    Raises Unreadable for what ends the reading.
    """
    limits = findings.limits
    most = min(limits.log_bytes, max(_SMALL, limits.ratio * source.seek(0, os.SEEK_END)))
    try:
        with open_zip(source) as archive:
            entries = [_entry(archive, info) for info in archive.infolist()]
            folder = Folder(entries, findings, most=most)
            if len(folder.names) < len(entries):
                raise zipfile.BadZipFile("a name is there twice")
            if any(map(_OF_CHUNKS.match, folder.names)):
                message = phrase("the log holds its samples in pieces, which are not read here")
                raise Unreadable(FormatCode.UNKNOWN_VERSION, message, hint=CONVERT)
            header = next((name for name in _HEADERS if name in folder.names), None)
            yield _parsed(folder, header, findings) if header else (findings, None)
            for name in folder.names:
                if name.startswith(_SAMPLES) and name.endswith(".json"):
                    row = _parsed(folder, name, findings)
                    if row[1] is not None:
                        yield row
                    # Free this sample before the next one is read.
                    del row
    except TooMuch:
        raise Unreadable(DocumentCode.TOO_LARGE, phrase("the log lists too many files")) from None
    except DAMAGE:
        raise Unreadable(FormatCode.DAMAGED, phrase("the log is damaged, or ends too early")) from None


def _parsed(folder: Folder, name: str, findings: Findings) -> Row:
    """Return a member as JSON, or report it and return None. Raises Unreadable for what ends the reading."""
    here = findings.at(*name.split("/", 1))
    try:
        return here, folder.json(name)
    except Unreadable as error:
        if error.problem.code in _ENDS:
            raise
        # Its line is one of the member, and its pointer begins there.
        place = pointer(*here.base) + error.problem.pointer
        here.add_problem(replace(error.problem, pointer=place, line=None, column=None))
        return here, None


def _entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> ArchiveEntry:
    entry = zip_entry(archive, info)
    if info.compress_type != _ZSTANDARD:
        return entry
    return replace(entry, is_known_method=True, crc=info.CRC, open=partial(_zstandard, archive, info))


@contextmanager
def _zstandard(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[BinaryIO]:
    # zipfile unpacks Zstandard only from Python 3.14 on, but reads stored bytes in any release.
    packed = copy.copy(info)
    packed.compress_type, packed.file_size = zipfile.ZIP_STORED, info.compress_size
    packed.CRC = None  # type: ignore[assignment]  # that of the unpacked bytes
    options: dict[int, int] = {zstd.DecompressionParameter.window_log_max: _LARGEST_WINDOW}
    # Python 3.14 reads several frames as one file, and so does its backport.
    with archive.open(packed) as file, zstd.ZstdFile(file, options=options) as unpacked:
        try:
            yield cast(BinaryIO, unpacked)
        except zstd.ZstdError as error:
            raise zipfile.BadZipFile(str(error)) from None
