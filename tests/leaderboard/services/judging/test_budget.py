"""The ledger in the database: stored verdicts, and budgets that several workers share."""

import threading
from datetime import UTC, date, datetime, timedelta
from itertools import count

import pytest
from django.db import connections
from django.utils import timezone

from leaderboard.models import (
    Access,
    ApprovalStatus,
    Board,
    JudgedAnswer,
    JudgeDay,
    Submission,
    Team,
    TeamApproval,
    Work,
)
from leaderboard.services.judging.budget import DatabaseLedger, spending_since_evaluation
from leaderboard.services.judging.judge import gives_up, main_reason, resume_in
from wardboard.scoring.judging import Call

pytestmark = pytest.mark.both_databases

JUDGE = "llm a-model"


def call(number, *, correct=True, cost=0.5):
    return Call(key=number.to_bytes(32), correct=correct, prompt_tokens=100, completion_tokens=10, cost=cost)


def ledger_of(submission):
    ledger = DatabaseLedger(submission=submission)
    ledger.judge = JUDGE
    return ledger


@pytest.fixture
def ledger(queued):
    return ledger_of(queued)


@pytest.fixture
def budget(settings):
    """Set a limit: budget(day_calls=3)."""

    def limit(**limits):
        settings.JUDGE_BUDGET = {**dict.fromkeys(settings.JUDGE_BUDGET), **limits}

    limit()
    return limit


def count_allowed_calls(ledger, at_most=50):
    return next((n for n in range(at_most) if not ledger.may_call()), at_most)


def test_a_verdict_is_kept_for_every_later_submission_of_the_team_and_the_first_counts(ledger, queued):
    ledger.record([call(1), call(2, correct=False), call(3, correct=None)])
    ledger_of(queued).record([call(1, correct=False)])
    keys = [n.to_bytes(32) for n in range(5)]
    assert ledger_of(queued).stored_verdicts(keys) == {keys[1]: True, keys[2]: False}
    assert set(JudgedAnswer.objects.values_list("judge", "team")) == {(JUDGE, queued.team_id)}
    queued.refresh_from_db()
    assert queued.work.judge_calls == 4, "all were paid for"


def test_what_calls_took_is_counted_for_the_submission_and_for_the_day(ledger, queued):
    ledger.record([call(1), call(2)])
    ledger.record([call(3, correct=None, cost=0.25)])
    queued.refresh_from_db()
    day = JudgeDay.objects.get(day=timezone.now().astimezone(UTC).date())
    for row, prefix in ((queued.work, "judge_"), (day, "")):
        spent = [getattr(row, prefix + n) for n in ("calls", "prompt_tokens", "completion_tokens", "cost")]
        assert spent == [3, 300, 30, 1.25]
    assert spending_since_evaluation(queued.pk)["calls"] == 3


def test_a_new_verdict_counts_as_progress_and_an_unusable_reply_does_not(ledger, queued):
    rows = Work.objects.filter(pk=queued.pk)
    for reply, left in ((call(1, correct=None), (2, 3)), (call(2), (0, 0))):
        rows.update(attempts=2, resumed=3)
        ledger.record([reply])
        assert rows.values_list("attempts", "resumed").get() == left


def test_the_budget_of_a_day_is_never_exceeded(queued, budget):
    budget(day_calls=3)
    ledger = ledger_of(queued)
    assert count_allowed_calls(ledger) == 3
    # Calls count whether they are answered or in progress.
    ledger.record([call(1), call(2)])
    assert not ledger.may_call()
    assert count_allowed_calls(ledger_of(queued)) == 1
    JudgeDay.objects.all().delete()
    budget(day_cost=2.0)
    ledger = ledger_of(queued)
    assert ledger.may_call()
    ledger.record([call(1, cost=0.5)])
    assert count_allowed_calls(ledger) == 3
    ledger.record([call(n, cost=0.5) for n in (2, 3, 4)])
    assert not ledger.may_call()


def test_spending_of_yesterday_and_of_another_leaderboard_does_not_count(ledger, queued, demo, budget):
    budget(day_calls=1)
    JudgeDay.objects.create(day=date(2026, 1, 1), board=queued.board, calls=1000)
    JudgeDay.objects.create(day=timezone.now().astimezone(UTC).date(), board=demo, calls=1000)
    assert ledger.may_call()
    assert not ledger_of(None).may_call(), "nobody would count a call without a submission"


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_lose_no_verdict_and_no_count(queued, budget):
    def work(first):
        ledger = ledger_of(queued)
        for number in range(first, first + 40, 2):
            ledger.record([call(number), call(number + 1)])
        connections.close_all()

    workers = [threading.Thread(target=work, args=[first]) for first in (0, 20)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    queued.refresh_from_db()
    assert queued.work.judge_calls == JudgeDay.objects.get().calls == 80
    assert JudgedAnswer.objects.count() == 60


def test_the_reason_to_fix_first_is_reported_and_only_unusable_replies_end_the_judging():
    assert main_reason({"reply-unusable": 9, "provider-down": 1}) == "provider-down"
    assert main_reason({"budget-spent": 1, "provider-refused": 1}) == "provider-refused"
    assert main_reason({"something-new": 1}) == "something-new"
    assert [gives_up("reply-unusable", resumed) for resumed in (9, 10)] == [False, True]
    assert not any(gives_up(why, 500) for why in ("provider-down", "provider-refused", "budget-spent"))


def test_the_wait_doubles_up_to_a_limit_and_a_spent_budget_waits_for_the_next_day(monkeypatch):
    waits = [resume_in("provider-down", resumed) for resumed in range(9)]
    assert waits[:4] == [timedelta(minutes=n) for n in (1, 2, 4, 5)]
    assert waits[-1] == timedelta(minutes=5)
    assert resume_in("reply-unusable", 9) == timedelta(hours=1)
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 3, 31, 22, 1, tzinfo=UTC))
    assert resume_in("budget-spent", 5) == timedelta(hours=2)


def of_another_team(submission):
    """Return a queued submission as one of another team, which nobody approved."""
    team = Team.objects.create(name=f"Team {Team.objects.count()}")
    Submission.objects.filter(pk=submission.pk).update(team=team)
    return Submission.objects.get(pk=submission.pk)


def spend_all(submission, numbers):
    """Make calls for a submission until the budget allows no more; return how many."""
    ledger, made = ledger_of(submission), 0
    while ledger.may_call():
        ledger.record([call(next(numbers))])
        made += 1
    return made


@pytest.mark.parametrize("limits", [{"day_calls": 80}, {"day_cost": 40.0}])
def test_teams_without_approval_share_a_quarter_of_a_day_until_they_are_approved(queued, budget, limits):
    Board.objects.update(access=Access.APPROVED)
    budget(**limits)
    numbers = count(1)
    assert [spend_all(of_another_team(queued), numbers) for _ in range(2)] == [20, 0]
    submission = of_another_team(queued)
    approved = {"status": ApprovalStatus.APPROVED, "decided_at": timezone.now()}
    TeamApproval.objects.create(board=submission.board, team=submission.team, **approved)
    assert spend_all(submission, numbers) == 60


def test_calls_in_flight_count_towards_the_share_of_teams_without_approval(queued, budget):
    budget(day_calls=80)
    for access, allowed in ((Access.APPROVED, 20), (Access.ANYONE, 80)):
        Board.objects.update(access=access)
        assert count_allowed_calls(ledger_of(of_another_team(queued)), at_most=90) == allowed
