"""The stored form of a board's statistics for one judge: small whole numbers, compressed."""

import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

_LEFT_OUT = struct.Struct("<I")
# Differences of means are stored as whole multiples of 1 / _PARTS, finer than any page shows.
_PARTS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """The statistics of the tested systems; lists are in the order of the board, best first.

    method: version of the method
    revision: primary key of the ground truth
    tasks, resamples: their numbers
    is_cut: whether rows that could be tested are beyond the maximum
    fixed: number of ranked rows that are not tested, and keep their score in every resample
    last_right: number of tasks that the last system got right
    low, high: ends of each rank interval
    group: number of each system's tie group, from 1
    below: of each system but the last and the next one: tasks both got right, only the upper, only the lower
    steps: the same counts of the best system of each group but the last and the best of the next group
    differences: metric -> of each system but the last, its mean less the next one's, with the ends of the
        interval, in multiples of 1 / _PARTS; None if one of the two has too few figures
    like_first: number of other systems that do not differ significantly from the first at 5%
    like_last: place of the lowest of these, 0 without any; equal to `like_first` if they follow the first
    are_alike: whether no two systems of the first group differ significantly; None if the group was too large
    fixed_near: number of fixed rows that rank no lower than the lowest system like the first
    fixed_above: number of fixed rows that rank no lower than the first system
    gaps: places of systems with a fixed row right above them
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
    """Return the stored bytes: the number of rows left out, then the results as JSON in zlib.

    results: None if an earlier row with the same digest stores them
    """
    packed = b""
    if results is not None:
        packed = zlib.compress(json.dumps(asdict(results), separators=(",", ":")).encode(), 9)
    return _LEFT_OUT.pack(left_out) + packed


def left_out_of(payload: bytes) -> int:
    return int(_LEFT_OUT.unpack_from(payload)[0])


def unpack(payload: bytes) -> Results:
    """Return the results that were given to `pack`."""
    return Results(**json.loads(zlib.decompress(payload[_LEFT_OUT.size :])))


def in_parts(values: Sequence[float]) -> list[int]:
    """Convert a difference and the ends of its interval to the stored whole numbers."""
    return [round(value * _PARTS) for value in values]


def from_parts(parts: Sequence[int]) -> list[float]:
    return [part / _PARTS for part in parts]
