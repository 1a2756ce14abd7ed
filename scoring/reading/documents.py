"""Decode the bytes of an uploaded file to text at once, under limits."""

import io
from dataclasses import replace

from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Unreadable
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.streams.text_stream import text_pieces


def read_text(raw: bytes, limits: Limits) -> str:
    """Return the text of `raw`: UTF-8 with or without byte-order mark, plain or gzip.

    Where the first piece has bare carriage returns alone, these end lines, and become line feeds.
    Raises Unreadable, and nothing else, for what is larger than `limits`, empty, damaged, binary or
    in another encoding.
    """
    limits = replace(limits, body_bytes=min(limits.body_bytes, limits.document_bytes))
    text = "".join(text_pieces(io.BytesIO(raw), limits))
    if not text.strip():
        raise Unreadable(DocumentCode.EMPTY, phrase("the file is empty"))
    return text
