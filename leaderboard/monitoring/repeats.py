"""Leave out lines of the log that an outage repeats, and say how many they were."""

import logging
import threading
from time import monotonic

# Of each kind of warning or error, a process writes so many lines within so many seconds.
MOST, SECONDS = 10, 60.0
# Libraries may put values into their messages themselves, so that each is a kind of its own.
_MOST_KINDS = 1000


class Repeats(logging.Filter):
    """Lets few lines of one kind through: of one logger, level, template and class of error."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        # Kind -> when its time began, and its lines since then.
        self._kinds: dict[tuple[object, ...], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is written. The first after some were left out says how many."""
        if record.levelno < logging.WARNING:
            return True
        error = record.exc_info[0] if record.exc_info else None
        kind = (record.name, record.levelno, str(record.msg), error)
        now = monotonic()
        with self._lock:
            began, count = self._kinds.get(kind, (now, 0))
            is_over = now - began >= SECONDS
            if len(self._kinds) >= _MOST_KINDS:
                self._kinds.clear()
            self._kinds[kind] = (now, 1) if is_over else (began, count + 1)
        if is_over and count > MOST:
            left_out, seconds = count - MOST, now - began
            text = f"{record.getMessage()} ({left_out} more like this were left out in {seconds:.0f} seconds)"
            record.msg, record.args = text, None
        return is_over or count < MOST
