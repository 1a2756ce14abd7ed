"""The sentence at the head of a board."""

from leaderboard.services.overview import Lead
from leaderboard.web.findings import finding


def lead(**facts) -> Lead:
    told = {"name": "A", "score": 0.9, "low": 0.85, "high": 0.94, "tied": 1, "others": 3, "near": 0}
    return Lead(**{**told, "in_a_row": True, "judge": "", **facts})


def test_an_empty_board_says_nothing():
    assert finding(None) is None


def test_one_system_has_nothing_to_be_compared_with():
    said = finding(lead(score=0.94, low=0.84, high=0.98, others=0))
    assert said.sentence == "One system is ranked so far."
    assert "A, at 94.0% (95% interval 84.0% to 98.0%)" in said.rest


def test_a_leader_whose_interval_lies_above_all_others_leads():
    assert finding(lead()).sentence == "A leads: its 95% interval lies above that of every other system."


def test_the_next_systems_that_the_leader_overlaps_are_counted():
    said = finding(lead(near=2))
    assert said.sentence == "The 95% interval of A, at 90.0%, overlaps those of the next two systems."
    assert finding(lead(near=1)).sentence.endswith("overlaps that of the next system.")


def test_overlap_past_a_gap_is_counted_and_not_called_the_next():
    said = finding(lead(near=1, in_a_row=False))
    assert said.sentence == "The 95% interval of A, at 90.0%, overlaps that of one other system."
    assert finding(lead(near=2, in_a_row=False)).sentence.endswith("overlaps those of two other systems.")


def test_all_others_and_shared_first_ranks_are_said():
    said = finding(lead(tied=2, others=1, near=1))
    assert said.sentence == (
        "Two systems share the first rank. "
        "The 95% interval of A, at 90.0%, overlaps that of the other system."
    )


def test_large_counts_are_figures():
    assert "the next 1,234 systems" in finding(lead(others=99999, near=1234)).sentence


def test_overlap_is_never_called_equality():
    said = finding(lead(near=1))
    assert "do not show that systems are equal" in said.rest
    assert "significan" not in said.sentence + said.rest


def test_where_several_judges_have_decided_the_one_that_is_meant_is_named():
    assert "judged by “rules 1” only" in finding(lead(judge="rules 1"), judges=2).rest
    assert "judged" not in finding(lead(judge="rules 1"), judges=1).rest
    assert "judged" not in finding(lead(judge=None), judges=2).rest
