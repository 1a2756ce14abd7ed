"""A verdict serves the team that paid for it, and all once it is published; without a limit, none is paid."""

import json
import os

import pytest

from leaderboard.models import JudgeMode, PublicVerdict, Status, Submission
from leaderboard.services.publishing import publish
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.submissions import rescore, sweep
from tests.support import processes
from tests.support.factories import fhir_references, make_fhir_demo, make_scored, make_user, send
from tests.support.llm_server import LlmReply, LlmServer

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def board():
    return make_fhir_demo(judge_mode=JudgeMode.LLM)


@pytest.fixture
def ask(settings):
    """Let boards ask a server: ask(server)."""

    def use(server):
        settings.JUDGE = {**settings.JUDGE, "base_url": server.url, "model": "stub", "name": "stub"}

    return use


def reply(correct):
    return LlmReply(text=f'{{"correct": {int(correct)}}}')


def publish_it(submission):
    publish.publish(submission_id=submission.pk, team=submission.team, by=submission.submitted_by)


def test_another_teams_answers_cost_as_many_calls_until_they_are_public(
    user, other_user, board, good_answers, ask
):
    # The server knows keys of repeated calls: two teams must not have the same keys either.
    with LlmServer() as server:
        ask(server)
        first = make_scored(user, board, good_answers)
        paid = server.stats()["calls"]
        make_scored(other_user, board, good_answers)
        stats = server.stats()
        assert (stats["calls"] - paid, stats["replayed"]) == (paid, 0)
        # The team itself pays for nothing twice.
        make_scored(user, board, good_answers + b"\n")
        assert server.stats()["calls"] == 2 * paid
        publish_it(first)
        third = make_scored(make_user("third@example.org"), board, good_answers)
        assert server.stats()["calls"] == 2 * paid
        assert third.evaluation.right == first.evaluation.right
        assert third.work.judge_calls == 0


def test_only_the_answers_of_the_published_file_become_public(user, other_user, board, good_answers, ask):
    records = json.loads(good_answers)
    for record in records[:5]:
        record["agent_answer"] = "Nobody knows."
    changed = json.dumps(records).encode()
    with LlmServer() as server:
        ask(server)
        publish_it(make_scored(user, board, good_answers))
        private = make_scored(user, board, changed)
        assert private.work.judge_calls > 0
        assert make_scored(other_user, board, changed).work.judge_calls == private.work.judge_calls


def test_the_public_verdict_serves_later_files_and_earlier_ones_keep_theirs(
    user, other_user, board, good_answers, ask
):
    with LlmServer(reply(True)) as server:
        ask(server)
        accepted = make_scored(user, board, good_answers)
    with LlmServer(reply(False)) as server:
        ask(server)
        rejected = make_scored(other_user, board, good_answers)
        assert rejected.evaluation.right < accepted.evaluation.right
        publish_it(accepted)
        publish_it(rejected)
        assert PublicVerdict.objects.filter(correct=True).exists()
        later = make_scored(other_user, board, good_answers + b"\n")
        assert later.evaluation.right == accepted.evaluation.right
        # A new revision with the same questions: everything is judged again, by what each had.
        references = dict(fhir_references())
        task, reference = references.popitem()
        import_references(board=board, references={task: reference, **references}, origin="in another order")
        board.refresh_from_db()
        assert rescore.rescore(board=board).changed == 3
        assert server.stats()["calls"] == rejected.work.judge_calls
    for submission in (accepted, rejected, later):
        was = submission.evaluation.right
        submission.refresh_from_db()
        assert submission.evaluation.right == was


@pytest.fixture
def server(settings):
    """Return a server that the settings name, without a budget for a day."""
    settings.JUDGE_HAS_DAY_BUDGET = False
    with LlmServer() as server:
        settings.JUDGE = {**settings.JUDGE, "base_url": server.url, "name": "stub"}
        yield server


@pytest.mark.parametrize("mode", [JudgeMode.LLM, JudgeMode.HYBRID])
def test_a_file_waits_without_a_call_until_a_budget_is_set(user, good_answers, settings, server, mode):
    submission = send(user, make_fhir_demo(judge_mode=mode), good_answers).submission
    assert (submission.status, submission.waits_for) == (Status.INCOMPLETE, "judge-without-day-budget")
    assert server.stats()["calls"] == 0
    settings.JUDGE_HAS_DAY_BUDGET = True
    Submission.objects.update(resume_at=submission.received_at)
    assert sweep.sweep() == 1
    submission.refresh_from_db()
    assert submission.status == Status.SCORED


def test_rescoring_makes_no_call_either(user, good_answers, server):
    board = make_fhir_demo()
    send(user, board, good_answers)
    board.judge_mode = JudgeMode.LLM
    board.save()
    (why,) = rescore.rescore(board=board).skipped.values()
    assert "JUDGE_DAY_CALLS" in why
    assert server.stats()["calls"] == 0


@pytest.mark.parametrize(
    ("variables", "budget"),
    [
        ({}, "False None None"),
        ({"JUDGE_DAY_COST": "none"}, "True None None"),
        ({"JUDGE_DAY_CALLS": "None"}, "True None None"),
        ({"JUDGE_DAY_CALLS": "500"}, "True 500.0 None"),
    ],
)
def test_the_word_none_states_that_there_is_no_limit(variables, budget):
    program = (
        "from leaderboard.settings import JUDGE_BUDGET, JUDGE_HAS_DAY_BUDGET as has;"
        "print(has, JUDGE_BUDGET['day_calls'], JUDGE_BUDGET['day_cost'])"
    )
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("JUDGE_")}
    done = processes.run("-c", program, env={**inherited, **variables}, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, budget), done.stderr
