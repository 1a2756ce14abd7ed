"""A result beside the entry of its system: what is shown, and when nothing can be compared."""

import json

import pytest

from leaderboard.models import Access, Evaluation
from leaderboard.services.publishing.publish import publish
from leaderboard.services.statistics.entry_comparison import EntryOutcome, compare_with_entry
from tests.support.factories import make_fhir_demo, make_hidden, make_published, make_scored, with_wrong
from wardboard.scoring.fhir_agentbench import demo as fhir

pytestmark = pytest.mark.both_databases


def test_a_fall_is_worse_a_task_by_chance_is_not_and_the_entry_is_itself(demo, user, good_file):
    entry = make_published(user, demo, good_file)
    assert compare_with_entry(entry).outcome is None
    by_chance = compare_with_entry(make_scored(user, demo, with_wrong(good_file, 1)))
    assert (by_chance.entry, by_chance.outcome) == (entry.pk, EntryOutcome.NOT_DIFFERENT)
    result = make_scored(user, demo, with_wrong(good_file, 20))
    fallen = compare_with_entry(result)
    assert (fallen.outcome, fallen.p.exact < 0.05) == (EntryOutcome.WORSE, True)
    lost = result.evaluation.right - entry.evaluation.right
    assert {sum(line.right_a - line.right_b for line in lines) for lines in fallen.groups.values()} == {lost}


@pytest.mark.parametrize(("changed", "outcome"), [(2, "not-different"), (9, "worse"), (60, None)])
def test_what_a_judge_left_open_hides_no_fall_and_too_much_of_it_is_not_tested(user, changed, outcome):
    board, records = make_fhir_demo(), json.loads(fhir.GOOD.read_bytes())
    make_published(user, board, json.dumps(records).encode())
    for record in records[:changed]:
        record["agent_answer"] = "Nein, vielleicht doch."
    raw = json.dumps(records).encode()
    assert compare_with_entry(make_scored(user, board, raw, allow_empty=True)).outcome == outcome


def test_an_entry_that_says_too_little_for_a_rank_lets_no_result_pass(user, demo, good_file):
    document = json.loads(good_file)
    few = json.dumps({**document, "results": document["results"][:9]}).encode()
    entry = make_published(user, demo, few, allow_empty=True)
    comparison = compare_with_entry(make_scored(user, demo, good_file))
    assert (comparison.entry, comparison.outcome) == (entry.pk, None)


@pytest.mark.parametrize("feedback", ["overall", "answers"])
@pytest.mark.parametrize(
    ("of_entry", "wrong", "outcome"),
    [(0, 20, "worse"), (0, 7, None), (0, 1, "not-different"), (30, 1, "better")],
)
def test_a_rounded_score_is_compared_by_what_is_shown_of_both(
    user, good_file, feedback, of_entry, wrong, outcome
):
    board = make_hidden(rounding=1, feedback=feedback, access=Access.ANYONE)
    make_published(user, board, with_wrong(good_file, of_entry))
    result = make_scored(user, board, with_wrong(good_file, wrong))
    comparison = compare_with_entry(result)
    assert (comparison.test, comparison.outcome) == ("by-score", outcome)
    assert (comparison.p, comparison.groups) == (None, {})
    assert ("cannot be said" in comparison.explanation) == (outcome is None)
    publish(submission_id=result.pk, team=result.team, by=user)
    assert compare_with_entry(result.__class__.objects.with_result().get(pk=result.pk)).test == "by-task"


@pytest.mark.parametrize(("field", "words"), [("judge", "Another judge"), ("revision", "earlier reference")])
def test_results_of_other_judges_or_references_are_not_compared(demo, user, good_file, field, words):
    entry = make_published(user, demo, good_file)
    result = make_scored(user, demo, with_wrong(good_file, 20))
    if field == "judge":
        result.evaluation.judge = "another"
    else:
        result.evaluation.revision_id = 0
    comparison = compare_with_entry(result)
    assert (comparison.entry, comparison.outcome) == (entry.pk, None)
    assert words in comparison.explanation
    assert Evaluation.objects.count() == 2
