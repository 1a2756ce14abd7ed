"""The stored form of a board's statistics for one judge: small numbers, compressed."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec


class Neighbours(NamedTuple):
    """The test of two rows.

    counts: numbers of tasks that both got right, only the upper and only the lower
    p: two-sided, Holm-adjusted over all pairs of compared rows
    worst: the counts in the worst case for the upper row, with what the lower one left open right; None where
        it left nothing open
    """

    counts: Sequence[int]
    p: float
    worst: Sequence[int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """The tests of all pairs of compared rows; lists are in the order of the board, best first.

    *Significantly* means at 5% after Holm's adjustment over all pairs.

    revision: primary key of the ground truth. left_out: number of rows beyond the most that are compared
    uncompared: number of ranked rows that were scored against other references. systems: primary keys
    better: for each row a hexadecimal number whose bits are the places of the rows that are significantly
        better, the lowest bit for place 0
    worse: number of rows that are significantly worse than each
    undecided: number of pairs that do not differ significantly; see `rank_claims.Claims`
    below: each row but the last with the next one
    is_clustered: whether tasks of one cluster may depend on each other in the tests
    has_open: whether a judge left answers of some compared row open
    """

    revision: int
    tasks: int
    left_out: int
    uncompared: int
    last_score: float
    systems: Sequence[int]
    better: Sequence[str]
    worse: Sequence[int]
    undecided: int
    below: Sequence[Neighbours]
    is_clustered: bool
    has_open: bool


def pack(results: Results) -> bytes:
    """Return the stored bytes: JSON in zlib."""
    return zlib.compress(msgspec.json.encode(results), 9)


def unpack(payload: bytes) -> Results:
    """Return the results that were given to `pack`."""
    return msgspec.json.decode(zlib.decompress(payload), type=Results)
