"""The scores that tests of a board take."""

import pytest

from leaderboard.services.statistics.entrants import scores_of
from tests.support.factories import make_published, with_wrong

pytestmark = pytest.mark.both_databases


def test_scores_of_a_single_run_are_1_where_it_is_right_and_0_elsewhere(demo, user, good_file):
    files = {"A": good_file, "B": with_wrong(good_file, 5)}
    runs = [make_published(user, demo, raw, system=name) for name, raw in files.items()]
    scores, upper, _ = scores_of(demo.benchmark, [run.evaluation_id for run in runs], 50)
    assert upper is scores
    assert scores.sum(axis=1).tolist() == [47.0, 42.0]
    assert scores[:, :5].tolist() == [[1.0] * 5, [0.0] * 5]
