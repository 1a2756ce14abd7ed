"""The spans of every exporter become attempts by trace and task, with calls and the last answer."""

import json
import random

import pytest

from tests.support.scoring.files import refused
from tests.support.scoring.spans import FINISH, MODEL, OUTPUT, chat, otlp, said, span
from tests.support.scoring.transcripts import PAYLOAD, attempts, lines, read, split
from wardboard.scoring.reading.formats.codes import FormatCode

ARGUMENTS = {"url": "http://x/Observation", "payload": PAYLOAD}
CALL = {"type": "tool_call", "id": "c1", "name": "fhir_post", "arguments": ARGUMENTS}
REPLY = {"type": "tool_call_response", "id": "c1", "response": {"status": 201}}
TOOL = {"gen_ai.tool.name": "fhir_post", "gen_ai.tool.call.arguments": json.dumps(ARGUMENTS)}
AGENT = [
    chat(2, said("assistant", CALL), said("tool", REPLY), parent=4),
    span(3, {**TOOL, "gen_ai.tool.call.id": "c1"}, parent=4),
    chat(1, answer=CALL, parent=4),
    span(4, {"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 20}),
]
EXPORTS = (
    lambda each: json.dumps(each, indent=4).encode() * 2,
    lambda each: json.dumps({"rows": [each]}).encode(),
    lambda each: json.dumps(otlp(each), indent=1).encode(),
    lambda each: lines(otlp(each)),
)
COMPLETION, ANSWER = "gen_ai.completion", json.dumps([said("assistant")])
STATED = (
    *({"llm.output_messages.0.message.content": FINISH}, {"pydantic_ai.all_messages": ANSWER}),
    *(
        {COMPLETION: FINISH},
        {f"{COMPLETION}.0.content": FINISH},
        {COMPLETION: json.dumps({"message": FINISH})},
    ),
    {"events": [{"name": "gen_ai.choice", "attributes": {"message": json.dumps({"content": FINISH})}}]},
    {"events": [{"name": "gen_ai.operation.details", "attributes": {OUTPUT: ANSWER}}]},
    {"openinference.span.kind": "AGENT", "output.value": json.dumps({"answer": FINISH})},
    {"mlflow.spanOutputs": json.dumps(FINISH)},
    {"traceloop.entity.output": json.dumps({"outputs": FINISH})},
    {"response_data": {"message": {"role": "assistant", "content": FINISH}}},
)


@pytest.mark.parametrize("export", EXPORTS)
def test_a_span_is_read_in_every_export(export):
    [result], _, warnings = read(export(chat()))
    assert (result.task_id, result.answer, result.facts.input_tokens) == ("task1_1", '["S1"]', 10)
    assert {warning.code for warning in warnings.listed} == {"tasks.missing"}


def test_spans_of_a_trace_are_one_attempt_in_any_order_and_calls_of_tools_are_posts():
    for spans in (*(random.Random(seed).sample(AGENT, 4) for seed in range(5)), [chat(), span(2, TOOL)]):
        [result], _, _ = read(lines(*spans))
        posted, *_ = result.post_history
        assert json.loads(posted["content"].partition("\n")[2]) == PAYLOAD
        assert (result.answer, result.facts.model, result.facts.rounds) == ('["S1"]', "heron-2", 2)
        assert result.facts.input_tokens == 5 * len(spans)


@pytest.mark.parametrize("stated", STATED)
def test_a_message_is_found_where_conventions_of_other_years_have_it(stated):
    for named in ({"metadata": '{"task_id": "task1_1"}'}, {"session.id": "task1_1", "user.id": "u"}):
        [attempt] = attempts(span(1, {**stated, **named}))
        assert (attempt.task_id, attempt.completion) == ("task1_1", FINISH)


def test_tasks_of_one_trace_are_told_apart_and_traces_of_one_conversation_are_joined():
    both = [chat(n, task=f"task1_{n}", parent=9) for n in (1, 2)]
    assert {each.task_id for each in attempts(*both, span(9, {}))} == {"task1_1", "task1_2"}
    turns = said("assistant", "GET x"), said("user", "Nothing.")
    [attempt] = attempts(chat(2, answer="GET x"), chat(1, *turns, trace=2))
    assert (attempt.facts.input_tokens, attempt.facts.rounds) == (20, 2)


def test_runs_are_of_one_model_and_a_trace_without_an_answer_says_why():
    first, second = chat(), chat(trace=2, answer="FINISH([2])", model="plover")
    assert [each.code for each in refused(split, lines(first, second))] == [FormatCode.SEVERAL_SYSTEMS]
    del second["attributes"][MODEL]
    assert [run[0].completion for run in split(lines(first, second))] == [FINISH, "FINISH([2])"]
    failed = {**span(1, {"task_id": "task1_2"}, trace=2), "status": {"code": 2, "message": "429"}}
    assert [each.error for each in attempts(first, failed)] == ["", "429"]


def test_spans_without_messages_are_named_and_a_torn_last_one_is_left_out():
    _, problems, _ = read(lines(span(1, {"task_id": "task1_1"}), span(2, {})))
    assert [problem.code for problem in problems.listed] == [FormatCode.NO_ATTEMPTS]
    [result], _, warnings = read(lines(chat(), chat(trace=2, task="task1_2"))[:-60])
    assert result.task_id == "task1_1"
    assert FormatCode.LINE_TORN in {warning.code for warning in warnings.listed}
