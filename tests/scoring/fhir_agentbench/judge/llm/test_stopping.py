"""Budgets, stopping, failing ledgers and resuming: nothing is paid for twice, and never too much."""

import threading
import time

import pytest

from tests.support.llm_server import LlmReply, LlmServer, error_reply
from tests.support.scoring.llm_cases import (
    BudgetLedger,
    CallLedger,
    judge_at,
    judge_well,
    make_case,
    make_cases,
    reasons,
)
from wardboard.scoring.fhir_agentbench.judge.llm.calls import RETRIES


@pytest.mark.parametrize("calls", [0, 1, 7, 29])
def test_a_budget_of_calls_leaves_room_for_retries_alone_and_is_never_exceeded(calls):
    ledger = BudgetLedger(max_calls=calls)
    with LlmServer(judge_well, latency=0.005) as server:
        verdicts = judge_at(server, ledger, concurrency=8).judge_all(make_cases(30))
    made = max(0, calls - RETRIES)
    assert len(server.requests) == made
    assert sum(verdict.correct is True for verdict in verdicts) == made
    assert reasons(verdicts).count("budget-spent") == 30 - made


def test_before_the_first_reply_a_call_is_estimated_at_its_highest_cost():
    prices = {"price_prompt": 1.0, "price_completion": 4.0}
    counts = []

    class Noted(BudgetLedger):
        def record(self, calls, *, booked):
            counts.append(len(server.requests))
            super().record(calls, booked=booked)

    ledger = Noted(max_cost=0.05)  # 2,000 tokens of reply are 0.008, the prompt about 0.001
    usage = {"prompt_tokens": 1000, "completion_tokens": 1000}
    with LlmServer(LlmReply(usage=usage, delay=0.2)) as server:
        judge_at(server, ledger, concurrency=40, **prices).judge_all(make_cases(40))
        # Each with its retries: 0.027.
        assert counts[0] == 1
        calls = len(server.requests)
        judge = judge_at(server, BudgetLedger(max_cost=0.005), price_completion=4.0)
        assert (reasons(judge.judge_all(make_cases(2))), len(server.requests)) == (
            ["budget-spent"] * 2,
            calls,
        )
    # After that, each counts as much as the first ones cost: 0.005.
    assert ledger.calls == 10 - RETRIES


@pytest.mark.parametrize(
    ("reply", "tries", "timeout"),
    [(error_reply(500), 3, 3.0), (LlmReply(cut=0), 3, 3.0), (LlmReply(hang=True), 1, 0.5)],
)
def test_a_call_without_a_reply_is_given_up_in_time_and_counts_against_the_budget(reply, tries, timeout):
    ledger = BudgetLedger(max_calls=3, max_cost=1.0)
    with LlmServer(reply, idempotent=False) as server:
        judge, began = judge_at(server, ledger, timeout=timeout, price_prompt=1.0), time.monotonic()
        (verdict,) = judge.judge_all([make_case()])
        assert (verdict.correct, verdict.reason) == (None, "provider-down")
        assert time.monotonic() - began < timeout + 3.5
        assert len(server.requests) == ledger.calls == tries
        characters = sum(len(message["content"]) for message in server.requests[0].body["messages"])
    assert ledger.prompt_tokens == pytest.approx(tries * characters / 3, rel=0.05)
    assert ledger.completion_tokens == 0
    assert ledger.cost == pytest.approx(ledger.prompt_tokens / 1e6)


def test_unusable_replies_and_the_second_call_of_a_case_need_budget_too():
    case = make_case(true_answer="no answer", agent_answer="5 kg")
    for script, asked in [(LlmReply(text="hm"), make_case()), (judge_well, case)]:
        ledger = BudgetLedger(max_calls=1 + RETRIES)
        with LlmServer(script) as server:
            assert reasons(judge_at(server, ledger).judge_all([asked])) == ["budget-spent"]
            assert len(server.requests) == 1
    with LlmServer(judge_well) as server:
        ledger = Resumed(ledger)
        verdict = judge_at(server, ledger).judge_all([case])[0]
        assert [request.is_normalising for request in server.requests] == [False]
    assert (verdict.correct, verdict.by) == (False, "llm")


class Resumed(CallLedger):
    """Know the verdicts of another ledger, without a budget."""

    def __init__(self, earlier) -> None:
        super().__init__()
        self._earlier = earlier

    def stored_verdicts(self, keys):
        return {**self._earlier.stored_verdicts(keys), **super().stored_verdicts(keys)}


def test_a_stopped_run_keeps_calls_under_way_and_resumes_where_it_was():
    ledger = CallLedger()
    cases = make_cases(200)
    with LlmServer(judge_well, latency=0.1) as server:
        verdicts = judge_at(server, ledger, concurrency=8).judge_all(
            cases, watch=lambda decided, undecided: decided < 10
        )
        decided = sum(verdict.correct is not None for verdict in verdicts)
        assert 10 <= decided < 200
        assert len(server.requests) == len(ledger.recorded) == decided
        assert reasons(verdicts).count("stopped") == 200 - decided

        verdicts = judge_at(server, ledger, concurrency=64).judge_all(cases)
        assert all(verdict.correct for verdict in verdicts)
        assert len(server.requests) == 200
        assert server.stats()["most_judged"] == 1


@pytest.mark.parametrize("place", ["record", "stored_verdicts", "may_call"])
def test_an_exception_of_the_ledger_ends_the_run(place):
    class Broken(CallLedger):
        pass

    def fail(*args, **named):
        raise RuntimeError("the disk is full")

    setattr(Broken, place, fail)
    before = threading.active_count()
    with LlmServer(judge_well, latency=0.02) as server:
        with pytest.raises(RuntimeError, match="disk is full"):
            judge_at(server, Broken()).judge_all(make_cases(100))
        assert len(server.requests) <= 8
        # The thread of the calls has ended; that of the server still runs.
        assert threading.active_count() == before + 1


def test_a_verdict_counts_only_after_the_ledger_has_stored_it():
    records = []

    class Watched(CallLedger):
        def record(self, calls, *, booked):
            records.append(("recording", len(calls)))
            super().record(calls)

    def watch(decided, undecided):
        assert decided == len(ledger.recorded)
        return True

    ledger = Watched()
    with LlmServer(latency=0.2) as server:
        judge_at(server, ledger, concurrency=4).judge_all(make_cases(20), watch=watch)
    assert sum(count for _, count in records) == 20


def test_after_a_kill_between_reply_and_ledger_an_idempotent_gateway_judges_nothing_twice():
    class Killed(CallLedger):
        def record(self, calls, *, booked):
            if len(self.recorded) + len(calls) > 12:
                raise SystemExit
            super().record(calls)

    ledger = Killed()
    cases = [*make_cases(30), *(make_case(n, true_answer="no answer") for n in range(10))]
    with LlmServer(latency=0.02) as server:
        with pytest.raises(SystemExit):
            judge_at(server, ledger).judge_all(cases)
        resumed = judge_at(server, Resumed(ledger)).judge_all(cases)
        assert server.stats()["most_judged"] == 1
        assert server.replayed >= 1
    with LlmServer() as server:
        undisturbed = judge_at(server).judge_all(cases)
    assert [verdict.correct for verdict in resumed] == [verdict.correct for verdict in undisturbed]
