"""The sentence at the head of a board."""

from dataclasses import replace

import pytest

from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.head_sentence import Lead, PairedFinding, finding_of
from leaderboard.services.boards.query import Query
from leaderboard.services.statistics.compute import compute_statistics
from leaderboard.services.statistics.p_values import PValue
from leaderboard.services.statistics.rank_statistics import LeaderFacts
from leaderboard.web.boards.head_sentence import describe_finding
from tests.support.factories import make_published, with_wrong
from tests.support.rows import put_row


def make_lead(**facts) -> Lead:
    defaults = {"name": "A", "score": 0.9, "low": 0.85, "high": 0.94, "equal": 1, "others": 3, "near": 0}
    defaults["second_score"] = 0.88
    return Lead(**{**defaults, "in_a_row": True, "judge": "", **facts})


def test_an_empty_board_says_nothing():
    assert describe_finding(None) is None


def test_one_system_has_nothing_to_be_compared_with():
    description = describe_finding(make_lead(score=0.94, low=0.84, high=0.98, others=0))
    assert description.sentence == "One system is ranked so far."
    assert "A, at 94.0% (95% interval 84.0% to 98.0%)" in description.details


def test_a_leader_by_intervals_alone_is_said_not_to_be_tested():
    described = describe_finding(make_lead())
    assert described.sentence == "A (90.0%) is 2.0 points ahead of the next (not tested)."
    assert described.details == "The 95% interval of A lies above that of every other system."
    assert "(test pending)" in describe_finding(make_lead(is_to_be_tested=True)).sentence
    assert "is <0.1 points ahead" in describe_finding(make_lead(second_score=0.89999)).sentence
    assert "A (90.0% as published)" in describe_finding(make_lead(is_reported=True)).sentence


def test_systems_scored_against_an_earlier_ground_truth_are_named():
    assert (
        "A was scored against earlier reference answers."
        in describe_finding(make_lead(is_outdated=True)).rest
    )
    description = describe_finding(make_lead(is_outdated=True, outdated=3))
    assert "All were scored against earlier reference answers." in description.rest
    assert "Two other systems were scored against earlier" in describe_finding(make_lead(outdated=2)).rest
    assert "One other system was scored against earlier" in describe_finding(make_lead(outdated=1)).rest
    assert "earlier" not in describe_finding(make_lead()).rest


def test_rows_without_an_interval_are_not_passed_over():
    for lead in (make_lead(others=0, without=2), make_lead(low=None, high=None, others=2)):
        description = describe_finding(lead)
        assert description.sentence == "A is ranked first (90.0%); the uncertainty cannot be estimated."
    assert "number of tasks is not known" in description.details
    assert describe_finding(make_lead(without=1)).details.endswith("lies above every other that is known.")
    # A row without an interval may come in between, so “next” and “all” are not known.
    for near, words in ((1, "that of one other system."), (3, "those of three other systems.")):
        assert f"overlaps {words}" in describe_finding(make_lead(near=near, without=1)).details


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"near": 1}, "that of the next system"),
        ({"near": 2}, "those of the next two systems"),
        ({"near": 2, "others": 2}, "those of both other systems"),
        ({"near": 3}, "those of all three other systems"),
        ({"near": 1, "in_a_row": False}, "that of one other system"),
        ({"near": 2, "in_a_row": False}, "those of two other systems"),
        ({"near": 1234, "others": 99999}, "those of the next 1,234 systems"),
    ],
)
def test_the_systems_that_the_leader_overlaps_are_counted_and_not_called_equal(facts, words):
    described = describe_finding(make_lead(**facts))
    assert described.details == (f"The 95% interval of A overlaps {words}. Overlap does not mean equal.")
    assert "significantly" not in described.sentence + described.details


def test_systems_that_share_the_first_rank_are_counted():
    description = describe_finding(make_lead(equal=2, others=1, near=1, second_score=None))
    assert description.sentence == "Two systems share the first rank (90.0%; not tested)."


def test_the_compared_judge_is_named_where_there_are_several():
    sentence = "Only systems judged by “Wardboard rules 6” are compared."
    assert sentence in describe_finding(make_lead(judge="rules 6"), judges=2).rest
    assert "judged" not in describe_finding(make_lead(judge="rules 6"), judges=1).rest
    assert "judged" not in describe_finding(make_lead(judge=None), judges=2).rest


def make_paired(*, judge="", exact: float | None = 0.004, runs: int | None = 1, **facts) -> PairedFinding:
    """Make a finding: A is tied with the next two of four others, and D is significantly worse than A."""
    defaults = {
        "first": 1,
        "tied": 3,
        "others": 4,
        "worse": 2,
        "next": 4,
        "next_p": PValue(exact=exact, is_significant=True),
        "uncompared": 0,
        "left_out": 0,
        "is_first_by_task": True,
    }
    return PairedFinding(
        facts=LeaderFacts(**{**defaults, **facts}),
        first_name="A",
        first_score=0.91,
        first_upper=None,
        highest=["A"],
        highest_count=1,
        overlapping=0,
        is_highest=True,
        second_score=0.9,
        is_ahead=facts.get("tied") == 1,
        next_name="D",
        next_score=0.8,
        next_upper=None,
        runs=runs,
        judge=judge,
    )


ALONE = {"tied": 1, "worse": 4}


def test_the_lead_is_in_points_with_its_significance_and_ties_are_counted():
    description = describe_finding(make_paired())
    assert description.is_tested
    assert description.sentence == (
        "A (91.0% in a single run) is 1.0 points ahead of the next (not significant); three systems are tied "
        "for first."
    )
    assert description.rest == ""
    assert description.details == (
        "D (80.0%, p\xa0=\xa0.004) is the first that is significantly lower. Tied does not mean equal."
    )
    untested = replace(make_paired(), is_ahead=None)
    assert "ahead of the next (not tested)" in describe_finding(untested).sentence


def test_open_answers_show_scores_as_ranges_and_leave_the_order_open():
    finding = replace(make_paired(), first_upper=0.95, next_upper=0.85)
    described = describe_finding(finding)
    assert described.sentence == "Three systems are tied for first."
    assert described.rest == "A scores highest (91.0–95.0% in a single run)."
    assert described.details.startswith("D (80.0–85.0%, p")
    for number, others in ((1, "one other"), (2, "two others")):
        assert describe_finding(replace(finding, overlapping=number)).rest == (
            "A is listed first (91.0–95.0% in a single run); undecided answers leave its order with "
            f"{others} open."
        )


def test_a_row_that_was_not_compared_may_score_higher():
    finding = replace(make_paired(uncompared=1), is_highest=False)
    assert describe_finding(finding).rest.startswith("Of the systems compared, A scores highest (91.0%")


def test_a_board_without_a_significant_difference_says_so_of_all():
    everyone = {"tied": 5, "worse": 0, "next": None, "next_p": None}
    description = describe_finding(make_paired(**everyone))
    assert description.sentence.endswith("(not significant); all five systems are tied for first.")
    assert description.details == "Tied does not mean equal."
    for facts in ({"uncompared": 1}, {"left_out": 9}):
        sentence = describe_finding(make_paired(**everyone, **facts)).sentence
        assert sentence.endswith("; the five systems compared are tied for first.")


def test_a_system_tied_with_no_other_is_better_on_these_tasks_and_does_not_lead():
    description = describe_finding(make_paired(**ALONE))
    assert description.sentence == (
        "A (91.0% in a single run) is 1.0 points ahead of the next (significant); it scores significantly "
        "higher than each of the other four systems, judged by these tasks."
    )
    assert description.details == "D (80.0%, p\xa0=\xa0.004) is the first that is significantly lower."
    without = replace(make_paired(**{**ALONE, "others": 1, "worse": 1}), second_score=None)
    assert describe_finding(without).sentence == (
        "A scores significantly higher than the other system, judged by these tasks."
    )
    for runs in (None, 1, 5):
        assert "lead" not in describe_finding(make_paired(**ALONE, runs=runs)).sentence


def test_nothing_is_claimed_about_rows_that_were_not_compared():
    for facts in ({"uncompared": 2}, {"left_out": 9}):
        description = describe_finding(make_paired(**ALONE, **facts))
        assert description.sentence.endswith(
            "than each of the other four systems compared, judged by these tasks."
        )
    description = describe_finding(make_paired(**ALONE, uncompared=1))
    assert description.rest.endswith(
        "One ranked system could not be compared: its number of tasks is not known."
    )


@pytest.mark.parametrize(
    ("runs", "words"), [(None, "91.0%"), (1, "91.0% in a single run"), (5, "91.0%, mean of 5 runs")]
)
def test_a_score_names_the_runs_behind_it(runs, words):
    assert f"A ({words}) is" in describe_finding(make_paired(runs=runs)).sentence
    reported = replace(make_paired(runs=runs), is_reported=True)
    assert "A (91.0% as published) is" in describe_finding(reported).sentence


def test_no_p_is_given_where_counts_are_hidden():
    assert "D (80.0%) is the first" in describe_finding(make_paired(exact=None)).details
    assert describe_finding(make_paired(exact=None, **ALONE)).details == ""


@pytest.mark.parametrize(
    ("filters", "scope"),
    [
        ({"weights": "open"}, "Among open-weights systems: "),
        ({"weights": "open", "judge": "rules 1"}, "Among open-weights systems: "),
        ({"q": "x"}, "Among the systems that match the filters: "),
        ({"weights": "open", "q": "x"}, "Among the systems that match the filters: "),
    ],
)
def test_a_finding_on_rows_that_filters_choose_says_which(filters, scope):
    for finding in (make_paired(), make_lead()):
        described = describe_finding(replace(finding, is_selection=True), filters=filters)
        assert described.sentence.startswith(scope)
        rest = described.sentence.removeprefix(scope)
        assert rest.casefold() == describe_finding(finding).sentence.casefold()


def test_a_long_name_is_cut_so_that_the_rows_stay_on_the_first_screen():
    long, cut = "A long name " * 10, "A long name A long name A long name A long name…"
    finding = replace(make_paired(), first_name=long, highest=[long], next_name="臨床助理" * 30)
    described = describe_finding(finding)
    assert described.sentence.startswith(f"{cut} (91.0%")
    assert described.details.startswith("臨床助理臨床助理臨床助理臨床助理臨床助理臨床助… (80.0%")
    assert cut in describe_finding(make_lead(name=long)).sentence


def test_a_board_says_what_was_tested_once_statistics_are_stored(demo, user, good_file):
    wrong_counts = {"A": 0, "B": 5, "C": 6}
    for name, count in wrong_counts.items():
        make_published(user, demo, with_wrong(good_file, count) if count else good_file, system=name)
    assert isinstance(finding_of(Query(board_at=BoardAt(demo))), Lead)
    compute_statistics(board_id=demo.pk)
    demo.state.refresh_from_db()
    description = describe_finding(finding_of(Query(board_at=BoardAt(demo))))
    assert description.sentence == (
        "A (94.0% in a single run) is 10.0 points ahead of the next (not significant); two systems are tied "
        "for first."
    )
    assert "C (82.0%, p\xa0=\xa0.047) is the first that is significantly lower." in description.details


def test_a_single_system_scored_here_is_compared_with_reported_ones_by_rate(demo, user, good_file):
    make_published(user, demo, with_wrong(good_file, 20), system="A")
    put_row(demo, "Printed", counts=(45, 50))
    compute_statistics(board_id=demo.pk)
    description = describe_finding(finding_of(Query(board_at=BoardAt(demo))))
    assert description.sentence.startswith("Printed (90.0% as published) is ")
    assert description.sentence.endswith(
        "points ahead of the next (significant); it scores significantly "
        "higher than the other system, judged by these tasks."
    )
