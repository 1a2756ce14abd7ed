"""Find where values are written in JSON, without parsing the rest of it."""

import json
import re
from dataclasses import dataclass, field

from wardboard.scoring.reading.byte_window import ByteWindow, FilePlace
from wardboard.scoring.reading.limits import KIB
from wardboard.scoring.reading.problems import pointer, quote

_LONGEST_KEY = 64 * KIB
LONGEST_ID = 4 * KIB
_SPACE = re.compile(rb"[ \t\r\n]*")
# A string without escapes, as far as the bytes go; its group is empty without its end.
_STRING = rb'"[^"]*+("?)'
_KEY = re.compile(_STRING)
_WORD = re.compile(rb'[^\s"\[\]{}:,]++')
_BRACKET = re.compile(_STRING + rb"|([\[{])|[\]}]")


@dataclass(slots=True)
class JsonNode:
    """A value of the file on the way to remarks. children: by step, as a pointer writes it."""

    children: dict[str, "JsonNode"] = field(default_factory=dict)
    place: FilePlace | None = None
    is_record: bool = False
    task: str = ""


def task_of(text: str) -> str:
    return quote(text) if text.strip() else ""


class _End(Exception):
    """The bytes end, or are no JSON."""


class JsonScanner:
    """A scanner that notes where the values of nodes begin; of repeated keys, the last one counts."""

    def __init__(self, window: ByteWindow, id_field: str) -> None:
        self._window, self._id_field = window, id_field

    def scan(self, root: JsonNode) -> None:
        """Go through the value that begins where the window is."""
        try:
            self._scan(root)
        except _End:
            return

    def _scan(self, root: JsonNode) -> None:
        # Of each open value on the way to a remark: its node, and the index of the item, -1 in an object.
        open_values: list[tuple[JsonNode, int]] = []
        node: JsonNode | None = root
        while True:
            mark = self._begin()
            if node is not None:
                node.place = self._window.place()
            if mark in b"[{" and node is not None and (node.children or node.is_record):
                self._window.at += 1
                open_values.append((node, 0 if mark == b"[" else -1))
                is_first = True
            else:
                self._skip_value(mark)
                is_first = False
            node = self._next(open_values, is_first=is_first)
            if not open_values:
                return

    def _next(self, open_values: list[tuple[JsonNode, int]], *, is_first: bool) -> JsonNode | None:
        """Go to the next value; return its node, None for one without a remark; at the end, none is open."""
        while open_values:
            parent, index = open_values[-1]
            mark = self._begin()
            if mark in b"]}":
                self._window.at += 1
                open_values.pop()
                is_first = False
                continue
            if not is_first:
                if mark != b",":
                    raise _End
                self._window.at += 1
                mark = self._begin()
            if index >= 0:
                index += not is_first
                open_values[-1] = (parent, index)
                return parent.children.get(str(index))
            return self._after_key(parent, mark)
        return None

    def _after_key(self, parent: JsonNode, mark: bytes) -> JsonNode | None:
        if mark != b'"':
            raise _End
        key = self._text(_LONGEST_KEY)
        self._skip_value(mark)
        if self._begin() != b":":
            raise _End
        self._window.at += 1
        if key is None:
            return None
        if parent.is_record and key == self._id_field and self._begin() == b'"':
            parent.task = task_of(self._text(LONGEST_ID) or "")
        return parent.children.get(pointer(key)[1:])

    def _begin(self) -> bytes:
        """Go to the next byte that is no space and return it."""
        window = self._window
        while True:
            space = _SPACE.match(window.data, window.at)
            window.at = space.end() if space else window.at
            if window.at < len(window.data):
                return window.data[window.at : window.at + 1]
            if not window.fill():
                raise _End

    def _text(self, longest: int) -> str | None:
        """Return the string that begins here, None if it is longer, in bytes, or is none."""
        window = self._window
        window.peek(longest)
        whole = _KEY.match(window.masked, window.at, window.at + longest)
        if whole is None or not whole[1]:
            return None
        try:
            text = json.loads(window.data[whole.start() : whole.end()])
        except ValueError:
            return None
        return text if isinstance(text, str) else None

    def _skip_value(self, mark: bytes) -> None:
        if mark == b'"':
            self._window.at += 1
            self._skip_string()
        elif mark in b"[{":
            self._window.at += 1
            self._skip_container()
        elif mark in b"]}:,":
            raise _End
        else:
            self._skip_word()

    def _skip_word(self) -> None:
        """Go past a number, a name, or what is not JSON."""
        window = self._window
        while (word := _WORD.match(window.data, window.at)) is not None:
            window.at = word.end()
            if window.at < len(window.data) or not window.fill():
                return

    def _skip_string(self) -> None:
        """Go past the end of the string within which the window is."""
        window = self._window
        while True:
            end = window.masked.find(b'"', window.at)
            if end >= 0:
                window.at = end + 1
                return
            window.at = len(window.data)
            if not window.fill():
                raise _End

    def _skip_container(self) -> None:
        """Go past the end of the array or object within which the window is, however deep it is."""
        window, depth = self._window, 1
        while True:
            # Positions of a match hold until the window is filled.
            for match in _BRACKET.finditer(window.masked, window.at):
                if match[1] == b"":
                    window.at = match.start() + 1
                    self._skip_string()
                    break
                if match[1] is None:
                    depth += 1 if match[2] else -1
                    if depth == 0:
                        window.at = match.end()
                        return
            else:
                window.at = len(window.data)
                if not window.fill():
                    raise _End
