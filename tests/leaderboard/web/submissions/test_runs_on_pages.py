"""Results of several runs, on the pages of submission, system and leaderboard, and in exports."""

import pytest

from leaderboard.models import Access, Feedback
from leaderboard.services.publishing.publish import publish
from tests.support.factories import make_hidden, send_runs, with_wrong
from tests.support.pages.visible_text import text_of


def put_runs(user, board, files, **facts):
    """Publish `files` as the runs of one submission."""
    submission = send_runs(user, board, files, **facts).submission
    return publish(submission_id=submission.pk, team=submission.team, by=user)


@pytest.fixture
def three_runs(good_file):
    """Return three files of which 47, 45 and 42 of 50 answers are right."""
    return [with_wrong(good_file, wrong) for wrong in (0, 2, 5)]


def test_with_hidden_references_no_run_shows_a_score_and_no_file_its_name(visitor, user, three_runs):
    board = make_hidden("secret", rounding=1, access=Access.ANYONE, feedback=Feedback.BY_TYPE)
    submission = put_runs(user, board, three_runs)
    assert " about 80% about 100% " in text_of(visitor.get("/benchmarks/secret/views/by-task-type/"))
    for address in (f"/submissions/{submission.pk}/", f"/systems/{submission.system_id}/"):
        text = text_of(visitor.get(address))
        assert "These are rounded, means by group are rounded to whole tasks, and single runs show no" in text
        assert "Run-to-run standard deviation about 6 points" in text
        assert "Correct in each of 3 randomly chosen runs (pass^3) about 84% (50 tasks)" in text
        assert "(pass^2)" not in text
        assert "47 of 50" not in text
        assert "a.json" not in text


def test_several_runs_count_tasks_and_a_spread_below_half_a_step_is_not_nothing(
    visitor, user, three_runs, demo
):
    open_runs = put_runs(user, demo, three_runs)
    secret = make_hidden("secret", rounding=1, access=Access.ANYONE)
    alike = put_runs(user, secret, three_runs[:1] * 2, system="Alike")
    texts = [text_of(visitor.get(f"/systems/{each.system_id}/")) for each in (open_runs, alike)]
    assert "(pass^3) 84.0% (95% CI 71.5% to 91.7%, 50 tasks)" in texts[0]
    assert "44.7 of 50" in texts[0]
    assert "standard deviation below 3 points" in texts[1]
