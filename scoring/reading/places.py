"""Find the places of remarks in a file: line, column, result and the line itself.

The first reading knows places by JSON Pointer. This second one goes through the bytes, in bounded memory and
time, and only for the remarks that are listed. It reads what is not JSON as far as that makes sense, and
raises nothing: a remark whose place is not found keeps its pointer.
"""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO

from wardboard.scoring.reading.byte_window import ByteWindow, FilePlace
from wardboard.scoring.reading.formats.rows.table import column_names
from wardboard.scoring.reading.json_scanner import LONGEST_ID, JsonNode, JsonScanner, task_of
from wardboard.scoring.reading.limits import KIB, MIB, Limits
from wardboard.scoring.reading.problems import Problem, Remarks, pointer
from wardboard.scoring.reading.reports.fixes import in_json

MOST_SECONDS = 10.0
# The limit where there are only warnings: the file can be scored, and its sender waits for that.
SECONDS_FOR_WARNINGS = 2.0
QUOTED_OF_A_TEXT = 3  # remarks with the same text that quote their lines
_QUOTED = 100  # remarks that quote their lines
_LONGEST_CELL = 4 * MIB
_CELL = re.compile(rb'"[^"]*+(?:""[^"]*+)*+"|[^",\r\n]*+')


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordLayout:
    """Where the results are in the files of a benchmark, to name a result as people do.

    path: keys from the root to the list of results
    id_field: the key of a result that holds its task id, "" for none
    """

    path: tuple[str, ...] = ()
    id_field: str = ""


def add_places(
    lists: Sequence[Remarks],
    file: BinaryIO,
    *,
    limits: Limits,
    layout: RecordLayout,
    seconds: float = MOST_SECONDS,
    quotes: bool = True,
) -> None:
    """Add to the listed remarks their places, as far as they are found.

    - lists: the problems of a file and its warnings, say
    - file: the bytes that were read; seekable
    - seconds: that this may take; what is not found by then keeps its pointer
    - quotes: whether remarks quote lines of the file, and show fixes of them
    """
    ends = time.monotonic() + min(seconds, MOST_SECONDS)

    def new_window() -> ByteWindow:
        return ByteWindow(file, most=limits.unpacked_bytes, ends=ends)

    remarks = [remark for each in lists for remark in each.listed]
    places = _Search(remarks, layout, new_window).run() if any(map(_has_place, remarks)) else {}
    placed = _limit_quotes([places.get(number, remark) for number, remark in enumerate(remarks)], quotes)
    for each in lists:
        each.listed[:], placed = placed[: len(each.listed)], placed[len(each.listed) :]


def _has_place(remark: Problem) -> bool:
    return bool(remark.pointer or remark.line)


def _limit_quotes(remarks: list[Problem], quotes: bool) -> list[Problem]:
    texts: Counter[tuple[str, str]] = Counter()
    kept, quoted = [], 0
    for remark in remarks:
        texts[remark.code, remark.message] += 1
        if not quotes:
            remark = replace(remark, fix=None)  # noqa: PLW2901
        if not quotes or texts[remark.code, remark.message] > QUOTED_OF_A_TEXT or quoted >= _QUOTED:
            remark = replace(remark, quoted=())  # noqa: PLW2901
        quoted += bool(remark.quoted)
        kept.append(remark)
    return kept


class _Search:
    """The search for the places of remarks, which are named by their position in the list."""

    def __init__(
        self, remarks: Sequence[Problem], layout: RecordLayout, new_window: Callable[[], ByteWindow]
    ) -> None:
        self._remarks, self._layout, self._new_window = remarks, layout, new_window

    def _placed(
        self, number: int, place: FilePlace | None, *, record: int | None = None, task: str = ""
    ) -> Problem:
        """Return a remark with what was found of its place."""
        remark = self._remarks[number]
        remark = replace(remark, record=record, task=task or remark.task)
        if place is None:
            return remark
        # Where reading stopped the reader knows the column itself, and may count it at the end of the file.
        line, column = (remark.line, remark.column) if remark.column else (place.line, place.column)
        fix = in_json(remark.fix, place.before, place.after) if remark.fix else None
        return replace(remark, line=line, column=column, quoted=(place.quoted,), fix=fix)

    def run(self) -> dict[int, Problem]:
        first = self._new_window().peek(4 * KIB).lstrip()[:1]
        lines: dict[int, list[int]] = {}
        pointers: list[int] = []
        for number, remark in enumerate(self._remarks):
            # In a JSON array, the pointer is from its root even where there is a line.
            if remark.line:
                lines.setdefault(remark.line, []).append(number)
            elif _has_place(remark):
                pointers.append(number)
        places = self._by_line(lines, first) if lines else {}
        return places | (self._by_pointer(pointers) if pointers else {})

    def _by_pointer(self, numbers: Iterable[int]) -> dict[int, Problem]:
        root, path = JsonNode(), self._layout.path
        ends: dict[int, list[JsonNode]] = {}
        for number in numbers:
            ends[number] = _add_path(root, _steps_of(self._remarks[number].pointer), path)
        JsonScanner(self._new_window(), self._layout.id_field).scan(root)
        return {number: self._in_document(number, nodes) for number, nodes in ends.items()}

    def _in_document(self, number: int, nodes: Sequence[JsonNode]) -> Problem:
        # For a path that was cut, or a value that is not JSON, take the nearest value around it.
        place = next((node.place for node in reversed(nodes) if node.place), None)
        record = next((node for node in nodes if node.is_record), None)
        if record is None:
            return self._placed(number, place)
        index = _steps_of(self._remarks[number].pointer)[len(self._layout.path)]
        return self._placed(number, place, record=int(index) + 1, task=record.task)

    def _by_line(self, lines: dict[int, list[int]], first: bytes) -> dict[int, Problem]:
        """Find remarks that have a line already: the values on it, or the column on it."""
        window = self._new_window()
        places: dict[int, Problem] = {}
        names = _column_names(window) if first not in (b"{", b"[") else []
        for line in sorted(lines):
            if not window.go_to_line(line):
                continue
            columns = {n: column for n in lines[line] if (column := self._remarks[n].column)}
            values = [n for n in lines[line] if n not in columns]
            # The window only goes forwards, and a line has a broken value or whole ones.
            if columns:
                done = 1
                for number in sorted(columns, key=columns.__getitem__):
                    window.go_to_column(columns[number] - done + 1)
                    done = columns[number]
                    places[number] = self._placed(
                        number, window.place(), record=self._broken_record(number, first)
                    )
            elif names:
                places |= self._in_row(window, names, values)
            elif first == b"{":
                places |= self._in_value(window, values)
            else:
                place = window.place()
                places |= {n: self._placed(n, place, record=self._broken_record(n, first)) for n in values}
        return places

    def _broken_record(self, number: int, first: bytes) -> int | None:
        """Return the number of a record in a list that could not be read to its end."""
        index = self._remarks[number].pointer.partition("/")[2].partition("/")[0]
        return int(index) + 1 if index.isdecimal() and first == b"[" and not self._layout.path else None

    def _in_value(self, window: ByteWindow, numbers: Iterable[int]) -> dict[int, Problem]:
        """Find remarks in the value that begins on the line at which the window is."""
        root, start = JsonNode(is_record=True), window.place()
        ends = {n: [root, *_add_path(root, _steps_of(self._remarks[n].pointer), None)] for n in numbers}
        JsonScanner(window, self._layout.id_field).scan(root)
        if window.peek(LONGEST_ID).partition(b"\n")[0].strip():
            # Several values begin on the line, and nothing says which one is meant.
            return {n: self._placed(n, start) for n in ends}
        return {
            n: self._placed(n, next((e.place for e in reversed(nodes) if e.place), None), task=root.task)
            for n, nodes in ends.items()
        }

    def _in_row(self, window: ByteWindow, names: Sequence[str], numbers: Sequence[int]) -> dict[int, Problem]:
        """Find remarks in the row of a table that begins where the window is."""
        wanted: dict[str, list[int]] = {}
        for number in numbers:
            column = self._remarks[number].pointer.split("/")[1:2]
            wanted.setdefault(column[0] if column else "", []).append(number)
        start = window.place()
        places: dict[str, FilePlace] = {}
        task = ""
        for name in names:
            if name in wanted:
                places[name] = window.place()
            cell = _cell(window)
            if cell is None:
                break
            if name == self._layout.id_field:
                task = task_of(cell.decode(errors="backslashreplace").strip('"'))
            window.at += len(cell)
            if window.peek(1) != b",":
                break
            window.at += 1
        return {
            number: self._placed(number, places.get(name, start), task=task)
            for name, listed in wanted.items()
            for number in listed
        }


def _column_names(window: ByteWindow) -> list[str]:
    head = window.peek(64 * KIB).partition(b"\n")[0].decode(errors="replace").rstrip("\r")
    return [pointer(name)[1:] for name in column_names(head)]


def _cell(window: ByteWindow) -> bytes | None:
    """Return the cell that begins where the window is, as it is written; None for one that is too long."""
    size = 4 * KIB
    while size <= _LONGEST_CELL:
        data = window.peek(size)
        match = _CELL.match(data)
        cell = match[0] if match else b""
        is_open = len(cell) == len(data) or (not cell and data.startswith(b'"'))
        if not is_open or len(data) < size:
            return cell
        size *= 2
    return None


def _steps_of(path: str) -> list[str]:
    """Return the steps of a pointer, as it writes them."""
    return path.split("/")[1:]


def _add_path(root: JsonNode, steps: Sequence[str], layout: Sequence[str] | None) -> list[JsonNode]:
    """Add the nodes of a path below `root`; return them. layout: path of the list of results."""
    nodes, node = [], root
    for depth, step in enumerate(steps):
        node = node.children.setdefault(step, JsonNode())
        if layout is not None and depth == len(layout) and tuple(steps[:depth]) == tuple(layout):
            node.is_record = step.isdecimal()
        nodes.append(node)
    return nodes
