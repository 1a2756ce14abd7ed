"""What the background works out for the rows of one judge, as it is stored: small, whole numbers."""

import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

_LEFT_OUT = struct.Struct("<I")
# Differences of means are stored in these parts of 1: more than any page shows.
_PARTS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Lists are of the systems that took part, in the order of the board, the best first.

    method: the version of how it is worked out. revision: primary key of the references. tasks, resamples:
    how many. is_cut: whether rows that could take part are beyond the number that do. fixed: ranked rows
    that took no part, and stood at their rate in every resample. last_right: tasks that the last system got
    right.

    low, high: ends of each rank interval. group: number of the tie group, from 1. below: of each but the
    last, with the next below it, tasks that both got right, only the upper, only the lower. steps: the same
    three of the best of each group but the last with the best of the next. differences: metric -> of each but
    the last, its mean less the next one's, with the ends of the interval, in parts of 1; None where one of
    the two has too few figures.

    like_first: how many of the others cannot be told from the first at 5%. like_last: place of the lowest of
    them, 0 for none; it is `like_first` where they are those that come next. are_alike: whether no two of
    the first group can be told apart; None where it was too large to ask. fixed_near: fixed rows that rank
    no lower than the lowest of them; fixed_above: no lower than the first itself. gaps: places of systems
    with a fixed row between the one above and them.
    """

    method: int
    revision: int
    tasks: int
    resamples: int
    is_cut: bool
    fixed: int
    last_right: int
    systems: Sequence[int]
    low: Sequence[int]
    high: Sequence[int]
    group: Sequence[int]
    below: Sequence[Sequence[int]]
    steps: Sequence[Sequence[int]]
    differences: Mapping[str, Sequence[Sequence[int] | None]]
    like_first: int
    like_last: int
    are_alike: bool | None
    fixed_near: int
    fixed_above: int
    gaps: Sequence[int]


def pack(results: Results | None, *, left_out: int) -> bytes:
    """Return what is stored: how many rows were left out, and zlib over the results as JSON; without these
    where an earlier row of the same digest has them."""
    packed = b""
    if results is not None:
        packed = zlib.compress(json.dumps(asdict(results), separators=(",", ":")).encode(), 9)
    return _LEFT_OUT.pack(left_out) + packed


def left_out_of(payload: bytes) -> int:
    return int(_LEFT_OUT.unpack_from(payload)[0])


def unpack(payload: bytes) -> Results:
    """Return the results that `pack` took."""
    return Results(**json.loads(zlib.decompress(payload[_LEFT_OUT.size :])))


def in_parts(values: Sequence[float]) -> list[int]:
    """Return a difference and its ends as they are stored."""
    return [round(value * _PARTS) for value in values]


def from_parts(parts: Sequence[int]) -> list[float]:
    return [part / _PARTS for part in parts]
