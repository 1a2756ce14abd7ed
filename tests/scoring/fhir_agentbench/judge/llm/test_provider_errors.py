"""Providers that are slow, busy, broken or unwilling: an outage never becomes a wrong answer."""

import asyncio
import logging
import time
from dataclasses import replace
from email.utils import formatdate
from random import Random

import pytest

from tests.support.llm_server import LlmReply, LlmServer, error_reply
from tests.support.scoring.llm_cases import (
    CallLedger,
    FakeClock,
    judge_at,
    judge_well,
    label,
    make_case,
    make_cases,
    reasons,
)
from wardboard.scoring.fhir_agentbench.judge import LlmJudge, LlmOptions
from wardboard.scoring.fhir_agentbench.judge.llm.backoff import Timing, retry_after

PASSING = [
    error_reply(429),
    error_reply(429, retry_after="3"),
    error_reply(500),
    error_reply(502),
    error_reply(503, retry_after="2"),
    error_reply(408),
    LlmReply(hang=True),
    LlmReply(cut=0),
    LlmReply(cut=60),
    LlmReply(cut=200),
    LlmReply(reset=True),
]


@pytest.mark.parametrize("reply", PASSING, ids=range(len(PASSING)))
def test_a_transient_error_is_retried_as_the_same_call(reply):
    ledger = CallLedger()
    with LlmServer(reply, reply, label(0), idempotent=False) as server:
        verdict = judge_at(server, ledger, timeout=1.5).judge_all([make_case()])[0]
        assert verdict.correct is False
        assert len({request.headers["idempotency-key"] for request in server.requests}) == 1
        assert len(server.requests) == 3
    # The provider may charge for a request that it may have worked on.
    unanswered = 0 if reply.status == 429 else 2
    assert [call.correct for call in ledger.calls] == [None] * unanswered + [False]
    assert [call.estimated for call in ledger.calls] == [True] * unanswered + [False]


@pytest.mark.parametrize(
    ("reply", "name"),
    [
        (error_reply(401), "401"),
        (error_reply(429), "429"),
        (error_reply(503), "503"),
        (LlmReply(hang=True), "timeout"),
        (LlmReply(cut=0), "unreachable"),
        (LlmReply(cut=200), "unreachable"),
    ],
)
def test_every_answer_of_the_provider_is_counted_by_its_status(reply, name):
    ledger = CallLedger()
    with LlmServer(reply, label(1), idempotent=False) as server:
        judge_at(server, ledger, timeout=1.0, concurrency=1).judge_all([make_case()])
        assert ledger.answers.total() == len(server.requests)
    assert ledger.answers == ({name: 1} if name == "401" else {name: 1, "200": 1})


def test_a_provider_that_is_gone_is_counted_as_unreachable():
    ledger = CallLedger()
    with LlmServer() as server:
        judge = judge_at(server, ledger, attempts=2, concurrency=1)
    judge.judge_all([make_case()])
    assert ledger.answers == {"unreachable": 2}


def test_waits_double_and_are_random():
    clock = FakeClock()
    with LlmServer(*[error_reply(500)] * 5, label(1)) as server:
        judge_at(server, clock=clock, backoff=1.0, concurrency=1).judge_all([make_case()])
    # The random pause of this call (up to 1, 2, 4, 8, 16 s), and the pause of all calls after the first.
    assert 1 + 2 + 4 + 8 <= sum(clock.waits) <= 31 + 15 + 5
    assert len({round(wait, 6) for wait in clock.waits}) == len(clock.waits)


@pytest.mark.parametrize(
    ("headers", "least"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after_ms": "7000", "retry_after": "30"}, 7.0),
        ({"retry_after": formatdate(1_000_007, usegmt=True)}, 7.0),
        ({"retry_after": "soon"}, 0.0),
    ],
)
def test_a_provider_gets_no_call_for_as_long_as_it_asks(headers, least):
    clock = FakeClock()
    with LlmServer(error_reply(429, **headers), label(1)) as server:
        assert judge_at(server, clock=clock).judge_all([make_case()])[0].correct is True
    assert least <= clock.now <= least + 1.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": formatdate(900, usegmt=True)}, 0.0),
        ({"retry-after": formatdate(1060, usegmt=True)}, 60.0),
        ({"retry-after-ms": "x", "retry-after": "4"}, 4.0),
    ],
)
def test_retry_after_is_read_in_each_form(headers, seconds):
    assert retry_after(headers, now=1000) == seconds


def test_a_429_for_one_call_makes_all_calls_wait():
    times, waits = [], []

    async def sleep(seconds):
        waits.append(seconds)
        await asyncio.sleep(seconds)

    def script(request):
        times.append(time.monotonic())
        too_many = replace(error_reply(429, retry_after_ms="400"), after=2)
        # The second call was already under way, and is answered after the first has begun to wait.
        return too_many if request.number == 0 else LlmReply(until=lambda: waits)

    with LlmServer(script) as server:
        options = LlmOptions(base_url=server.url, concurrency=2, backoff=0.01)
        verdicts = LlmJudge(options, timing=Timing(sleep=sleep)).judge_all(make_cases(8))
    assert all(verdict.correct for verdict in verdicts)
    # After that, no reply came before the time-out.
    assert times[2] - times[0] >= 0.4


def test_many_429_among_successes_leave_nothing_undecided():
    def script(request):
        return error_reply(429) if request.number % 3 else label(1)

    with LlmServer(script) as server:
        verdicts = judge_at(server, attempts=3, concurrency=8).judge_all(make_cases(60))
    assert all(verdict.correct for verdict in verdicts)


def test_a_provider_that_stays_down_leaves_the_rest_undecided_after_few_calls():
    with LlmServer(error_reply(503)) as server:
        verdicts = judge_at(server, concurrency=8, attempts=4).judge_all(make_cases(500))
        assert set(reasons(verdicts)) == {"provider-down"}
        assert {(verdict.correct, verdict.by) for verdict in verdicts} == {(None, "llm")}
        assert len(server.requests) <= 8 * 4


def test_a_closed_port_counts_as_a_provider_that_is_down():
    with LlmServer() as server:
        judge = judge_at(server, ledger := CallLedger())
    assert set(reasons(judge.judge_all(make_cases(10)))) == {"provider-down"}
    assert ledger.calls == []


def test_verdicts_from_before_an_outage_are_kept():
    ledger = CallLedger()

    def script(request):
        return judge_well(request) if request.number < 20 else error_reply(500)

    with LlmServer(script) as server:
        verdicts = judge_at(server, ledger).judge_all(make_cases(50))
    kept = [call for call in ledger.calls if not call.estimated]
    assert sum(verdict.correct is True for verdict in verdicts) == len(kept) == 20
    assert reasons(verdicts).count("provider-down") == 30
    with LlmServer(judge_well) as server:
        verdicts = judge_at(server, ledger).judge_all(make_cases(50))
        assert len(server.requests) == 30
    assert all(verdict.correct for verdict in verdicts)


def test_a_brief_error_of_all_calls_is_not_an_outage():
    # None fails before all sixteen are under way: a retry in the meantime would be a second failure.
    fault = replace(error_reply(500), after=16)
    with LlmServer(*[fault] * 16, label(1)) as server:
        verdicts = judge_at(server, concurrency=16, attempts=2).judge_all(make_cases(40))
    assert all(verdict.correct for verdict in verdicts)


def test_a_call_that_keeps_failing_leaves_only_its_question_undecided():
    def script(request):
        if "[3.5]" not in request.data["true_answer"]:
            return LlmReply()
        # Other calls succeed between its failures.
        before = server.judged.total()
        return replace(error_reply(500), until=lambda: server.judged.total() > before + 3)

    with LlmServer(script) as server:
        options = LlmOptions(base_url=server.url, attempts=3, concurrency=4, backoff=0.05)
        verdicts = LlmJudge(options, timing=Timing(rng=Random(7))).judge_all(make_cases(80))
    assert [number for number, verdict in enumerate(verdicts) if verdict.correct is None] == [3]
    assert verdicts[3].reason == "provider-down"


def test_a_provider_that_asks_for_an_hours_wait_counts_as_down():
    clock = FakeClock()
    with LlmServer(error_reply(429, retry_after="3600")) as server:
        verdicts = judge_at(server, clock=clock).judge_all(make_cases(20))
        assert set(reasons(verdicts)) == {"provider-down"}
        assert len(server.requests) <= 4
    assert clock.now < 60


NO_CREDIT = LlmReply(status=429, raw=True, text='{"error": {"message": "x", "code": "insufficient_quota"}}')


@pytest.mark.parametrize(
    "reply",
    [
        error_reply(401),
        error_reply(403),
        error_reply(404),
        error_reply(402),
        error_reply(307, location="/x"),
        NO_CREDIT,
    ],
)
def test_a_refusal_of_all_calls_ends_the_run_at_once(reply):
    with LlmServer(reply) as server:
        verdicts = judge_at(server, concurrency=4).judge_all(make_cases(100))
        assert set(reasons(verdicts)) == {"provider-refused"}
        assert len(server.requests) <= 4


def test_a_refused_call_leaves_only_its_question_undecided():
    def script(request):
        return error_reply(400, "too long") if "[3.5]" in request.data["true_answer"] else label(1)

    with LlmServer(script) as server:
        verdicts = judge_at(server).judge_all(make_cases(20))
        assert len(server.requests) == 20
    assert [verdict.reason for verdict in verdicts if verdict.correct is None] == ["provider-refused"]


def test_when_every_question_is_refused_the_run_ends():
    with LlmServer(error_reply(400, "unknown parameter: messages")) as server:
        verdicts = judge_at(server, attempts=3).judge_all(make_cases(100))
        assert set(reasons(verdicts)) == {"provider-refused"}
        assert len(server.requests) < 12


def test_a_server_without_structured_output_gets_plain_text_requests_from_then_on():
    def script(request):
        if "response_format" in request.body:
            return error_reply(400, "response_format type json_schema is not supported")
        return LlmReply(text="It agrees: 1")

    with LlmServer(script) as server:
        verdicts = judge_at(server, concurrency=2).judge_all(make_cases(12))
        assert all(verdict.correct for verdict in verdicts)
        assert len(server.requests) <= 12 + 2


@pytest.mark.parametrize(
    "complaint",
    [
        "Unrecognized request argument supplied: max_completion_tokens",
        "max_tokens was reached: try a higher one",
    ],
)
def test_a_server_that_rejects_a_reply_limit_gets_requests_without_it(complaint):
    def script(request):
        return error_reply(400, complaint) if "max_completion_tokens" in request.body else label(1)

    with LlmServer(script) as server:
        verdicts = judge_at(server, concurrency=1).judge_all(make_cases(4))
        assert all(verdict.correct for verdict in verdicts)
        assert len(server.requests) == 5


def test_a_server_that_rejects_temperature_gets_requests_without_it():
    def script(request):
        return (
            error_reply(400, "Unsupported value: 'temperature'")
            if "temperature" in request.body
            else label(1)
        )

    with LlmServer(script) as server:
        verdicts = judge_at(server, model="new", concurrency=1).judge_all(make_cases(4))
        assert all(verdict.correct for verdict in verdicts)
        assert len(server.requests) == 5


def test_each_kind_of_error_is_logged_once_and_without_submitted_texts(caplog):
    caplog.set_level(logging.WARNING)
    error = error_reply(500, "the answer TRUTH-9 was refused")
    with LlmServer(*[error] * 3, error_reply(429), *[error] * 2, label(1)) as server:
        judge_at(server).judge_all(
            [make_case(true_answer="TRUTH-9", agent_answer="ANSWER-9"), *make_cases(3)]
        )
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("wardboard.scoring.")]
    assert sorted(ours) == [
        "The judge's model o4-mini: HTTP 429",
        "The judge's model o4-mini: HTTP 500",
    ]
    assert "-9" not in caplog.text
