"""The rows of a board at a moment, and what was worked out of all of them, kept until the board changes."""

import hashlib
from collections.abc import Callable, Mapping
from typing import TypeVar

from django.core.cache import caches
from django.db.models import QuerySet

from leaderboard.models import Benchmark, Standing
from leaderboard.services.record import past
from leaderboard.services.record.past import Gone, Moment

_KEPT_FOR = 24 * 60 * 60  # seconds
_NOTHING = object()
T = TypeVar("T")


def all_rows(benchmark: Benchmark, moment: Moment | None = None) -> QuerySet[Standing]:
    """Return the rows of the board, as they are or as they were at `moment`."""
    return past.rows_at(benchmark=benchmark, moment=moment)


def gone_rows(benchmark: Benchmark, moment: Moment | None) -> Mapping[int, Gone]:
    """Return, by system, what became since of rows that the board had at `moment`."""
    if moment is None or not moment.is_past:
        return {}
    return remembered(benchmark, "gone", lambda: past.gone_since(benchmark=benchmark, moment=moment), moment)


def remembered(benchmark: Benchmark, name: str, make: Callable[[], T], moment: Moment | None = None) -> T:
    """Return what `make` returns, worked out once for the board's revision.

    name: what it is, with all that it depends on beside the rows. `benchmark` is as it was read for this
    request: one that is held longer has the revision of then.
    """
    state = benchmark.state
    at = moment.number if moment else "now"
    # With the time: a revision whose transaction was undone is numbered again.
    said = f"{benchmark.pk}:{state.revision}:{state.changed_at.timestamp():f}:{at}:{name}"
    # Names of judges and models have spaces, which keys may not have.
    key = f"board:{hashlib.sha256(said.encode()).hexdigest()}"
    kept = caches["boards"]
    found = kept.get(key, _NOTHING)
    if found is _NOTHING:
        found = make()
        kept.set(key, found, _KEPT_FOR)
    return found
