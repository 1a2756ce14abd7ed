"""Why answers are wrong, as far as it may be shown."""

import json

import pytest

from leaderboard.models import Board, Feedback, Standing, Submission
from leaderboard.services import visibility
from leaderboard.services.judging.failures import failures_of
from leaderboard.services.publishing.publish import publish, withdraw
from tests.support.factories import make_demo, make_published, make_scored, make_user, with_wrong
from wardboard.scoring import registry
from wardboard.scoring.medagentbench.demo import PERFECT


@pytest.fixture
def board(db, monkeypatch) -> Board:
    """A board with hidden references, whose types of five tasks count as large enough."""
    monkeypatch.setattr(visibility, "FEWEST_TASKS", 5)
    return make_demo(is_demo=False, rounding=1)


def failures(submission: Submission):
    row = Standing.objects.select_related("evaluation__revision", "board").get(
        evaluation__submission=submission.pk
    )
    return failures_of(row.board, row.evaluation)


def wrong_file(wrong: int, **changes) -> bytes:
    document = json.loads(with_wrong(PERFECT.read_bytes(), wrong))
    for result in document["results"]:
        result.update(changes.get(result["task_id"], {}))
    return json.dumps(document).encode()


def as_lines(table) -> list[tuple]:
    return [(group.label, group.wrong, dict(group.counts), group.rest) for group in table.groups]


def test_failures_are_counted_by_type_in_multiples_of_five(board, user):
    table = failures(make_published(user, board, wrong_file(9)))
    assert not table.is_exact
    assert as_lines(table) == [
        ("Patient by name and birth date", 5, {"wrong answer": 5}, 0),
        ("Age", 4, {}, 4),
    ]


def test_only_the_first_result_of_a_team_shows_failures_whatever_becomes_of_it(board, user):
    first = make_published(user, board, wrong_file(9), system="A")
    second = make_published(user, board, wrong_file(10), system="B")
    others = make_published(make_user("bo@example.org"), board, wrong_file(10), system="B")
    assert failures(first).groups
    assert failures(others).groups
    assert (failures(second).is_withheld, failures(second).groups) == (True, ())
    withdraw(submission_id=first.pk, team=first.team, by=user)
    assert failures(second).is_withheld
    publish(submission_id=first.pk, team=first.team, by=user)
    assert failures(second).is_withheld
    assert failures(first).groups


def test_neither_types_of_few_tasks_nor_a_board_of_overall_figures_show_failures(board, user, monkeypatch):
    submission = make_published(user, board, wrong_file(9))
    with monkeypatch.context() as more:
        more.setattr(visibility, "FEWEST_TASKS", 6)
        assert failures(submission) is None
    Board.objects.update(feedback=Feedback.OVERALL)
    assert failures(submission) is None


def test_where_references_are_public_every_result_shows_exact_counts(db, user):
    demo = make_demo()
    make_published(user, demo, wrong_file(9), system="A")
    missing = {"task2_1": {"answer": None}, "task2_2": {"answer": "no JSON"}}
    table = failures(make_published(user, demo, wrong_file(7, **missing), system="B"))
    assert table.is_exact
    assert as_lines(table)[1] == ("Age", 2, {"answer that is not JSON": 1, "no answer": 1}, 0)


def test_a_board_of_right_answers_has_no_failures(db, user):
    assert failures(make_published(user, make_demo(), PERFECT.read_bytes())) is None


def test_the_mean_of_several_runs_is_counted(board, user):
    submission = make_published(user, board, wrong_file(9))
    evaluation = submission.evaluation
    # Two runs: the same, and one that is right everywhere.
    right = bytes([registry.get(board.benchmark).reasons.index("correct")]) * 50
    evaluation.verdicts, evaluation.runs = bytes(evaluation.verdicts) * 2 + right * 2, 4
    evaluation.breakdowns["task_type"]["task1"] = [10, 20]
    assert failures_of(board, evaluation) is None
    evaluation.verdicts = bytes(evaluation.verdicts)[:100] * 2
    evaluation.breakdowns["task_type"]["task1"] = [0, 20]
    assert as_lines(failures_of(board, evaluation))[0][1:] == (5, {"wrong answer": 5}, 0)


def test_only_wrong_and_open_answers_have_a_failure():
    for slug in registry.BENCHMARKS:
        benchmark = registry.get(slug)
        assert benchmark.failures, slug
        for reason, what in benchmark.failures.items():
            assert benchmark.is_correct(reason) in (False, None), reason
            assert what, reason


def test_pages_show_failures_of_a_published_result_and_say_why_others_are_not_shown(board, user, client):
    client.force_login(user)

    def page(address):
        return " ".join(client.get(address).content.decode().split())

    first = make_scored(user, board, wrong_file(9), system="A")
    for address in (f"/submissions/{first.pk}/", f"/systems/{first.system_id}/"):
        assert "Why answers are wrong" not in page(address)
    publish(submission_id=first.pk, team=first.team, by=user)
    shown = page(f"/systems/{first.system_id}/")
    for text in ("Why answers are wrong", "<li> at least 5: wrong answer </li>", "4 not broken down"):
        assert text in shown
    second = make_published(user, board, wrong_file(10), system="B")
    withheld = page(f"/systems/{second.system_id}/")
    assert "only for the first result that a team published" in withheld
    assert "at least 5" not in withheld
