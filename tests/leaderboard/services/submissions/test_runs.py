"""Submissions of several runs: stored as one file, scored as one result, counted as one file."""

import gzip
import hashlib
import json

import pytest

from leaderboard.models import Evaluation, Feedback, Standing, Status, Submission
from leaderboard.services import visibility
from leaderboard.services.errors import QuotaSpent, RequestInvalid
from leaderboard.services.files import orphans, store
from leaderboard.services.files.arrivals import parts
from leaderboard.services.publishing.publish import publish
from leaderboard.services.statistics.entrants import scores_of
from leaderboard.services.submissions import rescore
from tests.support.factories import (
    join_runs,
    make_hidden,
    send,
    send_runs,
    with_answers,
    with_wrong,
)
from wardboard.scoring import registry
from wardboard.scoring.reading.problems import SubmissionInvalid

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]

# Wrong answers of each run beside the three of the good file, to its first tasks, which it has right.
WRONG = (0, 2, 5, 0, 1)


@pytest.fixture
def five_runs(good_file):
    """Return five files of which 47, 45, 42, 47 and 46 of 50 answers are right."""
    files = [with_wrong(good_file, wrong) for wrong in WRONG]
    # The fourth would have the same answers as the first: another wrong one to a task that is wrong anyway.
    files[3] = with_answers(files[3], task6_1='["wrong in another way"]')
    return files


def test_five_runs_have_the_figures_worked_out_by_hand(demo, user, five_runs):
    submission = send_runs(user, demo, five_runs).submission
    assert (submission.status, submission.runs) == (Status.SCORED, 5)
    evaluation = submission.evaluation
    assert (evaluation.runs, evaluation.right, evaluation.total) == (5, 227, 250)
    assert evaluation.metrics["success_rate"] == pytest.approx(0.908)
    assert [run["right"] for run in evaluation.per_run] == [47, 45, 42, 47, 46]
    # Of 50: squared differences from 45.4 are 2.56, .16, 11.56, 2.56, .36, in all 17.2, over four.
    assert evaluation.spread["deviation"] == pytest.approx(4.3**0.5 / 50)
    # 42 tasks are right in all runs; of the other five, one in two, one in three and three in four of them.
    assert evaluation.spread["passes"][-1] == pytest.approx(42 / 50)
    assert evaluation.spread["passes"][1] == pytest.approx((42 * 10 + 1 + 3 + 3 * 6) / (10 * 50))
    assert evaluation.spread["flips"] == pytest.approx(5 / 50)
    assert sum(right for right, _ in evaluation.breakdowns["task_type"].values()) == 227
    assert len(bytes(evaluation.verdicts)) == 250
    # Statistics read the means over the runs.
    (scores,) = scores_of("medagentbench", [evaluation.pk], 50).lower
    ids = evaluation.revision.task_ids
    first = [ids.index(result["task_id"]) for result in json.loads(five_runs[0])["results"][:5]]
    assert [round(float(scores[place]), 6) for place in first] == [0.4, 0.6, 0.8, 0.8, 0.8]
    assert scores.mean() == pytest.approx(0.908)
    # Where nothing is hidden, each run has its figures.
    shown = visibility.visible_result(submission)
    assert [round(value, 3) for value in shown.spread.passes] == [0.908, 0.884, 0.866, 0.852, 0.84]
    assert [run.right for run in shown.per_run] == [47, 45, 42, 47, 46]
    publish(submission_id=submission.pk, team=submission.team, by=user)
    row = Standing.objects.get(system=submission.system)
    assert row.score == pytest.approx(0.908)
    # Of 45.4 of 50 tasks, and not of 227 of 250.
    assert (row.low, row.high) == (pytest.approx(0.7964, abs=1e-4), pytest.approx(0.9614, abs=1e-4))


def test_the_files_are_kept_as_one_file_of_the_store_and_come_out_as_they_went_in(demo, user, five_runs):
    submission = send_runs(user, demo, five_runs).submission
    assert [file["name"] for file in submission.run_files] == [f"run-{n}.json" for n in range(1, 6)]
    with store.open_original(submission.stored_as) as source, parts(source, 5) as files:
        assert [file.read() for file in files] == five_runs
    assert submission.kept_bytes == store.kept_bytes(submission.stored_as, with_original=True)
    digests = [hashlib.sha256(file).hexdigest() for file in five_runs]
    whole = hashlib.sha256("".join(f"{digest}\n" for digest in sorted(digests)).encode()).hexdigest()
    assert submission.sha256 == whole
    orphans.clear()
    assert store.can_be_scored(submission.stored_as)


def test_the_same_runs_in_any_order_are_the_same_submission(demo, user, five_runs):
    first = send_runs(user, demo, five_runs)
    for files in (five_runs, five_runs[::-1]):
        again = send_runs(user, demo, files)
        assert (again.created, again.submission) == (False, first.submission)
    other = send_runs(user, demo, five_runs, runs="6")
    assert other.created, "another number of runs was declared"
    assert store.hold_same_records(first.submission.stored_as, other.submission.stored_as)


def test_the_same_answers_however_they_are_written_are_warned_of(demo, user, good_file):
    runs_sent = [good_file, with_wrong(good_file, 2), gzip.compress(good_file)]
    submission = send_runs(user, demo, runs_sent).submission
    assert (submission.status, submission.runs) == (Status.SCORED, 3)
    (warning,) = submission.warnings
    assert (warning["code"], warning["run"], warning["file"]) == ("runs.identical", 3, "run-3.json")
    assert [file.get("same_as") for file in submission.run_files] == [None, None, 1]
    assert (submission.same_files, submission.repeated_runs) == (2, 1)


def test_the_runs_of_a_system_stated_as_deterministic_may_be_the_same(demo, user, good_file, settings):
    at_once = send_runs(user, demo, [good_file] * 3, deterministic="yes").submission
    settings.CHECK_AT_ONCE_BYTES = 10
    later = send_runs(user, demo, [good_file] * 2, deterministic=True).submission
    for submission in (at_once, later):
        assert (submission.status, submission.deterministic) == (Status.SCORED, True)
        assert (submission.warnings, submission.repeated_runs) == ([], submission.runs - 1)
        assert submission.same_files == submission.runs
    files = [good_file, with_answers(good_file, task6_1='["another wrong one"]')]
    apart = send_runs(user, demo, files, deterministic="yes").submission
    assert [run["right"] for run in apart.evaluation.per_run] == [47, 47]
    assert (apart.same_files, apart.repeated_runs) == (0, 0), "the same score by other answers"


def test_what_a_duplicate_does_not_follow_is_named(demo, user, five_runs):
    send_runs(user, demo, five_runs, retries="Run 1 was cut off.")
    again = send_runs(user, demo, five_runs[::-1], retries="Run 1 was cut off.")
    assert (again.created, list(again.not_applied)) == (False, [])
    stated = {"system": "Another", "retries": "None.", "deterministic": "no"}
    other = send_runs(user, demo, five_runs, designate=True, **stated)
    assert list(other.not_applied) == [
        *("system", "designate", "publish", "facts", "retries", "deterministic")
    ]
    other.submission.refresh_from_db()
    assert not other.submission.designated


def test_a_declared_run_without_a_file_is_wrong_on_every_task(demo, user, five_runs, good_file):
    retries = "  Run 2 was restarted:\n disk full. "
    submission = send_runs(user, demo, five_runs[:2], runs="3", retries=retries).submission
    evaluation = submission.evaluation
    assert (evaluation.runs, evaluation.right, evaluation.total) == (3, 92, 150)
    assert evaluation.spread["passes"][-1] == 0
    assert submission.retries == "Run 2 was restarted: disk full."
    alone = send(user, demo, good_file, runs="2").submission.evaluation
    assert (alone.runs, alone.right) == (2, 47)
    assert send(user, demo, good_file).created, "the file alone is another submission"


def test_a_number_of_runs_that_cannot_be_is_refused_with_every_other_problem(demo, user, five_runs):
    for stated in ("0", "11", "two", "1.5", "-1", "1", "9" * 5000):
        with pytest.raises(RequestInvalid) as caught:
            send_runs(user, demo, five_runs[:2], runs=stated, system="", retries="x" * 1001)
        assert {problem.pointer for problem in caught.value.facts} == {"/system", "/runs", "/retries"}
    with pytest.raises(SubmissionInvalid) as refused:
        join_runs(*[five_runs[0]] * 11)
    assert [problem.code for problem in refused.value.problems.listed] == ["runs.too-many"]
    assert not Submission.objects.exists()


def test_rescoring_gives_the_same_figures(demo, user, five_runs, monkeypatch):
    submission = send_runs(user, demo, five_runs).submission
    monkeypatch.setattr(registry.get("medagentbench"), "scorer_version", "9.9.9")
    assert rescore.rescore(board=demo).changed == 1
    old, new = Evaluation.objects.order_by("pk")
    submission.refresh_from_db()
    assert submission.evaluation == new
    assert (old.right, old.spread, old.per_run) == (new.right, new.spread, new.per_run)
    assert bytes(old.verdicts) == bytes(new.verdicts)


class TestWhatRunsTell:
    """On a board with hidden references several runs tell hardly more than one file."""

    @pytest.fixture
    def hidden(self):
        return make_hidden(rounding=1, monthly_limit=10)

    def test_before_publication_there_is_the_rounded_mean_alone_and_after_it_a_rounded_spread(
        self, hidden, user, five_runs
    ):
        submission = send_runs(user, hidden, five_runs).submission
        result = visibility.visible_result(submission)
        # Three tasks of 50 are 6 points, however many runs there are.
        assert (result.overall.rate, result.overall.rounded_to) == (0.9, 0.06)
        assert (result.spread, result.per_run) == (None, ())
        submission.published_at = submission.received_at
        result = visibility.visible_result(submission)
        assert result.overall.rate == pytest.approx(0.908)
        assert (result.spread.rounded_to, result.spread.deviation) == (0.06, 0.06)
        assert result.spread.flips == 0.12
        # Of pass^k only the first, which is the score, and the last, to 6 points.
        assert result.spread.passes == [0.908, None, None, None, 0.84]
        assert result.per_run == ()

    def test_they_count_as_one_file_of_the_month_and_for_the_ground_truth_each_after_the_third(
        self, user, five_runs, good_file
    ):
        board = make_hidden(monthly_limit=2)
        send_runs(user, board, five_runs)
        send(user, board, with_wrong(good_file, 9))
        with pytest.raises(QuotaSpent):
            send(user, board, with_wrong(good_file, 8))
        board = make_hidden("other", revision_limit=4)
        send_runs(user, board, five_runs)
        with pytest.raises(QuotaSpent):
            send_runs(user, board, five_runs[:4])
        send_runs(user, board, five_runs[:3])
        with pytest.raises(QuotaSpent):
            send(user, board, good_file)


def test_runs_that_weigh_verdicts_show_groups_as_whole_tasks(user, good_file):
    hidden = make_hidden(feedback=Feedback.BY_TYPE, rounding=1)
    files = [with_wrong(good_file, wrong) for wrong in (0, 1, 3)]
    evaluation = send_runs(user, hidden, files).submission.evaluation
    shown = visibility.visible_groups(hidden, evaluation.breakdowns, runs=3)
    stored = evaluation.breakdowns["task_type"]
    assert any(right % 3 for right, _ in stored.values()), "each group has the same in all runs"
    for group, rate in shown["task_type"].items():
        right, total = stored[group]
        assert (rate.right, rate.interval, rate.total) == (None, None, total // 3)
        assert abs(rate.rate - right / total) <= rate.rounded_to / 2 + 0.001
