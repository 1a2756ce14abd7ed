"""Simultaneous requests, each with its own connection; and SIGKILL in a real process, which a sweep mends."""

import json
import signal
import subprocess
import threading

import pytest
from django.db import connection, connections, transaction

from leaderboard.models import (
    AuditEvent,
    BoardEvent,
    BoardState,
    Evaluation,
    PastStanding,
    Standing,
    Status,
    Submission,
    System,
    Team,
)
from leaderboard.services.accounts import personal_team
from leaderboard.services.errors import QuotaSpent
from leaderboard.services.publishing.disqualify import disqualify
from leaderboard.services.publishing.publish import publish, withdraw
from leaderboard.services.publishing.standings import update_standings
from leaderboard.services.submissions import admit, sweep
from leaderboard.services.submissions.decide import Decision
from tests.support import processes
from tests.support.factories import (
    make_demo,
    make_published,
    make_scored,
    make_user,
    send,
    with_answers,
    with_wrong,
)
from tests.support.leases import LASTS, pass_intervals, sweep_later
from tests.support.processes import environment, run_at_once
from wardboard.scoring.medagentbench.demo import GOOD

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


# PostgreSQL has a hundred connections by default, and other tests need some: there each thread sends several.
_AT_ONCE = 100 if connection.vendor == "sqlite" else 40


def _send(user, board, raw):
    try:
        return send(user, board, raw)
    except QuotaSpent as error:
        return error


def test_two_files_at_once_do_not_make_the_system_twice(demo, user, good_file):
    run_at_once(*[lambda wrong=wrong: send(user, demo, with_wrong(good_file, wrong)) for wrong in (1, 2, 3)])
    assert System.objects.count() == 1
    assert Submission.objects.filter(status=Status.SCORED).count() == 3


def test_of_a_hundred_files_at_once_exactly_as_many_are_scored_as_the_quota_allows(demo, user, good_file):
    demo.daily_limit = quota = 23
    demo.save()
    personal_team(user)
    # Each wrong answer is another text, so that no two files are the same.
    files = [with_answers(good_file, task1_1=f'["{number}"]') for number in range(100)]
    results = run_at_once(
        *[
            lambda some=files[start::_AT_ONCE]: [_send(user, demo, raw) for raw in some]
            for start in range(_AT_ONCE)
        ]
    )
    results = [result for some in results for result in some]
    accepted = [result for result in results if isinstance(result, Decision)]
    refused = [result for result in results if isinstance(result, QuotaSpent)]
    assert (len(accepted), len(refused)) == (quota, 100 - quota)
    assert {error.code for error in refused} == {"quota-spent"}
    assert all(result.created for result in accepted)
    # What is stored is what was answered, each once.
    assert {each.pk for each in Submission.objects.all()} == {each.submission.pk for each in accepted}
    assert Submission.objects.filter(status=Status.SCORED).count() == quota
    assert Evaluation.objects.count() == quota
    assert AuditEvent.objects.filter(action=AuditEvent.Action.SUBMITTED).count() == quota
    assert AuditEvent.objects.filter(action=AuditEvent.Action.SCORED).count() == quota
    assert len(set(Submission.objects.values_list("sha256", flat=True))) == quota


def test_a_first_request_twice_at_once_makes_one_team(user):
    teams = run_at_once(*[lambda: personal_team(user)] * 4)
    assert len({team.pk for team in teams}) == 1


def test_concurrent_sweeps_score_a_submission_once(demo, user, good_file, monkeypatch):
    with monkeypatch.context() as killed:
        killed.setattr(admit, "admit", lambda **_: None)
        send(user, demo, good_file)
    pass_intervals(LASTS)
    run_at_once(*[sweep.sweep] * 3)
    assert Submission.objects.get().status == Status.SCORED
    assert Evaluation.objects.count() == 1
    assert AuditEvent.objects.filter(action=AuditEvent.Action.SCORED).count() == 1


def test_concurrent_publishing_and_withdrawing_leave_a_consistent_board(demo, user, good_file):
    team = personal_team(user)
    first = make_published(user, demo, with_wrong(good_file, 1))
    second = make_scored(user, demo, with_wrong(good_file, 2))
    run_at_once(
        lambda: withdraw(submission_id=first.pk, team=team, by=user),
        lambda: publish(submission_id=second.pk, team=team, by=user),
    )
    assert Standing.objects.get().evaluation == second.evaluation


def test_concurrent_publications_get_event_numbers_without_a_gap(demo, good_file):
    owners = [make_user(f"owner{number}@example.org") for number in range(4)]
    results = [make_scored(owner, demo, with_wrong(good_file, n)) for n, owner in enumerate(owners)]
    committed = []

    def publish_one(submission):
        with transaction.atomic():
            publish(submission_id=submission.pk, team=submission.team, by=submission.submitted_by)
            # The lock on the number is held until the end of the transaction.
            event = BoardEvent.objects.get(submission=submission)
            last = BoardEvent.objects.order_by("-number").first()
        committed.append((event.number, event.at, last == event))

    run_at_once(*[lambda result=result: publish_one(result) for result in results])
    assert [number for number, _, _ in sorted(committed)] == [2, 3, 4, 5]
    # While it held the lock, no later event existed.
    assert all(is_last for _, _, is_last in committed)
    times = [at for _, at, _ in sorted(committed)]
    assert times == sorted(times)
    state = BoardState.objects.get(board=demo)
    assert (state.number, state.rows_number) == (5, 5)
    assert PastStanding.objects.count() == Standing.objects.count() == 4


def test_publishing_and_renaming_the_team_at_once_lock_in_one_order(demo, user, good_file):
    other = make_demo("other-demo")
    team = personal_team(user)
    results = [
        make_scored(user, board, with_wrong(good_file, wrong), system=system)
        for board in (demo, other)
        for wrong, system in enumerate(("A", "B", "C"))
    ]

    def rename(name):
        with transaction.atomic():
            Team.objects.filter(pk=team.pk).update(name=name)
            update_standings(team=team.pk)

    run_at_once(
        *[lambda result=result: publish(submission_id=result.pk, team=team, by=user) for result in results],
        lambda: rename("First"),
        lambda: rename("Second"),
    )
    rename("Last")
    assert {row.team_name for row in Standing.objects.all()} == {"Last"}
    assert Standing.objects.count() == 6
    for board in (demo, other):
        numbers = BoardEvent.objects.filter(board=board).values_list("number", flat=True)
        assert sorted(numbers) == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("use_case", [disqualify, withdraw])
def test_a_result_that_is_taken_back_while_it_is_published_is_not_on_the_board(
    demo, user, good_file, use_case
):
    team = personal_team(user)
    result = make_scored(user, demo, good_file)
    options = {"reason": "a leak"} if use_case is disqualify else {"team": team}

    def take_back():
        try:
            use_case(submission_id=result.pk, by=user, **options)
        finally:
            connections.close_all()

    other = threading.Thread(target=take_back)
    with transaction.atomic():
        publish(submission_id=result.pk, team=team, by=user)
        assert Standing.objects.exists()
        other.start()
        # It waits for the lock; without the lock it would have finished by now, and seen nothing published.
        other.join(timeout=0.5)
    other.join()
    assert not Standing.objects.exists()


@pytest.fixture(scope="module")
def submitter(django_db_setup, django_db_blocker):
    """Start a process that forks one for each submission: loading the service takes the longest."""
    with django_db_blocker.unblock():
        env = environment()
    with processes.start(
        "-m",
        "tests.support.programs.killed_submission",
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.fixture
def submit_and_die(submitter, user, demo):
    """Return a function by which a process submits the file of `user` until it kills itself at a place."""
    # Created beforehand, because only the submission is tested.
    personal_team(user)

    def run(place):
        submitter.stdin.write(json.dumps([place, str(GOOD), str(user.pk), demo.slug]) + "\n")
        submitter.stdin.flush()
        assert submitter.stdout.readline() == f"{-signal.SIGKILL}\n"

    return run


@pytest.mark.parametrize(
    ("place", "left"),
    [
        ("received", Status.RECEIVED),
        ("queueing", Status.RECEIVED),
        ("queued", Status.QUEUED),
        ("claimed", Status.SCORING),
        ("scoring", Status.SCORING),
        ("finishing", Status.SCORING),
    ],
)
def test_a_process_killed_anywhere_leaves_a_row_that_the_sweep_scores_once(submit_and_die, place, left):
    submit_and_die(place)
    submission = Submission.objects.get()
    assert submission.status == left
    assert not Evaluation.objects.exists()
    assert sweep_later() == 1
    submission.refresh_from_db()
    assert submission.status == Status.SCORED
    assert submission.evaluation == Evaluation.objects.get()
    assert (
        AuditEvent.objects.filter(submission=submission).filter(action=AuditEvent.Action.SCORED).count() == 1
    )


@pytest.mark.parametrize("place", ["checking", "storing"])
def test_a_process_killed_before_the_upload_is_accepted_leaves_nothing(submit_and_die, place):
    submit_and_die(place)
    assert not Submission.objects.exists()
    assert not AuditEvent.objects.filter(action=AuditEvent.Action.SUBMITTED).exists()
