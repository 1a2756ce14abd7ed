"""Best scores: who held the best score, and since when."""

from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.models import Board, Kind, Submission
from leaderboard.services import visibility
from leaderboard.services.boards.best_scores import best_score_history, list_best_scores
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query, read_query
from leaderboard.services.publishing.publish import publish, withdraw
from leaderboard.services.submissions.rescore import rescore
from tests.support.factories import correct_references, make_scored, with_wrong
from tests.support.rows import SINCE, put_row

pytestmark = pytest.mark.both_databases

DAY = timedelta(days=1)
RULES, OFFICIAL = "rules 1", "official: o4-mini"


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


def test_only_results_that_were_the_entry_of_their_system_count(demo, put):
    put(20, 1)
    put(37, 3)
    put(28, 2, "Other")
    put(47, 4, "Other")
    put_row(demo, "Published elsewhere", 0.99, since=SINCE)
    assert score_history(demo) == [("Careful agent", 20), ("Other", 28)]
    history = best_score_history(Query(board_at=BoardAt(demo)))
    # Those that were published elsewhere are a line of their own.
    assert [(score.name, score.kind) for score in history.published] == [
        ("Published elsewhere", Kind.REPORTED)
    ]


def test_only_the_best_of_simultaneous_results_is_a_best_score(words):
    for name, right in (("A", 5), ("B", 9), ("C", 7)):
        put_row(words, name, counts=(right, 10))
    put_row(words, "Equal", counts=(9, 10), since=SINCE + DAY)
    history = best_score_history(Query(board_at=BoardAt(words)))
    (record,), is_reported = history.scores, history.is_reported
    assert (record.name, record.score, record.kind, record.at) == ("B", 0.9, Kind.REPORTED, SINCE)
    assert record.low < 0.9 < record.high
    assert (is_reported, list_best_scores(BoardAt(words))) == (True, []), "only rescored scores are records"


def test_a_result_that_prints_the_same_figure_is_no_record(demo, put, monkeypatch):
    put(28, 1)
    put(37, 2, "Other")
    monkeypatch.setattr(visibility, "round_figure", round)
    assert score_history(demo) == [("Careful agent", 28)]


def test_a_result_counts_by_its_current_evaluation(demo, put):
    put(47, 1)
    correct_references(demo)
    rescore(board=demo)
    ((name, right),) = score_history(demo)
    assert name == "Careful agent"
    assert right < 47


def test_only_results_of_the_compared_judge_count_unless_the_board_mixes_them(words):
    put_row(words, "Official", counts=(9, 10), judge=OFFICIAL, since=SINCE)
    for day, right in ((1, 4), (2, 5)):
        put_row(words, f"By rules {day}", counts=(right, 10), judge=RULES, since=SINCE + day * DAY)
    history = best_score_history(Query(board_at=BoardAt(words)))
    assert [record.name for record in history.scores] == ["By rules 1", "By rules 2"]
    official = best_score_history(Query(board_at=BoardAt(words)).with_filters(judge=OFFICIAL))
    assert [record.name for record in official.scores] == ["Official"]
    words.mixes_judges = True
    words.save()
    put_row(words, "One more", 0.1)
    mixed = best_score_history(Query(board_at=BoardAt(words)))
    assert [record.name for record in mixed.scores] == ["Official"]


def test_a_past_board_has_the_results_of_that_time_that_are_still_public(demo, put, team, user):
    first = put(20, 1)
    put(28, 2, "Other")
    put(37, 3, "A third one")
    assert [right for _, right in score_history(demo, as_of="3")] == [20, 28]
    withdraw(submission_id=first.pk, team=team, by=user)
    assert [right for _, right in score_history(demo, as_of="3")] == [28]
