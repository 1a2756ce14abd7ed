"""The LLM judge: its requests, their number, and its use of the replies."""

import logging
import threading

import pytest

from tests.support.llm_server import LlmReply, LlmServer
from tests.support.scoring.llm_cases import (
    BudgetLedger,
    CallLedger,
    judge_at,
    judge_well,
    make_case,
    make_cases,
)
from wardboard.scoring.fhir_agentbench.judge import LlmJudge, LlmOptions


def test_each_answer_is_judged_once_and_in_order():
    cases = [make_case(number, agent_answer=f"{number % 2 + number}.5 kg") for number in range(40)]
    with LlmServer(judge_well) as server:
        verdicts = judge_at(server).judge_all(cases)
        assert [verdict.correct for verdict in verdicts] == [number % 2 == 0 for number in range(40)]
        assert {(verdict.by, verdict.reason) for verdict in verdicts} == {("llm", "judged")}
        assert len(server.requests) == 40
        fields = {"question": "How many?", "assumption": "one", "true_answer": "[[3]]", "agent_answer": "3"}
        assert judge_at(server).judge(**fields).correct is True
        assert server.requests[-1].data == fields


def test_the_identity_names_mode_model_server_and_prompt():
    for options, name in [
        ({}, "o4-mini"),
        ({"model": "qwen3:8b", "base_url": "http://127.0.0.1:8123/v1"}, "qwen3:8b@127.0.0.1:8123"),
        ({"model": "stub", "base_url": "https://LLM.example.org/v1"}, "stub@llm.example.org"),
        ({"base_url": "http://127.0.0.1:8123/v1", "name": "our o4"}, "our o4"),
    ]:
        judge = LlmJudge(LlmOptions(**options))
        assert (judge.mode, judge.identity) == ("llm", f"llm {name} prompt 1"), options


def test_the_normaliser_is_asked_first_where_there_is_no_answer_and_nowhere_else():
    for truth, answer, verdict, normalising in [
        ("no answer", "No record.", (True, "no-answer"), [True]),
        ("no answer", "5 kg", (False, "judged"), [True, False]),
        *((truth, "no record", None, [False]) for truth in ("[]", "[[None]]", "[[1]]", "No answer", "")),
    ]:
        with LlmServer(judge_well) as server:
            (judged,) = judge_at(server).judge_all([make_case(true_answer=truth, agent_answer=answer)])
            assert verdict in (None, (judged.correct, judged.reason)), truth
            assert [request.is_normalising for request in server.requests] == normalising, truth


def test_equal_cases_take_one_call():
    with LlmServer(judge_well) as server:
        verdicts = judge_at(server).judge_all([make_case(1), make_case(2), make_case(1), make_case(1)])
        assert len(server.requests) == 2
        assert [verdict.correct for verdict in verdicts] == [True] * 4


def test_a_case_in_the_ledger_takes_no_call_but_for_another_model():
    ledger = CallLedger()
    cases = [
        *make_cases(5),
        make_case(true_answer="no answer"),
        make_case(true_answer="no answer", question="?"),
    ]
    with LlmServer(judge_well) as server:
        first = judge_at(server, ledger).judge_all(cases)
        calls = len(server.requests)
        again = judge_at(server, ledger).judge_all(cases)
        assert len(server.requests) == calls == 9
        judge_at(server, ledger, model="other").judge_all(cases[:1])
        assert [request.body["model"] for request in server.requests[8:]] == ["o4-mini", "other"]
    assert [verdict.correct for verdict in again] == [verdict.correct for verdict in first]


def test_the_ledger_is_used_only_in_the_callers_thread():
    threads = set()

    class Threads(CallLedger):
        def may_call(self, estimate, *, tries):
            threads.add(threading.get_ident())
            return True

        def record(self, calls, *, booked):
            threads.add(threading.get_ident())
            super().record(calls)

    with LlmServer() as server:
        judge_at(server, Threads()).judge_all(make_cases(5))
    assert threads == {threading.get_ident()}


def test_tokens_and_cost_of_every_call_are_recorded():
    ledger = BudgetLedger()
    usage = {"prompt_tokens": 1000, "completion_tokens": 100}
    with LlmServer(LlmReply(usage=usage)) as server:
        judge_at(server, ledger, price_prompt=1.1, price_completion=4.4).judge_all(make_cases(3))
    assert (ledger.calls, ledger.prompt_tokens, ledger.completion_tokens) == (3, 3000, 300)
    assert ledger.cost == pytest.approx(3 * (0.0011 + 0.00044))
    with LlmServer(LlmReply(usage=None)) as server:
        assert judge_at(server, free := BudgetLedger()).judge_all([make_case()])[0].correct is True
    assert (free.calls, free.cost) == (1, 0.0)


def test_the_api_key_is_sent_and_never_shown(caplog):
    caplog.set_level(logging.DEBUG)
    with LlmServer(LlmReply(status=401, text="Incorrect API key provided: sk-very-secret")) as server:
        judge = judge_at(server)
        verdicts = judge.judge_all([make_case()])
        assert server.requests[0].headers["authorization"] == "Bearer sk-very-secret"
    texts = f"{judge!r} {judge.options!r} {verdicts!r} {judge.identity}"
    assert caplog.records
    assert "sk-very-secret" not in caplog.text + texts


def test_unusable_options_are_refused_without_showing_the_key():
    for option, value in [
        ("api_key", "sk-very-secret\n"),
        ("base_url", "http://me:sk-very-secret@example.org/v1"),
        ("base_url", "example.org/v1"),
        ("concurrency", 0),
        ("timeout", 0),
        ("price_prompt", -1),
        ("model", ""),
        ("name", "a\nb"),
    ]:
        with pytest.raises(ValueError, match=r"judge|prices") as caught:
            LlmOptions(**{option: value})
        assert "sk-very" not in str(caught.value), option


def test_reasoning_models_get_no_temperature_and_a_reply_limit():
    for options, temperature, limit in [
        ({}, None, 2000),
        ({"max_completion_tokens": 9000}, None, 9000),
        ({"model": "gpt-5-mini"}, None, 2000),
        ({"model": "gpt-4o"}, 0, None),
        ({"model": "gpt-4o", "max_completion_tokens": 50}, 0, 50),
    ]:
        with LlmServer() as server:
            judge_at(server, **options).judge_all([make_case()])
            body = server.requests[0].body
            sent = (body.get("temperature"), body.get("max_completion_tokens"))
            assert sent == (temperature, limit), options
