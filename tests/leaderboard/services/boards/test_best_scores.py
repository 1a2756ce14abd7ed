"""Best scores: who held the best score, and since when."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.models import Board, Kind, Submission
from leaderboard.services.boards.best_scores import best_score_history, list_best_scores
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query, read_query
from leaderboard.services.publishing.disqualify import disqualify, reinstate
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.publishing.publish import publish, withdraw
from leaderboard.services.publishing.standings import update_standings
from leaderboard.services.record import events
from leaderboard.services.submissions.rescore import rescore
from tests.support.factories import demo_references, make_published, make_scored, other_references, with_wrong
from tests.support.rows import SINCE, put_row, state_of
from wardboard.scoring.fhir_agentbench.judge.rules.judge import RulesJudge

pytestmark = pytest.mark.both_databases

DAY = timedelta(days=1)
RULES, OFFICIAL = "rules 1", "official: o4-mini"


@pytest.fixture
def words(db):
    return Board.objects.create(
        slug="words", benchmark="fhir-agentbench", version="1", title="Words", question="In words."
    )


# Right of 50 -> answers to make wrong. Three answers of the file are wrong already.
WRONG = {47: 0, 37: 12, 28: 24, 20: 36, 11: 50}


@pytest.fixture
def put(user, team, demo, good_file, monkeypatch):
    """Publish a result with `right` right on a day."""

    def put_(right: int, day: int, system: str = "Careful agent") -> Submission:
        submission = make_scored(user, demo, with_wrong(good_file, WRONG[right]), system=system)
        with monkeypatch.context() as patch:
            patch.setattr(timezone, "now", lambda: SINCE + day * DAY)
            return publish(submission_id=submission.pk, team=team, by=user)

    return put_


def score_history(board, **params) -> list[tuple[str, int]]:
    fresh = Board.objects.get(pk=board.pk)
    scores = best_score_history(read_query(params, fresh)).scores
    return [(score.name, round(50 * score.score)) for score in scores]


def test_a_board_without_results_has_no_best_scores(words):
    assert list_best_scores(BoardAt(words)) == []
    put_row(words, "Null", 0.9, kind=Kind.BASELINE)
    put_row(words, "Nothing printed", None)
    assert list_best_scores(BoardAt(words)) == []
    assert best_score_history(Query(board_at=BoardAt(words))).until is None


def test_every_published_result_counts_not_only_the_best_of_its_system(demo, put):
    put(20, 1)
    put(37, 3)
    put(28, 2, "Other")
    put(28, 4, "Other")
    assert score_history(demo) == [("Careful agent", 20), ("Other", 28), ("Careful agent", 37)]


def test_only_the_best_of_simultaneous_results_is_a_best_score(words):
    for name, right in (("A", 5), ("B", 9), ("C", 7)):
        put_row(words, name, counts=(right, 10))
    put_row(words, "Equal", counts=(9, 10), since=SINCE + DAY)
    (record,) = list_best_scores(BoardAt(words))
    assert (record.name, record.score, record.kind, record.at) == ("B", 0.9, Kind.REPORTED, SINCE)
    assert record.low < 0.9 < record.high
    assert record.submission_id is None


def test_reported_and_rescored_results_share_one_history_by_their_dates(demo, put):
    put(20, 10)
    put_row(demo, "Printed", counts=(10, 50), since=SINCE)
    put_row(demo, "Printed later", counts=(15, 50), since=SINCE + 11 * DAY)
    first, second = list_best_scores(BoardAt(Board.objects.get(pk=demo.pk)))
    assert (first.name, first.kind, second.name, second.kind) == (
        "Printed",
        Kind.REPORTED,
        "Careful agent",
        Kind.RESCORED,
    )
    assert second.submission_id
    assert (
        best_score_history(Query(board_at=BoardAt(Board.objects.get(pk=demo.pk)))).until == SINCE + 11 * DAY
    )


def test_an_unpublished_result_is_not_a_best_score(demo, user, good_file):
    make_scored(user, demo, good_file)
    assert score_history(demo) == []


def test_a_result_counts_by_its_current_evaluation(demo, put):
    put(47, 1)
    import_references(board=demo, references=other_references(), origin="tests")
    rescore(board=Board.objects.get(pk=demo.pk))
    ((name, right),) = score_history(demo)
    assert name == "Careful agent"
    assert right < 47


def test_only_results_of_the_compared_judge_count_unless_the_board_mixes_them(words):
    put_row(words, "Official", counts=(9, 10), judge=OFFICIAL, since=SINCE)
    for day, right in ((1, 4), (2, 5)):
        put_row(words, f"By rules {day}", counts=(right, 10), judge=RULES, since=SINCE + day * DAY)
    history = best_score_history(Query(board_at=BoardAt(words)))
    assert (history.judge, [record.name for record in history.scores]) == (
        RULES,
        ["By rules 1", "By rules 2"],
    )
    official = best_score_history(Query(board_at=BoardAt(words)).with_filters(judge=OFFICIAL))
    assert [record.name for record in official.scores] == ["Official"]
    words.mixes_judges = True
    words.save()
    put_row(words, "One more", 0.1)
    assert [record.name for record in list_best_scores(BoardAt(words))] == ["Official"]


def test_filters_choose_whose_best_scores_are_shown(demo, put):
    put(20, 1)
    put(37, 2, "Other")
    put(47, 3)
    put_row(demo, "Printed", counts=(10, 50), since=SINCE)
    assert score_history(demo, q="careful") == [("Careful agent", 20), ("Careful agent", 47)]
    assert score_history(demo, source="reported") == [("Printed", 10)]
    assert score_history(demo, source="baseline") == []


class TestThePastIsAsItWas:
    """Test that the history as of an event is what it was at that event."""

    @pytest.fixture
    def same_later(self, demo):
        def same_later_() -> list[tuple[str, int]]:
            then, number = score_history(demo), state_of(demo).number
            events.record_settings(board=demo, changed=["title"])
            assert score_history(demo, as_of=str(number)) == then
            return then

        return same_later_

    def change_references(self, demo, references):
        import_references(board=demo, references=references, origin="tests")
        rescore(board=Board.objects.get(pk=demo.pk))

    def test_with_a_ground_truth_that_was_active_before(self, demo, put, same_later):
        put(47, 1)
        self.change_references(demo, other_references())
        (mended,) = same_later()
        self.change_references(demo, demo_references())
        assert same_later() == [("Careful agent", 47)] != [mended]
        self.change_references(demo, other_references())
        assert same_later() == [mended]

    def test_with_a_result_that_was_reinstated_behind_a_better_one(self, put, user, same_later):
        first = put(28, 1)
        put(37, 2)
        disqualify(submission_id=first.pk, by=user, reason="A slip.")
        assert [right for _, right in same_later()] == [37]
        reinstate(submission_id=first.pk, by=user)
        assert [right for _, right in same_later()] == [28, 37]

    def test_with_a_result_that_never_was_a_row(self, put, team, user, same_later):
        best = put(37, 1)
        put(28, 2)
        put(47, 3)
        withdraw(submission_id=best.pk, team=team, by=user)
        assert [right for _, right in same_later()] == [28, 47]

    def test_with_a_result_that_was_published_again_behind_a_better_one(
        self, demo, team, user, good_file, same_later
    ):
        first, _ = (make_published(user, demo, with_wrong(good_file, WRONG[right])) for right in (28, 37))
        both = same_later()
        number = state_of(demo).number
        withdraw(submission_id=first.pk, team=team, by=user)
        publish(submission_id=first.pk, team=team, by=user)
        assert same_later() == [("Careful agent", 37)] != both
        assert score_history(demo, as_of=str(number)) == both

    def test_with_a_result_that_was_withdrawn_before_it_was_disqualified_and_reinstated(
        self, put, team, user, same_later
    ):
        best = put(37, 1)
        put(28, 2)
        withdraw(submission_id=best.pk, team=team, by=user)
        disqualify(submission_id=best.pk, by=user, reason="A slip.")
        reinstate(submission_id=best.pk, by=user)
        assert same_later() == [("Careful agent", 28)]

    def test_with_the_name_that_a_system_then_had(self, demo, put, same_later):
        system, number = put(28, 1).system, state_of(demo).number
        system.name = "Renamed"
        system.save()
        update_standings(pk=system.pk)
        assert same_later() == [("Renamed", 28)]
        assert score_history(demo, as_of=str(number)) == [("Careful agent", 28)]


def test_past_best_scores_are_of_the_judge_of_that_time(user, team, good_answers, monkeypatch, fhir_demo):
    def put(right: int, system: str) -> int:
        answers = json.loads(good_answers)
        for answer in answers[right:]:
            answer["agent_answer"] = "The final answer is: zebra."
        make_published(user, fhir_demo, json.dumps(answers).encode(), system=system)
        return state_of(fhir_demo).number

    def names(**params):
        return [name for name, _ in score_history(fhir_demo, **params)]

    # Three results by one judge, one by the next; then the first judge decides again.
    for right in (20, 30, 40):
        first = put(right, f"First {right}")
    monkeypatch.setattr(RulesJudge, "identity", "rules 99")
    second = put(10, "Second")
    assert names(as_of=str(first)) == ["First 20", "First 30", "First 40"]
    assert names() == ["Second"]
    monkeypatch.undo()
    events.record_settings(board=fhir_demo, changed=["judge_mode"])
    assert names(as_of=str(second)) == ["Second"]
    assert names() == ["First 20", "First 30", "First 40"]
