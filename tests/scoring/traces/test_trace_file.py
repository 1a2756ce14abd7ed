"""Messages of any form as the conversation that is kept, in a zip for each task and run, within limits."""

import io
import json
import zipfile

import pytest

from wardboard.scoring.fhir_agentbench.benchmark import FhirAgentBench
from wardboard.scoring.medagentbench.benchmark import MedAgentBench
from wardboard.scoring.reading.formats.attempts import Attempt, Call, Message
from wardboard.scoring.traces.conversation import TracedCall, TracedMessage, messages_of, messages_of_attempt
from wardboard.scoring.traces.trace_file import Trace, TraceFile, TraceWriter

GET = TracedMessage(role="agent", text="GET Patient", calls=[TracedCall(name="get", result={"total": 1})])


def written(*traces, **limits) -> io.BytesIO:
    """Return a file of traces, each given as task id, run, messages."""
    file = io.BytesIO()
    writer = TraceWriter(file, **limits)
    for task_id, run, messages in traces:
        writer.run = run
        writer.add(task_id, messages)
    writer.close()
    return file


def test_each_task_and_run_is_read_alone_and_the_first_trace_of_a_task_stays():
    again = [("t", 1, []), ("t", 1, [GET]), ("t", 1, [GET, GET])]
    file = TraceFile(written(*again, ("a/é", 1, [GET]), ("t", 2, [GET, GET])))
    assert file.runs == {"t": [1, 2], "a/é": [1]}
    assert file.read("t", 1) == file.read("a/é", 1) == Trace(messages=[GET])
    assert file.read("t", 2) == Trace(messages=[GET, GET])
    assert file.read("a/é", 2) is None


def test_what_is_over_a_limit_is_left_out_and_counted():
    file = TraceFile(written(("t", 1, [GET] * 5), ("u", 1, [GET]), task_bytes=200))
    assert file.read("t", 1) == Trace(messages=[GET] * 2, left_out=3)
    assert file.read("u", 1) == Trace(messages=[GET])
    file = TraceFile(written(("t", 1, [GET] * 2), ("u", 1, [GET] * 4), all_bytes=200))
    assert file.read("u", 1) == Trace(messages=[], left_out=4)


def test_what_json_and_utf8_cannot_hold_is_kept_as_text_and_a_reply_that_is_json_is_read_as_such():
    calls = [TracedCall(name="x", result=result) for result in (float("nan"), '{"total": 1}')]
    message = TracedMessage(role="agent", text="\ud800", calls=calls)
    [read] = TraceFile(written(("t", 1, [message]))).read("t", 1).messages
    assert (read.text, [call.result for call in read.calls]) == ("?", ["NaN", {"total": 1}])


def test_a_trace_is_read_without_its_keys():
    call = TracedCall(name="x", arguments={"password": "warden"}, result='["password=hunter22"]')
    message = TracedMessage(role="agent", text="ghp_" + "a1" * 18, calls=[call])
    trace = TraceFile(written(("t", 1, [message]))).read("t", 1)
    bare = TracedCall(name="x", arguments={"password": "[redacted]"}, result=["[redacted]"])
    assert trace.messages == [TracedMessage(role="agent", text="[redacted]", calls=[bare])]


def test_a_damaged_file_is_refused():
    raw = bytearray(written(("t", 1, [GET])).getvalue())
    with pytest.raises(ValueError, match="damaged"):
        TraceFile(io.BytesIO(bytes(raw[:-30])))
    raw[40] ^= 0xFF
    with pytest.raises((ValueError, zipfile.BadZipFile)):
        TraceFile(io.BytesIO(bytes(raw))).read("t", 1)


@pytest.mark.parametrize("benchmark", [MedAgentBench(), FhirAgentBench()], ids=lambda each: each.slug)
def test_the_calls_of_a_log_are_in_the_trace_of_each_benchmark(benchmark):
    task_id = {"medagentbench": "task1_1", "fhir-agentbench": "0" * 24}[benchmark.slug]
    chat = [
        {"role": "user", "content": "Question"},
        {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "get", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": '{"total": 1}'},
        {"role": "assistant", "content": "FINISH([1])"},
    ]
    file, log = io.BytesIO(), io.BytesIO(json.dumps({"task_id": task_id, "messages": chat}).encode())
    writer = TraceWriter(file)
    benchmark.read(log, task_ids=[task_id], version="", limits=benchmark.limits, traces=writer)
    writer.close()
    messages = TraceFile(file).read(task_id, 1).messages
    assert [call for message in messages for call in message.calls] == [
        TracedCall(name="get", arguments={}, result={"total": 1})
    ]


CALL = {"id": "c1", "function": {"name": "fhir_get", "arguments": '{"url": "Patient?name=A"}'}}
GOT = TracedCall(name="fhir_get", arguments={"url": "Patient?name=A"}, result='{"total": 1}')


def test_a_reply_is_in_its_call_whatever_the_form():
    found, arguments = '{"total": 1}', {"url": "Patient?name=A"}
    use = {"type": "tool_use", "id": "c1", "name": "fhir_get", "input": arguments}
    shown = [{"type": "text", "text": found}]
    result = {"type": "tool_result", "tool_use_id": "c1", "content": shown}
    called = {"id": "c1", "name": "fhir_get", "args": arguments}
    for messages in (
        # OpenAI, Anthropic, LangChain, and tool roles.
        [
            {"role": "assistant", "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": found},
        ],
        [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}],
        [
            {"type": "ai", "content": "", "tool_calls": [called]},
            {"type": "tool", "tool_call_id": "c1", "content": found},
        ],
        [
            {"role": "tool_call", "content": json.dumps({"tool": "fhir_get", "arguments": arguments})},
            {"role": "tool_result", "content": found},
        ],
    ):
        assert messages_of(messages) == [TracedMessage(role="agent", calls=[GOT])], messages


def test_an_attempt_is_its_messages_without_places():
    call = Call(name="fhir_get", arguments={"url": "x"}, result="r", place=("m", 1))
    attempt = Attempt(
        task_id="t", messages=(Message(role="agent", text="Now", calls=(call,), place=("m", 0)),)
    )
    expected = [TracedCall(name="fhir_get", arguments={"url": "x"}, result="r")]
    assert messages_of_attempt(attempt) == [TracedMessage(role="agent", text="Now", calls=expected)]


def test_reasoning_in_a_text_and_beside_it_is_left_out():
    for text, kept in [
        ("<think>who is it</think>GET x", "GET x"),
        ("who is it</think>GET x", "GET x"),
        ("GET x<think>cut off", "GET x"),
        ("a<think>1</think>b<think>2</think>c", "ac"),
        ("GET x", "GET x"),
    ]:
        assert messages_of([{"role": "assistant", "content": text}])[0].text == kept, text
    parts = [
        {"type": "reasoning", "reasoning": "secret"},
        {"type": "thinking", "thinking": "secret", "text": "secret"},
        {"type": "text", "text": "GET x"},
    ]
    message = {"role": "assistant", "content": parts, "reasoning_content": "secret", "reasoning": "secret"}
    assert messages_of([message]) == [TracedMessage(role="agent", text="GET x")]


def test_texts_are_read_as_json_or_as_one_text_and_a_reply_without_a_call_stays_a_message():
    assert messages_of('[{"role": "user", "content": "q"}]') == [TracedMessage(role="user", text="q")]
    assert messages_of("[1, 2") == [TracedMessage(role="agent", text="[1, 2")]
    assert messages_of("[]") == messages_of(None) == messages_of("") == []
    assert messages_of([{"role": "tool", "content": "alone"}]) == [TracedMessage(role="user", text="alone")]
    # JSON that nests too deep stays text.
    deep = "[" * 50_000
    (message,) = messages_of([{"role": "assistant", "tool_calls": [{"name": "n", "arguments": deep}]}])
    assert message.calls[0].arguments == deep


def test_what_is_cut_of_long_texts_is_counted_and_one_that_a_log_refers_to_often_is_not_kept_often():
    long = "x" * 200_000
    (message,) = messages_of([{"role": "user", "content": long}])
    assert (len(message.text), message.cut) == (131_072, 68_928)
    replied = {"role": "tool", "content": [long] * 3}
    (message,) = messages_of([{"role": "assistant", "tool_calls": [CALL]}, replied])
    assert message.calls[0].cut > 400_000
    part = {"type": "text", "text": "x" * 1_000_000}
    messages = messages_of([{"role": "user", "content": [part] * 9}] * 1000)
    assert sum(len(message.text) for message in messages) == 16 * 1024 * 1024
