"""Providers that are slow, busy, broken or unwilling: an outage never becomes a wrong answer."""

import logging

from tests.support.llm_server import LlmReply, LlmServer, error_reply
from tests.support.scoring.llm_cases import CallLedger, judge_at, label, make_case, make_cases, reasons

PASSING = [
    *map(error_reply, (408, 429, 500, 503)),
    LlmReply(cut=0),
    LlmReply(cut=200),
    LlmReply(reset=True),
]


def test_a_transient_error_is_retried_as_the_same_call():
    for reply in PASSING:
        ledger = CallLedger()
        with LlmServer(reply, reply, label(0), idempotent=False) as server:
            verdict = judge_at(server, ledger).judge_all([make_case()])[0]
            assert verdict.correct is False, reply
            assert len({request.headers["idempotency-key"] for request in server.requests}) == 1, reply
            assert len(server.requests) == 3, reply
        # The provider may charge for a request that it may have worked on.
        unanswered = 0 if reply.status == 429 else 2
        assert [call.correct for call in ledger.recorded] == [None] * unanswered + [False], reply
        assert [call.estimated for call in ledger.recorded] == [True] * unanswered + [False], reply


def test_every_answer_of_the_provider_is_counted_by_its_status():
    for reply, answers in [
        (error_reply(401), {"401": 1}),
        (error_reply(429), {"429": 1, "200": 1}),
        (LlmReply(hang=True), {"timeout": 1}),
        (LlmReply(cut=0), {"unreachable": 1, "200": 1}),
    ]:
        ledger = CallLedger()
        with LlmServer(reply, label(1), idempotent=False) as server:
            judge_at(server, ledger, timeout=2.0, concurrency=1).judge_all([make_case()])
            assert ledger.answers.total() == len(server.requests), reply
        assert ledger.answers == answers, reply


def test_a_provider_that_stays_down_leaves_the_rest_undecided_after_few_calls():
    with LlmServer(error_reply(503)) as server:
        verdicts = judge_at(server, concurrency=8).judge_all(make_cases(500))
        assert set(reasons(verdicts)) == {"provider-down"}
        assert {(verdict.correct, verdict.by) for verdict in verdicts} == {(None, "llm")}
        assert len(server.requests) <= 2 * 8 * 3


def test_a_call_that_keeps_failing_or_is_refused_leaves_only_its_question_undecided():
    for error, reason, requests in [
        (error_reply(500), "provider-down", 22),
        (REFUSAL, "provider-refused", 20),
    ]:

        def script(request, error=error):
            return error if "[3.5]" in request.data["true_answer"] else LlmReply()

        with LlmServer(script) as server:
            verdicts = judge_at(server, concurrency=1).judge_all(make_cases(20))
            assert len(server.requests) == requests
        assert [number for number, verdict in enumerate(verdicts) if verdict.correct is None] == [3]
        assert verdicts[3].reason == reason


REFUSAL = error_reply(400, "too long")
NO_CREDIT = LlmReply(status=429, raw=True, text='{"error": {"message": "x", "code": "insufficient_quota"}}')


def test_a_refusal_of_all_calls_ends_the_run_at_once_and_one_of_every_question_soon():
    redirect = error_reply(307, location="/x")
    for reply in [*map(error_reply, (401, 402, 403, 404)), redirect, NO_CREDIT, REFUSAL]:
        with LlmServer(reply) as server:
            verdicts = judge_at(server, concurrency=4).judge_all(make_cases(100))
            assert set(reasons(verdicts)) == {"provider-refused"}, reply
            assert len(server.requests) <= 4 * 3, reply


def test_a_server_that_rejects_a_reply_limit_gets_requests_without_it():
    for complaint in [
        "Unrecognized request argument supplied: max_completion_tokens",
        "max_tokens was reached: try a higher one",
    ]:

        def script(request, complaint=complaint):
            return error_reply(400, complaint) if "max_completion_tokens" in request.body else label(1)

        with LlmServer(script) as server:
            verdicts = judge_at(server, concurrency=1).judge_all(make_cases(4))
            assert all(verdict.correct for verdict in verdicts), complaint
            assert len(server.requests) == 5, complaint


def test_each_kind_of_error_is_logged_once_and_without_submitted_texts(caplog):
    caplog.set_level(logging.WARNING)
    error = error_reply(500, "the answer TRUTH-9 was refused")
    with LlmServer(*[error] * 3, *[error_reply(429)] * 3, *[error] * 3, label(1)) as server:
        judge_at(server, concurrency=1).judge_all(
            [make_case(true_answer="TRUTH-9", agent_answer="ANSWER-9"), *make_cases(1)]
        )
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("wardboard.scoring.")]
    assert sorted(ours) == [
        "The judge's model o4-mini: HTTP 429",
        "The judge's model o4-mini: HTTP 500",
    ]
    assert "-9" not in caplog.text


def test_a_closed_port_counts_as_a_provider_that_is_down_and_costs_nothing():
    with LlmServer() as server:
        judge = judge_at(server, ledger := CallLedger())
    assert set(reasons(judge.judge_all(make_cases(10)))) == {"provider-down"}
    assert ledger.recorded == []
    assert set(ledger.answers) == {"unreachable"}
