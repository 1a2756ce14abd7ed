"""The sentence at the head of a board."""

import pytest
from django.db.models import F

from leaderboard.models import Benchmark, BoardEvent, BoardState, Standing
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.census import compared_judge
from leaderboard.services.boards.summary import Lead, PairedFinding, finding_of
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.record.as_of import find_as_of
from leaderboard.services.record.events import record_settings
from leaderboard.services.statistics.compute import compute_statistics
from leaderboard.services.statistics.known import LeaderFacts, RankPlace
from leaderboard.services.statistics.p_values import PValue
from leaderboard.web.boards.finding import describe_finding
from tests.support.factories import demo_references, make_published, with_wrong
from tests.support.rows import put_row, raise_revision


def make_lead(**facts) -> Lead:
    defaults = {"name": "A", "score": 0.9, "low": 0.85, "high": 0.94, "tied": 1, "others": 3, "near": 0}
    return Lead(**{**defaults, "in_a_row": True, "judge": "", **facts})


def test_an_empty_board_says_nothing():
    assert describe_finding(None) is None


def test_one_system_has_nothing_to_be_compared_with():
    description = describe_finding(make_lead(score=0.94, low=0.84, high=0.98, others=0))
    assert description.sentence == "One system is ranked so far."
    assert "A, at 94.0% (95% interval 84.0% to 98.0%)" in description.rest


def test_a_leader_whose_interval_lies_above_all_others_leads():
    assert (
        describe_finding(make_lead()).sentence
        == "A leads: its 95% interval lies above that of every other system."
    )


def test_the_sentence_on_intervals_says_that_no_test_was_run():
    for finding in (make_lead(), make_lead(near=1)):
        assert "othing was tested" in describe_finding(finding).rest


def test_systems_scored_against_an_earlier_ground_truth_are_named():
    assert (
        "A was scored against an earlier ground truth." in describe_finding(make_lead(is_outdated=True)).rest
    )
    description = describe_finding(make_lead(is_outdated=True, outdated=3))
    assert "All were scored against an earlier ground truth." in description.rest
    assert "Two other systems were scored against an earlier" in describe_finding(make_lead(outdated=2)).rest
    assert "One other system was scored against an earlier" in describe_finding(make_lead(outdated=1)).rest
    assert "earlier" not in describe_finding(make_lead()).rest


def test_rows_without_an_interval_are_not_passed_over():
    description = describe_finding(make_lead(others=0, without=2))
    assert description.sentence == "A is ranked first, at 90.0%; how sure that is cannot be said."
    description = describe_finding(make_lead(low=None, high=None, others=2))
    assert description.sentence == "A is ranked first, at 90.0%; how sure that is cannot be said."
    assert "number of tasks is not known" in description.rest
    sentence = describe_finding(make_lead(without=1)).sentence
    assert sentence == "A leads: its 95% interval lies above every other that is known."
    # A row without an interval may come in between, so “next” and “all” are not known.
    assert describe_finding(make_lead(near=1, without=1)).sentence.endswith(
        "overlaps that of one other system."
    )
    assert describe_finding(make_lead(near=3, without=1)).sentence.endswith(
        "overlaps those of three other systems."
    )


def test_the_next_systems_that_the_leader_overlaps_are_counted():
    description = describe_finding(make_lead(near=2))
    assert description.sentence == "The 95% interval of A, at 90.0%, overlaps those of the next two systems."
    assert describe_finding(make_lead(near=1)).sentence.endswith("overlaps that of the next system.")


def test_overlap_past_a_gap_is_counted_and_not_called_the_next():
    description = describe_finding(make_lead(near=1, in_a_row=False))
    assert description.sentence == "The 95% interval of A, at 90.0%, overlaps that of one other system."
    assert describe_finding(make_lead(near=2, in_a_row=False)).sentence.endswith(
        "overlaps those of two other systems."
    )


def test_the_finding_mentions_all_others_and_shared_first_ranks():
    description = describe_finding(make_lead(tied=2, others=1, near=1))
    assert description.sentence == "The 95% interval of A, at 90.0%, overlaps that of the other system."
    assert description.rest.startswith("Two systems share the first rank. ")


def test_large_counts_are_written_in_digits():
    assert "the next 1,234 systems" in describe_finding(make_lead(others=99999, near=1234)).sentence


def test_overlap_is_never_called_equality():
    description = describe_finding(make_lead(near=1))
    assert "do not show that systems are equal" in description.rest
    assert "significan" not in description.sentence + description.rest


def test_the_compared_judge_is_named_where_there_are_several():
    assert "judged by “rules 2” only" in describe_finding(make_lead(judge="rules 2"), judges=2).rest
    assert "judged" not in describe_finding(make_lead(judge="rules 2"), judges=1).rest
    assert "judged" not in describe_finding(make_lead(judge=None), judges=2).rest


def make_paired(*, judge="", exact: float | None = 0.004, **facts) -> PairedFinding:
    """Make a finding: A leads four others, does not differ from the next two, and differs from D."""
    defaults = {
        "first": 1,
        "place": RankPlace(rank_low=1, rank_high=3, group=1),
        "others": 4,
        "like_first": 2,
        "in_a_row": True,
        "are_alike": True,
        "next": 4,
        "next_p": PValue(exact=exact, is_significant=True),
        "fixed": 0,
        "fixed_near": 0,
        "fixed_above": 0,
        "left_out": 0,
    }
    return PairedFinding(
        facts=LeaderFacts(**{**defaults, **facts}), first_name="A", next_name="D", judge=judge
    )


ALONE = RankPlace(rank_low=1, rank_high=1, group=1)


def test_systems_that_are_all_pairwise_tied_are_named_together():
    description = describe_finding(make_paired())
    assert description.is_tested
    assert description.sentence == "The data cannot tell the first three apart."
    assert description.rest == (
        "A ranks 1 to 3 in at least 95% of resamples of the tasks. "
        "The highest that the data tell from A is D (exact McNemar test, p\xa0=\xa0.004)."
    )


def test_where_some_pairs_differ_only_the_first_system_is_compared():
    for are_alike in (False, None):
        description = describe_finding(make_paired(are_alike=are_alike))
        assert description.sentence == "The data cannot tell the next two systems from A."
    assert describe_finding(make_paired(are_alike=False, like_first=1)).sentence.endswith(
        "the next system from A."
    )


def test_those_past_one_that_differs_are_counted_and_not_called_the_next():
    description = describe_finding(make_paired(in_a_row=False))
    assert description.sentence == "The data cannot tell two other systems from A."
    assert describe_finding(make_paired(in_a_row=False, like_first=1)).sentence.startswith(
        "The data cannot tell one other"
    )


def test_a_first_system_significantly_ahead_of_all_others_leads():
    description = describe_finding(make_paired(like_first=0, place=ALONE))
    assert description.sentence == "A leads, and the data tell it from each of the other four systems."
    assert description.rest == (
        "A ranks 1 in at least 95% of resamples of the tasks. "
        "The next system compared is D (exact McNemar test, p\xa0=\xa0.004)."
    )
    assert describe_finding(make_paired(like_first=0, others=1, place=ALONE)).sentence == (
        "A leads, and the data tell it from the other system."
    )


def test_nothing_is_claimed_about_rows_that_were_not_compared():
    facts = {"like_first": 0, "place": ALONE, "fixed": 1}
    description = describe_finding(make_paired(**facts))
    assert (
        description.sentence == "A leads, and the data tell it from each of the other four systems compared."
    )
    assert "could not" not in description.rest
    assert describe_finding(make_paired(**facts, others=1)).sentence.endswith(
        "from the other system compared."
    )
    assert describe_finding(make_paired(like_first=0, left_out=9, place=ALONE)).sentence.endswith(
        "systems compared."
    )
    later_description = describe_finding(make_paired(**facts, fixed_near=1, fixed_above=1))
    assert later_description.sentence == (
        "Of the systems compared A leads, and the data tell it from each of the other four."
    )
    assert later_description.rest.endswith("One row that ranks no lower could not be compared.")


def test_rows_that_were_not_compared_are_not_counted_among_the_next():
    facts = {"fixed": 3, "fixed_near": 2}
    assert describe_finding(make_paired(**facts)).sentence == (
        "The data cannot tell the first three of the systems compared apart."
    )
    description = describe_finding(make_paired(**facts, are_alike=False))
    assert description.sentence == "The data cannot tell the next two systems compared from A."
    assert "Two rows that rank no lower could not be compared." in description.rest
    assert describe_finding(make_paired(**facts, are_alike=False, like_first=1)).sentence == (
        "The data cannot tell the next system compared from A."
    )
    assert describe_finding(make_paired(fixed=3)).sentence == "The data cannot tell the first three apart."


SURER = "; the test asks for more than that to tell two systems apart."
LESS_SURE = "; a rank is among all systems, a test between two."


@pytest.mark.parametrize(
    ("like_first", "ranks", "fixed", "explanation"),
    [
        (1, (1, 1), {}, SURER),
        (3, (1, 2), {}, SURER),
        # Two reported rows rank above, so 3 is the highest rank possible.
        (1, (3, 3), {"fixed": 2, "fixed_near": 2, "fixed_above": 2}, SURER),
        (2, (1, 3), {}, "."),
        (0, (1, 1), {}, "."),
        (0, (2, 2), {"fixed": 1, "fixed_near": 1, "fixed_above": 1}, "."),
        (2, (1, 4), {"fixed": 1, "fixed_near": 1}, "."),
        # Each other system passes it in few resamples, but some system does in many.
        (0, (1, 2), {}, LESS_SURE),
        (1, (1, 4), {}, LESS_SURE),
        (0, (1, 2), {"fixed": 1}, LESS_SURE),
    ],
)
def test_rank_intervals_narrower_or_wider_than_the_tests_suggest_are_explained(
    like_first, ranks, fixed, explanation
):
    place = RankPlace(rank_low=ranks[0], rank_high=ranks[1], group=1)
    rest = describe_finding(make_paired(place=place, like_first=like_first, **fixed)).rest
    ranks_text = str(ranks[0]) if ranks[0] == ranks[1] else f"{ranks[0]} to {ranks[1]}"
    assert rest.startswith(f"A ranks {ranks_text} in at least 95% of resamples of the tasks{explanation}")
    # A difference near the bound is not due to few tasks.
    assert "few tasks" not in rest


def test_no_p_is_given_where_no_system_differs():
    description = describe_finding(make_paired(like_first=4, next=None, next_p=None))
    assert description.sentence == "The data cannot tell the first five apart."
    assert "McNemar" not in description.rest


def test_no_p_is_given_where_counts_are_hidden():
    assert describe_finding(make_paired(exact=None)).rest.endswith(
        "The highest that the data tell from A is D."
    )
    assert "D" not in describe_finding(make_paired(exact=None, like_first=0)).rest


def test_the_head_of_a_board_has_three_sentences_at_most():
    for finding in (
        make_paired(fixed=1, fixed_near=1, judge="x"),
        make_paired(judge="x"),
        make_lead(near=1, tied=2, outdated=1, judge="x"),
        make_lead(outdated=1, judge="x"),
    ):
        description = describe_finding(finding, judges=2)
        assert "judged by “x” only" in description.rest
        assert (description.sentence + " " + description.rest).count(". ") <= 2


def test_the_judge_whose_systems_were_tested_is_named():
    assert "judged by “rules 2” only" in describe_finding(make_paired(judge="rules 2"), judges=2).rest
    assert "judged" not in describe_finding(make_paired(judge=None), judges=2).rest


def test_a_board_says_what_was_tested_once_statistics_are_stored(demo, user, good_file):
    wrong_counts = {"A": 0, "B": 5, "C": 6}
    for name, count in wrong_counts.items():
        make_published(user, demo, with_wrong(good_file, count) if count else good_file, system=name)
    assert isinstance(finding_of(BoardAt(demo), judge=""), Lead)
    compute_statistics(benchmark_id=demo.pk)
    description = describe_finding(finding_of(BoardAt(demo), judge=""))
    assert description.sentence == "The data cannot tell the first two apart."
    assert (
        "The highest that the data tell from A is C (exact McNemar test, p\xa0=\xa0.031)." in description.rest
    )


def test_a_single_testable_system_is_compared_by_its_interval(demo, user, good_file):
    make_published(user, demo, good_file, system="A")
    put_row(demo, "Printed", counts=(45, 50))
    compute_statistics(benchmark_id=demo.pk)
    assert "95% interval of A" in describe_finding(finding_of(BoardAt(demo), judge="")).sentence


def test_a_reported_row_in_between_is_not_passed_over(demo, user, good_file):
    for name, number in {"A": 0, "B": 10, "C": 20}.items():
        make_published(user, demo, with_wrong(good_file, number) if number else good_file, system=name)
    put_row(demo, "Paper X", 0.92)
    BoardState.objects.filter(pk=demo.pk).update(rows_number=F("rows_number") + 1)
    compute_statistics(benchmark_id=demo.pk)
    description = describe_finding(finding_of(BoardAt(demo), judge=""))
    assert (
        description.sentence == "A leads, and the data tell it from each of the other two systems compared."
    )
    assert "The next system compared is B" in description.rest


def test_a_leader_scored_against_an_earlier_ground_truth_is_marked(demo, user, good_file):
    make_published(user, demo, good_file, system="Old")
    make_published(user, demo, with_wrong(good_file, 30), system="Older")
    references = dict(list(demo_references().items())[:-1])
    import_references(benchmark=demo, references=references, origin="fewer")
    board = Benchmark.objects.select_related("active_revision", "state").get(pk=demo.pk)
    description = describe_finding(finding_of(BoardAt(board), judge=""))
    assert description.sentence.startswith("Old leads")
    assert description.rest.endswith("All were scored against an earlier ground truth.")


def test_scored_rows_without_an_interval_are_counted(demo):
    first = put_row(demo, "Printed", 0.9)
    put_row(demo, "No number of tasks", 0.8)
    Standing.objects.exclude(pk=first.pk).update(low=None, high=None)
    description = describe_finding(finding_of(BoardAt(demo), judge=""))
    assert description.sentence == "Printed is ranked first, at 90.0%; how sure that is cannot be said."
    Standing.objects.filter(pk=first.pk).update(low=None, high=None)
    raise_revision(demo)
    assert "so it has no interval" in describe_finding(finding_of(BoardAt(demo), judge="")).rest


def test_a_past_board_that_mixed_judges_is_described_as_it_was(demo, user, good_file):
    for name, number in {"A": 0, "C": 6}.items():
        make_published(user, demo, with_wrong(good_file, number) if number else good_file, system=name)
    for mixes in (True, False):
        demo.mixes_judges = mixes
        demo.save()
        record_settings(benchmark=demo, changed=["mixes_judges"])
        compute_statistics(benchmark_id=demo.pk)
    board = Benchmark.objects.select_related("active_revision", "state").get(pk=demo.pk)
    mixed, apart = (
        find_as_of(benchmark=board, text=str(event.number))
        for event in BoardEvent.objects.filter(benchmark=demo, action="settings").order_by("number")
    )
    judges = {"": 2}
    assert compared_judge(BoardAt(board, mixed), judges) is None
    assert compared_judge(BoardAt(board, apart), judges) == ""
    # A table that mixed judges has one finding, whatever judge is asked for.
    for judge in ("", None):
        finding = finding_of(BoardAt(board, mixed), judge=judge)
        assert (finding.judge, finding.first_name) == (None, "A")
    assert finding_of(BoardAt(board, apart), judge="").judge == ""
