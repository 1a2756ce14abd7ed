"""How large a submitted file may be."""

from dataclasses import dataclass

KIB, MIB = 1024, 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on one submitted file; passing one is a problem that names the limit.

    body_bytes: as uploaded. unpacked_bytes: after gzip. depth: levels of nested arrays and objects.
    text_bytes: an answer or a content, in UTF-8. results, history_items: how many in the whole file.
    containers: arrays and objects in the whole file, and likewise commas between values; a bound on
    memory and time; of a file that is read record by record, in one record. record_bytes: one record of
    such a file, unpacked. literal_bytes: a text that holds a value, within a record; literals_bytes: such
    texts in the whole file that a parser of JSON cannot read. seconds: how long reading such a file may
    take. ratio: how many times larger than the upload its content may be, past the
    first 16 MiB. listed: remarks listed of each sort, problems and warnings.
    """

    body_bytes: int = 32 * MIB
    unpacked_bytes: int = 64 * MIB
    depth: int = 200
    text_bytes: int = MIB
    results: int = 20_000
    history_items: int = 200_000
    containers: int = 1_000_000
    record_bytes: int = 64 * MIB
    literal_bytes: int = 4 * MIB
    literals_bytes: int = 64 * MIB
    seconds: float = 120
    ratio: int = 200
    listed: int = 200
