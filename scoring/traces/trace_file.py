"""The stored traces of a submission: a zip with a deflated member for each task and run, within limits.

A member is found by its name, so one task is read without unpacking the others.
"""

import json
import zipfile
from collections.abc import Iterable
from typing import BinaryIO

import msgspec

from wardboard.scoring.reading.limits import MIB
from wardboard.scoring.traces.conversation import TracedMessage, parsed_json
from wardboard.scoring.traces.redaction import redacted

_LEVEL = 4  # of deflate: within a tenth of the best size for such texts, in a third of its time


class Trace(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What an agent did at a task in a run. left_out: messages that the limits left out at the end."""

    messages: list[TracedMessage] = []
    left_out: int = 0


class TraceWriter:
    """Write the traces of a file while it is read. run: the number of the run that is being read, from 1.

    task_bytes, all_bytes: limits on what is stored of a task in a run, and of all, in bytes of JSON.
    """

    def __init__(self, target: BinaryIO, *, task_bytes: int = MIB, all_bytes: int = 64 * MIB) -> None:
        self._zip = zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL)
        self._task_bytes, self._left = task_bytes, all_bytes
        self._names: set[str] = set()
        self.run = 1

    def add(self, task_id: str, messages: Iterable[TracedMessage]) -> None:
        """Add the trace of a task as far as the limits allow, unless it has one or there are no messages."""
        name = _name(task_id, self.run)
        if name in self._names or not (found := list(messages)):
            return
        room = most = min(self._task_bytes, self._left)
        kept = []
        for message in found:
            plain = msgspec.to_builtins(message)
            text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
            # UTF-8 cannot hold half of a surrogate pair, which a log may.
            encoded = text.encode(errors="replace")
            if len(encoded) > room:
                break
            room -= len(encoded)
            kept.append(encoded)
        self._left -= most - room
        parts = [b'"messages":[' + b",".join(kept) + b"]"] if kept else []
        if left_out := len(found) - len(kept):
            parts.append(b'"left_out":%d' % left_out)
        # Members have no time of their own, so that equal traces are equal files.
        info = zipfile.ZipInfo(name)
        self._zip.writestr(info, b"{" + b",".join(parts) + b"}", zipfile.ZIP_DEFLATED, _LEVEL)
        self._names.add(name)

    def close(self) -> None:
        """Write the list of members, without which nothing can be read."""
        self._zip.close()


class TraceFile:
    """The traces that a TraceWriter wrote. Raises ValueError for a damaged file."""

    def __init__(self, source: BinaryIO) -> None:
        try:
            self._zip = zipfile.ZipFile(source)
        except zipfile.BadZipFile as error:
            raise ValueError(f"stored traces are damaged: {error}") from error
        self.runs: dict[str, list[int]] = {}
        """Task id -> the runs that it has a trace of, in the order in which they were written."""
        for name in self._zip.namelist():
            run, _, task_id = name.partition("/")
            self.runs.setdefault(task_id, []).append(int(run))

    def read(self, task_id: str, run: int) -> Trace | None:
        """Return the trace of a task in a run, without keys; None if there is none. JSON is parsed."""
        if run not in self.runs.get(task_id, ()):
            return None
        try:
            content = self._zip.read(_name(task_id, run))
        except zipfile.BadZipFile as error:
            raise ValueError(f"a stored trace is damaged: {error}") from error
        # A file may hold NaN, which JSON has not: it is read as a text.
        trace = msgspec.convert(json.loads(content, parse_constant=str), Trace)
        # Here, and not when it is written: few are read, and both take longer than all else. What later
        # releases know to be a key is then redacted in traces that are stored already.
        for message in trace.messages:
            message.text = redacted(message.text)
            for call in message.calls:
                call.arguments, call.result = redacted(call.arguments), redacted(parsed_json(call.result))
        return trace


def _name(task_id: str, run: int) -> str:
    return f"{run}/{task_id}"
