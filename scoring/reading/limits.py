"""Limits on the size of a submitted file."""

from dataclasses import dataclass

from wardboard.scoring.reading.messages import phrase

KIB, MIB = 1024, 1024 * 1024
# A total above it means that there may be more problems still.
MOST_PROBLEMS = 1000
MOST_LISTED = 200


def size(count: int) -> str:
    """Return a number of bytes in words: `32 MiB`, `1,000 bytes`."""
    if count >= MIB and count % MIB == 0:
        return f"{count // MIB} MiB"
    return phrase("{count:,} bytes", count=count)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on one submitted file; exceeding one is a problem that names the limit.

    - body_bytes: as uploaded, whatever its format
    - document_bytes: as uploaded, of a file that is parsed as a whole
    - unpacked_bytes: after gzip
    - text_bytes: of an answer or a content, in UTF-8
    - containers: arrays and objects, and likewise commas between values, in the whole file, or in one record
      of a file that is read record by record; bounds memory and time
    - listed: remarks listed of each sort, problems and warnings
    - problems: after so many problems reading ends

    Only for files that are read record by record:

    - record_bytes: of a record, unpacked
    - literal_bytes: of a text that holds a value, within a record
    - literals_bytes: of all such texts in the file that a JSON parser cannot read
    - ratio: size of the content over that of the upload, past the first 16 MiB
    - log_bytes: of a log of inspect_ai, or one that is a folder, unpacked; only what scoring needs is kept
    """

    body_bytes: int = 256 * MIB
    document_bytes: int = 32 * MIB
    unpacked_bytes: int = 64 * MIB
    depth: int = 200
    text_bytes: int = MIB
    results: int = 20_000
    history_items: int = 200_000
    containers: int = 1_000_000
    record_bytes: int = 64 * MIB
    literal_bytes: int = 4 * MIB
    literals_bytes: int = 64 * MIB
    ratio: int = 200
    log_bytes: int = 1024 * MIB
    listed: int = MOST_LISTED
    problems: int = MOST_PROBLEMS
    seconds: float = 120
