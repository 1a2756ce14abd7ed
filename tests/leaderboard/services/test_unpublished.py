"""What leaves the service of a result that was never published, on a board with hidden references."""

import pytest
from hypothesis import strategies as st

from leaderboard.models import Evaluation, Feedback, Status, Submission, Work
from leaderboard.services import visibility
from leaderboard.services.publishing.publish import publish, withdraw
from tests.support.examples import given
from tests.support.factories import make_demo, make_scored


@pytest.fixture
def hidden(db):
    return make_demo(is_demo=False, rounding=1, feedback=Feedback.BY_TASK)


def result_of(right: int, total: int, rounding: int) -> visibility.RoundedRate:
    return visibility._rounded_rate(Evaluation(right=right, total=total, metrics={}), rounding)


@pytest.mark.parametrize(
    ("rounding", "total", "step"),
    [(1, 300, 1), (1, 299, 2), (1, 50, 6), (1, 2931, 1), (5, 2931, 5), (5, 30, 10), (50, 4, 75), (1, 1, 300)],
)
def test_a_step_is_worth_three_tasks_or_more(rounding, total, step):
    assert visibility.step_of(rounding, total) == step


@pytest.mark.parametrize(
    ("right", "total", "rounding", "rate"),
    [(47, 50, 1, 0.96), (50, 50, 1, 0.96), (0, 50, 1, 0), (2, 50, 1, 0.06), (1, 50, 1, 0),
     (212, 300, 1, 0.71), (30, 30, 50, 1), (30, 30, 22, 0.88), (2, 2, 1, 0), (1, 2, 1, 0)],
)  # fmt: skip
def test_a_rate_is_rounded_to_the_nearest_multiple_of_the_step_up_to_100(right, total, rounding, rate):
    assert result_of(right, total, rounding).rate == rate


@given(
    st.integers(1, 5000).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))),
    st.integers(1, 50),
)
def test_two_results_that_differ_in_one_task_mostly_look_the_same(counts, rounding):
    right, total = counts
    rate = result_of(right, total, rounding)
    step = visibility.step_of(rounding, total)
    assert 0 <= rate.rate <= 1
    assert round(100 * rate.rate) % step == 0
    highest = 100 // step * step
    assert abs(100 * right / total - 100 * rate.rate) <= step / 2 or round(100 * rate.rate) == highest
    same = [n for n in range(total + 1) if abs(n - right) <= 3 and result_of(n, total, rounding) == rate]
    assert len(same) > 1


def test_all_is_shown_after_publication_also_if_it_is_withdrawn(hidden, user, good_file):
    submission = make_scored(user, hidden, good_file)
    for change in (publish, withdraw):
        submission = change(submission_id=submission.pk, team=submission.team, by=user)
        result = visibility.visible_result(submission)
        assert (result.overall.right, result.overall.rounded_to) == (47, None)
        assert set(result.breakdowns) == {"task_type", "kind", "difficulty"}
        assert len(visibility.visible_tasks(submission)) == 50


def test_a_board_that_rounds_nothing_shows_all_at_once(user, good_file, db):
    submission = make_scored(user, make_demo(is_demo=False, rounding=0), good_file)
    assert visibility.visible_result(submission).overall.right == 47


def scoring(board, **progress) -> Submission:
    values = {"total": 60, "read": 60, "to_judge": 31, "judged": 12, "undecided": 1}
    submission = Submission(board=board, status=Status.SCORING)
    submission.work = Work(progress={**values, **progress})
    return submission


def test_progress_hides_how_many_answers_a_judge_decides(hidden):
    progress = visibility.visible_progress(scoring(hidden))
    assert (progress["read"], progress["judged_share"]) == (60, 0.3)
    assert progress["to_judge"] is progress["judged"] is progress["undecided"] is None
    assert visibility.visible_progress(scoring(hidden, to_judge=0, judged=0))["judged_share"] is None
    queued = Submission(board=hidden)
    queued.work = Work()
    assert visibility.visible_progress(queued) is None
