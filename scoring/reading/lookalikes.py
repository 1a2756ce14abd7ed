"""Recognise files that are not JSON, so that the remark can suggest a fix."""

import re

from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.messages import Phrase, phrase

_MAGIC = (
    (b"PK\x03\x04", phrase("the file looks like a zip archive")),
    (b"PK\x05\x06", phrase("the file looks like an empty zip archive")),
    (b"%PDF-", phrase("the file looks like a PDF")),
    (b"7z\xbc\xaf\x27\x1c", phrase("the file looks like a 7z archive")),
    (b"Rar!\x1a\x07", phrase("the file looks like a RAR archive")),
    (b"BZh", phrase("the file looks like bzip2 data")),
    (b"\xfd7zXZ\x00", phrase("the file looks like xz data")),
    (b"\x28\xb5\x2f\xfd", phrase("the file looks like Zstandard data")),
    (b"\x04\x22\x4d\x18", phrase("the file looks like LZ4 data")),
    (b"\x1f\x8b", phrase("the file looks like gzip data, packed twice")),
    (b"SQLite format 3\x00", phrase("the file looks like an SQLite database")),
    (b"PAR1", phrase("the file looks like a Parquet table")),
    (b"ARROW1", phrase("the file looks like an Arrow table")),
    (b"\x89HDF\r\n\x1a\n", phrase("the file looks like HDF5 data")),
    (b"\x93NUMPY", phrase("the file looks like a NumPy array")),
    (b"\x89PNG\r\n\x1a\n", phrase("the file looks like a PNG image")),
    (b"\xff\xd8\xff", phrase("the file looks like a JPEG image")),
    (b"GIF8", phrase("the file looks like a GIF image")),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", phrase("the file looks like an old Office document")),
    *((bytes((0x80, version)), phrase("the file looks like a Python pickle")) for version in range(2, 6)),
)
_OFFICE = (b"[Content_Types].xml", b"xl/", b"word/", b"mimetypeapplication/vnd.oasis")
_BYTE_ORDER_MARKS = (
    # UTF-32's first: its little-endian mark begins with that of UTF-16.
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
# Where the zero bytes (1) of two ASCII characters stand. Source: RFC 4627, section 3.
_ZERO_PATTERNS = {
    b"\0\1\1\1": "UTF-32",
    b"\1\1\1\0": "UTF-32",
    b"\0\1\0\1": "UTF-16",
    b"\1\0\1\0": "UTF-16",
}
_HEAD = 4096  # characters of a text looked at to name its kind
_FENCE = re.compile(r"^[ \t]*(```|~~~)", re.MULTILINE)
_HTML = re.compile(r"<!doctype\s+html|<(html|head|body)[\s>]", re.IGNORECASE)
_MARKUP = re.compile(r"<[?!A-Za-z]")
_YAML_LINE = re.compile(r"^(?:- )?[A-Za-z_][\w.-]{0,60}:(?:[ \t]|$)", re.MULTILINE)
_LFS_POINTER = "version https://git-lfs.github.com/spec/"
# The beginning of an object with a key, or of a list of objects, on a line that is not the first.
_JSON_LINE = re.compile(r"(?<=\n)(?:\{\s{0,200}\"|\[\s{0,200}\{)")
# What some loggers begin a line with, and JSON cannot.
_LOG_LINE = re.compile(r"\[(?:[A-Z]{2}|\d{4}-\d\d-\d\d)")
_PYTHON = re.compile(r"'|(None|True|False|nan|inf)\b|-(nan|inf)\b|\(")


# The code, the message and the hint of a file of another kind.
Kind = tuple[DocumentCode, Phrase, Phrase | None]


def is_office_document(head: bytes) -> bool:
    """Return whether a file that begins so is an office document, which is a zip archive too."""
    return head.startswith(b"PK\x03\x04") and any(mark in head for mark in _OFFICE)


def binary_kind(data: bytes) -> Kind | None:
    """Return the kind of the binary format that `data` begins like; None for text."""
    remark: Phrase | None
    if is_office_document(data[:4096]):
        remark = phrase("the file looks like an office document, such as a spreadsheet")
    elif data[257:262] == b"ustar":
        remark = phrase("the file looks like a tar archive")
    else:
        remark = next((remark for magic, remark in _MAGIC if data.startswith(magic)), None)
    return None if remark is None else (DocumentCode.BINARY, remark, None)


def wide_encoding(data: bytes) -> Kind | None:
    """Return the kind of a text in UTF-16 or UTF-32, with or without a mark; None for others."""
    marked = (name for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark))
    name = next(marked, None) or _ZERO_PATTERNS.get(bytes(byte == 0 for byte in data[:4]))
    if name is None:
        return None
    return DocumentCode.NOT_UTF_8, phrase("the file looks like {encoding} text", encoding=name), None


def broken_encoding(byte: int, place: int, line: int, sample: bytes) -> Phrase:
    """Return the remark on a `byte` that is not UTF-8, at `place` from 0 on a `line` from 1.

    sample: a few KiB around it, from which the encoding is guessed.
    """
    where: dict[str, str | int] = {"place": place, "byte": f"0x{byte:02x}", "line": line}
    if guess := encoding_name(sample):
        return phrase(
            "byte {place:,} ({byte}), on line {line:,}, is not UTF-8; it may be {guess}", guess=guess, **where
        )
    return phrase("byte {place:,} ({byte}), on line {line:,}, is not UTF-8", **where)


def encoding_name(sample: bytes) -> str | None:
    """Return a guess at the encoding of `sample` (a few KiB); None without one."""
    # Import it here: it is slow to load, and few files need it.
    from charset_normalizer import from_bytes  # noqa: PLC0415

    best = from_bytes(sample).best()
    return best.encoding.replace("_", "-") if best and best.encoding != "utf_8" else None


def text_kind(text: str, position: int) -> Kind | None:
    """Return the kind of the format that `text` looks like; None for broken JSON.

    position: where reading it as JSON stopped.
    """
    head = text[: _HEAD * 2].lstrip()[:_HEAD]
    if head.startswith(_LFS_POINTER):
        hint = phrase(
            "Run `git lfs pull` (in GitHub Actions: checkout with `lfs: true`), and upload the file."
        )
        return DocumentCode.OTHER_TEXT, phrase("the file is a pointer of Git LFS"), hint
    begins_like_json = head.startswith(("{", "[", '"')) and not _LOG_LINE.match(head)
    if not begins_like_json and _FENCE.search(head):
        hint = phrase("Delete the fence (the lines of three backticks) and all text around it.")
        return DocumentCode.AROUND, phrase("the file looks like JSON in a Markdown code fence"), hint
    if _PYTHON.match(text, position):
        hint = phrase("Write it with json.dump(data, file) instead of print(data) or str(data).")
        return DocumentCode.OTHER_TEXT, phrase("the file looks like a printed Python object"), hint
    return None if begins_like_json else _other_kind(head)


def _other_kind(head: str) -> Kind | None:
    if _MARKUP.match(head):
        if _HTML.search(head):
            hint = phrase("Download the raw file (on GitHub: the Raw button), then upload that.")
            return DocumentCode.OTHER_TEXT, phrase("the file looks like a web page"), hint
        return DocumentCode.OTHER_TEXT, phrase("the file looks like XML or other markup"), None
    if _is_table(head):
        return DocumentCode.CSV, phrase("the file looks like a table of separated values"), None
    if json_line := _JSON_LINE.search(head):
        line = head.count("\n", 0, json_line.start()) + 1
        return DocumentCode.AROUND, phrase("the JSON begins only on line {line:,}", line=line), None
    if head.startswith(("---", "%YAML")) or len(_YAML_LINE.findall(head)) > 1:
        hint = phrase("Convert it to JSON: yaml.safe_load the file, then json.dump it.")
        return DocumentCode.OTHER_TEXT, phrase("the file looks like YAML"), hint
    return None


def _is_table(head: str) -> bool:
    """Return whether the first lines have the same number, at least one, of some separator."""
    lines = [line for line in head.splitlines() if line.strip()]
    # The last line may be cut by the end of the sample.
    lines = lines[:-1][:5] if len(lines) > 5 else lines
    for separator in "\t;,":
        counts = {line.count(separator) for line in lines}
        if len(lines) > 1 and 0 not in counts and (len(counts) == 1 or "task_id" in lines[0]):
            return True
    return False
