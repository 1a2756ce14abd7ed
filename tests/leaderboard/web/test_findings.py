"""The sentence at the head of a board."""

from leaderboard.services.overview import Contender
from leaderboard.web.findings import finding


def row(name: str, score: float, low: float, high: float) -> Contender:
    return Contender(name=name, score=score, low=low, high=high)


def test_an_empty_board_says_nothing():
    assert finding([]) is None


def test_one_system_has_nothing_to_be_compared_with():
    said = finding([row("A", 0.94, 0.84, 0.98)])
    assert said.sentence == "One system is ranked so far."
    assert "A, at 94.0% (95% interval 84.0% to 98.0%)" in said.rest


def test_a_leader_whose_interval_lies_above_all_others_leads():
    said = finding([row("A", 0.9, 0.85, 0.94), row("B", 0.7, 0.6, 0.8), row("C", 0.2, 0.1, 0.3)])
    assert said.sentence == "A leads: its 95% interval lies above that of every other system."


def test_the_next_systems_that_the_leader_overlaps_are_counted():
    rows = [
        row("A", 0.9, 0.85, 0.94),
        row("B", 0.88, 0.8, 0.93),
        row("C", 0.86, 0.8, 0.9),
        row("D", 0.1, 0, 0.2),
    ]
    assert (
        finding(rows).sentence == "The 95% interval of A, at 90.0%, overlaps those of the next two systems."
    )


def test_intervals_that_touch_overlap():
    said = finding([row("A", 0.9, 0.8, 0.95), row("B", 0.7, 0.6, 0.8), row("C", 0.1, 0, 0.2)])
    assert said.sentence.endswith("overlaps that of the next system.")


def test_overlap_past_a_gap_is_counted_and_not_called_the_next():
    # C comes third with a wide interval, as a system scored on fewer tasks has.
    said = finding([row("A", 0.9, 0.85, 0.94), row("B", 0.8, 0.78, 0.82), row("C", 0.7, 0.4, 0.9)])
    assert said.sentence == "The 95% interval of A, at 90.0%, overlaps that of one other system."


def test_all_others_and_shared_first_ranks_are_said():
    said = finding([row("A", 0.9, 0.85, 0.94), row("B", 0.9, 0.85, 0.94)])
    assert said.sentence == (
        "Two systems share the first rank. "
        "The 95% interval of A, at 90.0%, overlaps that of the other system."
    )


def test_overlap_is_never_called_equality():
    said = finding([row("A", 0.9, 0.85, 0.94), row("B", 0.88, 0.8, 0.93)])
    assert "do not show that systems are equal" in said.rest
    assert "significan" not in said.sentence + said.rest
