import json

import pytest

from leaderboard.models import Feedback
from leaderboard.services import visibility
from tests.support.factories import make_published, make_scored

pytestmark = pytest.mark.both_databases


def test_the_level_by_type_shows_breakdowns_and_no_task(demo, user, good_file):
    demo.feedback = Feedback.BY_TYPE
    demo.save()
    submission = make_published(user, demo, good_file)
    result = visibility.visible_result(submission)
    assert set(result.breakdowns) == {"task_type", "kind", "difficulty"}
    assert sum(rate.right for rate in result.breakdowns["task_type"].values()) == 47
    assert result.metrics.keys() >= {"query_success_rate", "action_success_rate"}
    assert "task1_1" not in json.dumps([result.breakdowns, result.group_metrics], default=repr)
    assert visibility.visible_tasks(submission) is None


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
