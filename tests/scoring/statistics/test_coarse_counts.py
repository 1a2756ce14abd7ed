"""Counts that can be shown beside their total without telling a small one."""

from collections import defaultdict
from collections.abc import Iterator
from math import log2

import pytest

from wardboard.scoring.statistics.coarse_counts import STEP, coarse_counts


def splits(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to split a total into so many counts."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for others in splits(total - first, parts - 1):
            yield (first, *others)


def outcomes(total: int, parts: int) -> dict[tuple, list[tuple[int, ...]]]:
    """Return what is shown -> the counts behind it, for every split of a total."""
    by_shown = defaultdict(list)
    for counts in splits(total, parts):
        shown = coarse_counts(dict(enumerate(counts)))
        for number, count in shown.items():
            assert count % STEP == 0
            assert STEP <= count <= counts[number]
        by_shown[tuple(sorted(shown.items()))].append(counts)
    return by_shown


@pytest.mark.parametrize(("most", "parts"), [(60, 2), (30, 3), (30, 4), (26, 5)])
def test_no_count_below_five_can_be_had_by_subtraction(most, parts):
    for total in range(most + 1):
        for shown, behind in outcomes(total, parts).items():
            for part in range(parts):
                possible = {counts[part] for counts in behind}
                assert len(possible) > 1 or min(possible) in (0, *range(STEP, most + 1)), (total, shown)


def test_small_counts_hide_each_other_or_the_smallest_and_large_ones_are_rounded_down():
    assert coarse_counts({"a": 17, "b": 8, "c": 2}) == {"a": 15}
    assert coarse_counts({"a": 17, "b": 2}) == {}
    assert coarse_counts({"a": 17, "b": 8, "c": 2, "d": 1}) == {"a": 15, "b": 5}
    assert coarse_counts({"a": 20, "b": 14, "c": 5, "d": 0}) == {"a": 20, "b": 10, "c": 5}
    assert coarse_counts({}) == {}


@pytest.mark.long
@pytest.mark.parametrize(("wrong", "bits"), [(4, 0), (6, 2.81), (10, 4.81), (30, 9.84)])
def test_six_kinds_of_failure_tell_at_most_so_many_bits_beside_their_total(wrong, bits):
    # docs/security.md has these figures.
    assert log2(len(outcomes(wrong, 6))) == pytest.approx(bits, abs=0.005)
