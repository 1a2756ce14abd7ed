"""Metrics that each process of the web server counts itself; services.health.figures reads the others.

Labels are names of routes, statuses and reasons: few values, and never a path, a team or a figure of a
result. With gunicorn the counts of all its processes are added up (see leaderboard/gunicorn.py).
"""

import logging
import os
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Histogram, values
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector

logger = logging.getLogger(__name__)

# That of the library, which makes a file of this size, and doubles it.
_FIRST_BYTES = 1 << 16
# More than an entry takes beside its key.
_ENTRY_BYTES = 32


class _RoomTaken(MmapedDict):
    """The counts of a process, in a file whose room is taken before they are written.

    The library makes a file larger without taking the room, and on a full disk the kernel ends the process
    that writes there (SIGBUS). Where there is no room, the process counts in memory, for itself.
    """

    def __init__(self, filename: str, read_mode: bool = False) -> None:
        try:
            with open(filename, "ab") as file:
                os.posix_fallocate(file.fileno(), 0, _FIRST_BYTES)
        except OSError as error:
            _log_no_room(error)
            # An empty file could not be read.
            Path(filename).unlink(missing_ok=True)
            memory = os.memfd_create("counts")
            super().__init__(f"/proc/self/fd/{memory}")  # type: ignore[no-untyped-call]
            os.close(memory)
        else:
            super().__init__(filename, read_mode)  # type: ignore[no-untyped-call]

    def _init_value(self, key: str) -> None:
        if self._used + len(key.encode()) + _ENTRY_BYTES > self._capacity:
            try:
                os.posix_fallocate(self._f.fileno(), 0, 2 * self._capacity)
            except OSError as error:
                _log_no_room(error)
                self._f = os.fdopen(os.memfd_create("counts"), "w+b", buffering=0)
                self._f.write(self._m[: self._used])
        super()._init_value(key)  # type: ignore[no-untyped-call]


def _log_no_room(error: OSError) -> None:
    logger.error("Requests are not counted in this process: no room for temporary files (%s).", error)


values.MmapedDict = _RoomTaken  # type: ignore[attr-defined]

_REGISTRY = CollectorRegistry()

REQUESTS = Counter(
    "wardboard_http_requests",
    "Requests by name of the route, method and status.",
    ["route", "method", "status"],
    registry=_REGISTRY,
)
REQUEST_SECONDS = Histogram(
    "wardboard_http_request_seconds",
    "Seconds until the response began, by name of the route.",
    ["route"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
    registry=_REGISTRY,
)
REFUSED = Counter(
    "wardboard_files_refused",
    "Files that were not taken, by reason: the codes of services.errors.",
    ["reason"],
    registry=_REGISTRY,
)
SIGN_INS_REFUSED = Counter(
    "wardboard_sign_ins_refused",
    "Attempts to sign in after too many wrong passwords.",
    registry=_REGISTRY,
)


def server_registry() -> CollectorRegistry:
    """Return the metrics of all processes of this web server."""
    registry = CollectorRegistry()
    try:
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    except ValueError:
        # This process is the only one: there is no folder for the counts of several.
        return _REGISTRY
    return registry
