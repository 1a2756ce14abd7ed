"""Recognise files that are not JSON, so that the remark can suggest a fix."""

import re

from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.formats.known_files import kind_of_bytes
from wardboard.scoring.reading.messages import Phrase, phrase

_OFFICE = (b"[Content_Types].xml", b"xl/", b"word/", b"mimetypeapplication/vnd.oasis")
_SHEETS = (b"xl/", b"opendocument.spreadsheet")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")  # of UTF-16, and UTF-32
# Where the zero bytes (1) of two ASCII characters stand. Source: RFC 4627, section 3.
_WIDE = {b"\0\1\1\1", b"\1\1\1\0", b"\0\1\0\1", b"\1\0\1\0"}
_HEAD = 4096  # characters of a text looked at to name its kind
_FENCE = re.compile(r"^[ \t]*(```|~~~)", re.MULTILINE)
_MARKUP = re.compile(r"<[?!A-Za-z]")
# The beginning of an object with a key, or of a list of objects, on a line that is not the first.
_JSON_LINE = re.compile(r"(?<=\n)(?:\{\s{0,200}\"|\[\s{0,200}\{)")
_PYTHON = re.compile(r"'|(None|True|False|nan|inf)\b|-(nan|inf)\b|\(|[A-Z]\w*\(\w+=")


# The code, the message and the hint of a file of another kind.
Kind = tuple[DocumentCode, Phrase, Phrase | None]


def is_office_document(head: bytes) -> bool:
    """Return whether a file that begins so is an office document, which is a zip archive too."""
    return head.startswith(b"PK\x03\x04") and any(mark in head for mark in _OFFICE)


def binary_kind(data: bytes) -> Kind | None:
    """Return the kind of the binary format, or the wide encoding, that `data` begins like; None for text."""
    kind, command = kind_of_bytes(data[:_HEAD])
    if data[257:262] == b"ustar":
        kind = "tar"
    elif is_office_document(data[:_HEAD]):
        kind, command = kind_of_bytes(_OFFICE[0])
        command = command if any(mark in data[:_HEAD] for mark in _SHEETS) else ""
    if kind:
        hint = phrase("Convert it, with a column `task_id` or `question_id`:\n{command}", command=command)
        message = phrase("the file looks like {kind} data", kind=kind)
        return DocumentCode.BINARY, message, hint if command else None
    if data.startswith(_WIDE_MARKS) or bytes(byte == 0 for byte in data[:4]) in _WIDE:
        return DocumentCode.NOT_UTF_8, phrase("the file looks like UTF-16 or UTF-32 text"), None
    return None


def text_kind(text: str, position: int) -> Kind | None:
    """Return the kind of the format that `text` looks like; None for broken JSON.

    position: where reading it as JSON stopped.
    """
    head = text[: _HEAD * 2].lstrip()[:_HEAD]
    if head.startswith("version https://git-lfs.github.com/spec/"):
        hint = phrase("Run `git lfs pull` (GitHub Actions: checkout with `lfs: true`), and upload the file.")
        return DocumentCode.OTHER_TEXT, phrase("the file is a pointer of Git LFS"), hint
    begins_like_json = head.startswith(("{", "[", '"'))
    if not begins_like_json and _FENCE.search(head):
        return DocumentCode.AROUND, phrase("the file looks like JSON in a Markdown code fence"), None
    if _PYTHON.match(text, position):
        hint = phrase("Write it with json.dump(data, file) instead of print(data) or str(data).")
        return DocumentCode.OTHER_TEXT, phrase("the file looks like a printed Python object"), hint
    return None if begins_like_json else _other_kind(head)


def _other_kind(head: str) -> Kind | None:
    if _MARKUP.match(head):
        hint = phrase("Download the raw file (on GitHub: the Raw button; sign in if asked), and upload that.")
        return DocumentCode.OTHER_TEXT, phrase("the file looks like a web page or XML"), hint
    if _is_table(head):
        return DocumentCode.CSV, phrase("the file looks like a table of separated values"), None
    if json_line := _JSON_LINE.search(head):
        line = head.count("\n", 0, json_line.start()) + 1
        return DocumentCode.AROUND, phrase("the JSON begins only on line {line:,}", line=line), None
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
