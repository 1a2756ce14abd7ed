"""The stored form of a board's statistics for one judge: small numbers, compressed."""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Neighbours(NamedTuple):
    """The test of two rows.

    counts: numbers of tasks that both got right, only the upper and only the lower; None where one of the two
        is compared by its score alone
    p: two-sided, Holm-adjusted over all pairs of compared rows
    worst: the counts in the worst case for the upper row, with what the lower one left open right; None where
        it left nothing open
    """

    counts: Sequence[int] | None
    p: float
    worst: Sequence[int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """The tests of all pairs of compared rows; lists are in the order of the board, best first.

    *Significantly* means at 5% after Holm's adjustment over all pairs, but in `better` and `worse` over the
    comparisons of that row alone.

    revision: primary key of the ground truth
    tasks: its number of tasks
    left_out: number of rows beyond the most that are compared
    uncompared: number of ranked rows whose number of tasks is not known
    last_score: of the last compared row
    systems: primary keys
    by_rate: places, from 0, of the rows that are compared by score and number of tasks alone
    better, worse: number of compared rows that are significantly better, or worse, than each
    tied: places of the rows than which no other is significantly better
    group_starts: places at which a group begins: each row from there on is significantly worse than the
        first row of the group before
    below: each row but the last with the next one
    worse_than_first: number of rows that are significantly worse than the first
    next: place of the highest of these; None without any
    next_test: its test against the first
    is_clustered: whether tasks of one cluster may depend on each other in the tests
    has_open: whether a judge left answers of some compared row open
    """

    revision: int
    tasks: int
    left_out: int
    uncompared: int
    last_score: float
    systems: Sequence[int]
    by_rate: Sequence[int]
    better: Sequence[int]
    worse: Sequence[int]
    tied: Sequence[int]
    group_starts: Sequence[int]
    below: Sequence[Neighbours]
    worse_than_first: int
    next: int | None
    next_test: Neighbours | None
    is_clustered: bool
    has_open: bool


_NAMES = tuple(Results.__dataclass_fields__)


def pack(results: Results | None) -> bytes:
    """Return the stored bytes: JSON in zlib.

    results: None, for no bytes, if an earlier row with the same digest stores them
    """
    if results is None:
        return b""
    values = {name: getattr(results, name) for name in _NAMES}
    return zlib.compress(json.dumps(values, separators=(",", ":")).encode(), 9)


def unpack(payload: bytes) -> Results:
    """Return the results that were given to `pack`."""
    values = json.loads(zlib.decompress(payload))
    values["below"] = [Neighbours(*pair) for pair in values["below"]]
    if values["next_test"] is not None:
        values["next_test"] = Neighbours(*values["next_test"])
    return Results(**values)
