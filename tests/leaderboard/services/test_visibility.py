import json

import pytest

from leaderboard.models import Feedback
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query, read_query, sort_keys
from tests.support.factories import make_published, make_scored

pytestmark = pytest.mark.both_databases

BY_TYPE_ONLY = {"query_success_rate", "action_success_rate"}


@pytest.fixture
def at_level(demo, user, good_file):
    submission = make_published(user, demo, good_file)

    def result(level):
        demo.feedback = level
        demo.save()
        submission.refresh_from_db()
        return submission

    return result


def test_the_level_by_type_shows_breakdowns_and_no_task(at_level):
    submission = at_level(Feedback.BY_TYPE)
    result = visibility.visible_result(submission)
    assert set(result.breakdowns) == {"task_type", "kind", "difficulty"}
    assert sum(rate.right for rate in result.breakdowns["task_type"].values()) == 47
    assert result.metrics.keys() >= BY_TYPE_ONLY
    assert "task1_1" not in json.dumps([result.breakdowns, result.group_metrics], default=repr)
    assert visibility.visible_tasks(submission) is None


def test_the_level_by_task_shows_right_or_wrong_without_the_reason(at_level):
    submission = at_level(Feedback.BY_TASK)
    lines = visibility.visible_tasks(submission)
    assert [line.task_id for line in lines] == submission.board.active_revision.task_ids
    assert sum(line.correct for line in lines) == 47
    assert {line.remark for line in lines} == {""}


def test_the_level_by_task_shows_remarks_that_the_file_alone_explains(demo, user, noisy_file):
    demo.feedback = Feedback.BY_TASK
    demo.save()
    lines = visibility.visible_tasks(make_scored(user, demo, noisy_file))
    assert "not in the file" in {line.remark for line in lines}
    assert {line.remark for line in lines} <= {"", "not in the file", "no answer"}


def test_a_board_that_hides_types_cannot_be_sorted_by_them(at_level):
    board = at_level(Feedback.BY_TYPE).board
    assert set(sort_keys(board)) >= BY_TYPE_ONLY
    board = at_level(Feedback.OVERALL).board
    assert not BY_TYPE_ONLY & set(sort_keys(board))
    # The order of the rows would tell the figure.
    query = read_query({"sort": "-query_success_rate"}, board)
    assert query.sort == Query(board_at=BoardAt(board)).sort
    assert [unknown.name for unknown in query.unknown] == ["sort"]


def test_means_of_a_group_need_twenty_tasks_with_a_figure_where_references_are_hidden(
    fhir_demo, user, good_answers
):
    evaluation = make_scored(user, fhir_demo, good_answers).evaluation
    # Stored with their number of tasks: 20 questions have one resource, of which fewer have a precision.
    [(recall, tasks), (_, fewer)] = [
        evaluation.group_metrics["true_resources"]["1"][key] for key in ("recall", "precision")
    ]
    assert (recall, tasks) == (0.9, 20)
    assert fewer < 20
    fhir_demo.is_demo = False
    stored = evaluation.group_metrics
    means = visibility.visible_group_metrics(fhir_demo, stored)["true_resources"]["1"]
    assert means["recall"] == visibility.GroupMean(value=0.9)
    assert means["precision"] == means["f1"] == visibility.GroupMean(value=None, is_withheld=True)
    fhir_demo.is_demo = True
    means = visibility.visible_group_metrics(fhir_demo, stored)["true_resources"]["1"]
    assert not means["precision"].is_withheld
    assert means["precision"].value is not None


def test_a_mean_without_its_number_of_tasks_is_shown_only_if_it_was_printed(fhir_demo):
    fhir_demo.is_demo = False
    stored = {"resource_type": {"location": {"precision": 0.5}}}
    for is_printed in (True, False):
        visible = visibility.visible_group_metrics(fhir_demo, stored, is_printed=is_printed)
        means = visible["resource_type"]["location"]
        assert means["precision"].is_withheld is not is_printed
        assert means["recall"] == visibility.GroupMean(value=None)
