"""Traces in a zip with a member for each task and run, within limits."""

import io
import json
import zipfile

import pytest

from wardboard.scoring.fhir_agentbench.benchmark import FhirAgentBench
from wardboard.scoring.medagentbench.benchmark import MedAgentBench
from wardboard.scoring.traces.conversation import TracedCall, TracedMessage
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
