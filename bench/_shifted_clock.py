"""Run a module with a clock that can be set while it runs.

    python bench/_shifted_clock.py FILE MODULE [ARGUMENT ...]

FILE holds the seconds by which the clock is wrong. That is the clock of Python's time.time and of Django; the
clock that only goes forward (time.monotonic) stays as it is, as on a machine whose clock is set.
"""

import sys

# As with python -m: modules come from the working directory, not from the folder of this script.
sys.path[0] = ""

import runpy  # noqa: E402
import time  # noqa: E402
from datetime import datetime, timedelta  # noqa: E402
from functools import partial  # noqa: E402
from pathlib import Path  # noqa: E402

from django.utils import timezone  # noqa: E402

_time, _now = time.time, timezone.now
_file = Path(sys.argv[1])


def _error() -> float:
    return float(_file.read_text())


def _wrong_time() -> float:
    return _time() + _error()


def _wrong_now() -> datetime:
    return _now() + timedelta(seconds=_error())


if __name__ == "__main__":
    # Classes keep time.time as an attribute; a function there would become a method.
    time.time, timezone.now = partial(_wrong_time), _wrong_now
    del sys.argv[:2]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
