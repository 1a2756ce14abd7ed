"""Transcripts of other harnesses become attempts: calls with their replies, and lines with their runs."""

import json

from tests.support.scoring.files import as_zip, refused
from tests.support.scoring.transcripts import (
    ASKED,
    FINISHED,
    PAYLOAD,
    attempts,
    batch,
    call,
    calls,
    chat,
    episode,
    lines,
    node,
    read,
    reply,
    response,
    rollout,
    sample,
    split,
)
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.table import format_of_record

FLAT_CALL = json.dumps({"id": "c1", "name": "fhir_post", "arguments": call()["function"]["arguments"]})
ITEM = {"type": "function_call", "call_id": "c1", "name": "fhir_post"}
ITEM |= {"arguments": call()["function"]["arguments"]}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": '{"status": 201}'}
SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "FINISH([])"}]}
USE = {"type": "tool_use", "id": "c1", "name": "fhir_post", "input": json.loads(ITEM["arguments"])}
RESULT = {
    "type": "tool_result",
    "tool_use_id": "c1",
    "content": [{"type": "text", "text": '{"status": 201}'}],
}
OLD_CALL = {"role": "assistant", "content": "", "function_call": call()["function"]}
OLD_REPLY = {"role": "function", "name": "fhir_post", "content": '{"status": 201}'}
MCP = {"type": "mcp_call", "id": "m1", "name": "fhir_post", "output": '{"status": 201}'}
MCP |= {"arguments": ITEM["arguments"], "error": None}


def test_a_call_is_a_post_with_its_reply_whatever_its_form():
    for record in (
        chat(calls(call()), reply(), FINISHED),
        chat(calls(call()), reply(content=[{"type": "text", "text": '{"status": 201}'}]), FINISHED),
        # Some keys are those of a check of declarations.
        chat(OLD_CALL, OLD_REPLY, FINISHED, mode="multi", valid=True),
        chat({"role": "assistant", "content": [USE]}, {"role": "user", "content": [RESULT]}, FINISHED),
        rollout({"role": "assistant", "content": "", "tool_calls": [FLAT_CALL]}, reply(), FINISHED),
        episode(node(ASKED), node(calls(call()), 0), node(reply(), 1), node(FINISHED, 2)),
        response(ITEM, OUTPUT, SAID),
        response(MCP, SAID),
        {"task_id": "task1_1", "input": [ASKED], "output": [ITEM, OUTPUT, SAID]},
    ):
        [result], _, _ = read(lines(record))
        posted, replied = result.post_history
        assert json.loads(posted["content"].partition("\n")[2]) == PAYLOAD, record
        assert "POST request accepted" in replied["content"], record


def test_a_call_and_its_reply_are_read_under_the_keys_of_any_library():
    sent, done, said = json.loads(ITEM["arguments"]), {"status": 201}, {"text": "FINISH([])"}
    named = {"tool_name": "fhir_post", "tool_call_id": "c1"}
    kept = {"toolCallId": "c1", "toolName": "fhir_post"}
    within = {"tool_call_result": {"result": json.dumps(done), "origin": {"id": "c1"}, "error": False}}
    for made, *replied in (
        (USE, RESULT),
        (
            {"toolUse": {"toolUseId": "c1", **USE}},
            {"toolResult": {"toolUseId": "c1", "content": [{"json": done}]}},
        ),
        ({"type": "tool-call", **kept, "input": sent}, {"type": "tool-result", **kept, "output": done}),
        ({"tool_call": {"id": "c1", "tool_name": "fhir_post", "arguments": sent}}, within),
        (
            {"functionCall": {"name": "fhir_post", "args": sent}},
            {"functionResponse": {"name": "fhir_post", "response": done}},
        ),
        (
            {"part_kind": "tool-call", **named, "args": sent},
            {"part_kind": "tool-return", **named, "content": done},
        ),
        (
            {
                "type": "tool-fhir_post",
                "toolCallId": "c1",
                "input": sent,
                "output": {"type": "json", "value": done},
            },
        ),
    ):
        for key in ("content", "parts", "blocks"):
            parts = (
                {"role": "assistant", key: [made]},
                {"role": "user", key: replied},
                {"role": "model", key: [said]},
            )
            [result], _, _ = read(lines(chat(*parts)))
            assert (result.answer, len(result.post_history)) == ("[]", 2), made
            assert "POST request accepted" in result.post_history[1]["content"], made
    beside = {"role": "assistant", "additional_kwargs": {"tool_calls": [call()]}}
    [result], _, _ = read(lines(chat(ITEM, OUTPUT, beside, reply(), FINISHED)))
    assert len(result.post_history) == 4


def test_a_part_that_is_not_known_is_the_cause_where_no_answer_is_found():
    unknown = chat({"role": "assistant", "content": [{"utterance": {"body": "FINISH([1])"}}]})
    [problem] = read(lines(unknown))[1].listed
    assert problem.code == "log.no-answers"
    assert "holds “utterance”" in problem.message
    assert "tool_calls" in problem.hint
    thought = {
        "role": "assistant",
        "parts": [{"thought": True, "text": "FINISH([7])"}, {"text": "FINISH([1])"}],
    }
    assert [(each.completion, each.unread) for each in attempts(chat(thought))] == [("FINISH([1])", None)]


def test_a_request_that_failed_is_no_run_beside_an_answer_before_or_after_it():
    failed = {**batch(), "response": {"status_code": 429, "body": {}}}
    for records in ((failed, batch()), (failed, failed, batch()), (batch(), failed)):
        [attempt] = attempts(*records)
        assert (attempt.completion, attempt.error) == ('FINISH(["S1"])', "")
        assert FormatCode.SUPERSEDED in attempt.notes
    assert [each.run for each in attempts(failed, batch(), batch("FINISH([2])"))] == [1, 2]


def test_a_reply_belongs_to_the_call_with_its_id_in_any_order_and_in_a_later_turn():
    both = calls(call("a", {"url": "1"}), call("b", {"url": "2"}))
    first, second = calls(call("c1", {"url": "1"})), calls(call("c1", {"url": "2"}))
    for messages in (
        [both, reply("b", "2nd"), reply("a", "1st")],
        [first, reply("c1", "1st"), second, reply("c1", "2nd")],
    ):
        [attempt] = attempts(chat(*messages, FINISHED))
        assert [each.result for message in attempt.messages for each in message.calls] == ["1st", "2nd"]
    _, _, warnings = read(lines(response(ITEM, SAID)))
    assert "history.ends-with-post" in {warning.code for warning in warnings.listed}, "a lost reply is none"


def test_a_retry_is_a_second_call_parts_of_a_stream_are_one_and_one_that_was_cut_off_is_none():
    retried = chat(calls(call("a")), reply("a", "500"), calls(call("b")), reply("b"), FINISHED)
    assert [len(message.calls) for message in attempts(retried)[0].messages] == [0, 1, 1, 0]
    streamed = chat(calls(call("a", '{"url": "ht'), call("a", '{"url": "1"}')), reply("a"), FINISHED)
    cut = chat(calls(call("a", '{"url": "http://loc')), FINISHED)
    for record, arguments, notes in ((streamed, ['{"url": "1"}'], ()), (cut, [], (FormatCode.TRUNCATED,))):
        [attempt] = attempts(record)
        assert [each.arguments for each in attempt.messages[1].calls] == arguments
        assert attempt.notes == notes


def test_a_task_is_named_by_any_of_the_known_fields_and_by_no_id_of_a_request():
    known = ({"custom_id": "t"}, {"id": "t"}, {"question_id": "t"})
    within = ({"metadata": {key: "t"}} for key in ("task_id", "id", "question_id"))
    for field in (*known, *within):
        assert attempts({**chat(task_id=""), **field})[0].task_id == "t"
    for info in ({"id": "t"}, json.dumps({"task_id": "t"}), {"eval": {"task_id": "t"}}):
        assert attempts(rollout(info=info))[0].task_id == "t"
    for field in ({"id": "chatcmpl-1"}, {"id": "batch_req_9"}, {}, {"id": 5}):
        [attempt] = attempts({**chat(task_id=""), **field})
        assert (attempt.task_id, attempt.prompt) == ("", "Which?")


def test_lines_that_go_on_with_an_earlier_one_are_one_attempt_whose_tokens_are_summed():
    first, second = chat(calls(call())), chat(calls(call()), reply(), FINISHED)
    [attempt] = attempts(first, chat(task_id="task1_2"), second)[:1]
    assert len([each for message in attempt.messages for each in message.calls]) == 1
    assert (attempt.facts.input_tokens, attempt.facts.output_tokens, attempt.facts.rounds) == (20, 4, 2)
    request = {"request": {"messages": [ASKED]}, "task_id": "task1_1"}
    answered = {**request, "response": {"choices": [{"message": {**FINISHED, "refusal": None}}]}}
    [attempt] = attempts(answered)
    assert attempt.completion == FINISHED["content"]


def test_other_lines_of_a_task_are_runs_and_the_same_line_counts_once():
    other = chat({"role": "assistant", "content": "FINISH([2])"})
    first, second = split(lines(chat(), chat(), other))
    assert [attempt.completion for attempt in (*first, *second)] == [FINISHED["content"], "FINISH([2])"]


def test_a_response_follows_the_one_that_it_names():
    first = response(ITEM, id="resp_1")
    second = response(SAID, id="resp_2", previous_response_id="resp_1")
    second = {**second, "custom_id": "", "input": [OUTPUT]}
    [attempt] = attempts(first, second)
    assert attempt.messages[0].calls[0].result == OUTPUT["output"]
    assert (attempt.completion, attempt.facts.input_tokens) == ("FINISH([])", 20)
    [alone] = attempts(response(SAID, previous_response_id="resp_0"))
    assert alone.notes == (FormatCode.INCOMPLETE,)


def test_a_torn_last_line_of_verifiers_is_left_out_and_said():
    whole = rollout(), rollout(example_id=1, info={"task_id": "task1_2"})
    torn = lines(*whole, rollout())[:-30]
    records, _, warnings = read(torn)
    assert len(records) == 2
    [warning] = [each for each in warnings.listed if each.code == FormatCode.LINE_TORN]
    assert "task1_2" in warning.message
    first, second = split(lines(rollout(), rollout(), rollout())[:-30])
    assert (first[0].notes, second[0].notes) == ((), (FormatCode.LINE_TORN,))
    _, problems, _ = read(lines(rollout())[:-30] + b"\n" + lines(rollout()))
    assert problems.total == 1
    # Other harnesses leave none.
    _, problems, _ = read(lines(chat(), chat(task_id="task1_2"))[:-30])
    assert [problem.code for problem in problems.listed] == ["json.truncated"]


def test_the_last_branch_of_a_trace_counts_and_calls_on_others_are_said():
    nodes = [node(ASKED), node(calls(call("a")), 0), node(reply("a"), 1), node(FINISHED, 0)]
    [attempt] = attempts(episode(*nodes))
    assert [message.calls for message in attempt.messages] == [(), ()]
    assert attempt.notes == (FormatCode.OTHER_BRANCHES,)
    # A parent that is none, or a circle, ends the branch.
    for parent in (1, 0, 7, -1, 10**30, "0", None, True):
        nodes = [node(ASKED, 1), {"message": FINISHED, "parent": parent}]
        [attempt] = attempts(episode(*nodes))
        assert attempt.completion == FINISHED["content"], parent


def test_the_trace_of_a_judge_is_left_out_and_several_agents_are_refused():
    assert attempts(episode(agents=("solver", "judge")))[0].completion == FINISHED["content"]
    [problem] = read(lines(episode(agents=("solver", "critic"))))[1].listed
    assert (problem.code, problem.pointer) == ("log.several-systems", "/traces")


def test_a_run_that_crashed_says_so_before_it_asks_for_another_answer():
    failed = {"custom_id": "task1_1", "response": {"status_code": 429, "body": {}}, "error": None}
    [problem] = read(lines(failed, {**failed, "custom_id": "task1_2"}))[1].listed
    assert problem.message.startswith("2 attempts ended with an error (such as “HTTP 429”)")
    assert "FINISH" not in problem.hint


def test_a_sample_counts_once_for_all_filters_and_its_repeats_are_runs():
    filtered = sample(filter="finish", filtered_resps=["[1]"])
    assert len(attempts(sample(), filtered)) == 1
    first, second = split(lines(sample("FINISH([1])", "FINISH([2])"), sample("FINISH([3])", doc_id=1)))
    assert [attempt.completion for attempt in (*first, *second)] == [
        "FINISH([1])",
        "FINISH([3])",
        "FINISH([2])",
    ]
    # An answer that only a filter found is none, and a warning says so.
    records, _, warnings = read(lines(sample("It is FINISH([1])", filtered_resps=["[1]"]), sample(doc_id=1)))
    assert [record.answer for record in records] == [None, '["S1"]']
    assert FormatCode.ANSWER_FORM in {warning.code for warning in warnings.listed}


def test_a_result_of_a_batch_of_anthropic_has_an_answer_or_the_cause_why_there_is_none():
    content = [{"type": "thinking", "thinking": "FINISH([7])"}, {"type": "text", "text": 'FINISH(["S1"])'}]
    usage = {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 2}
    message = {"role": "assistant", "content": content, "model": "heron-2", "usage": usage}
    refusal = {"type": "succeeded", "message": {"content": [], "stop_reason": "refusal"}}
    overloaded = {"type": "errored", "error": {"type": "error", "error": {"message": "Overloaded"}}}
    results = ({"type": "succeeded", "message": message}, refusal, overloaded, {"type": "expired"})
    batch = [{"custom_id": f"task1_{n}", "result": result} for n, result in enumerate(results, 1)]
    found = attempts(*batch)
    assert [attempt.error for attempt in found] == ["", "refusal", "Overloaded", "expired"]
    assert (found[0].facts.input_tokens, found[0].facts.cached_tokens) == (15, 5)
    records, _, _ = read(lines(*batch)[:-10])
    assert [record.answer for record in records] == ['["S1"]', None, None]


def test_a_reference_in_a_line_is_never_read():
    for record in (rollout(answer="[777]"), sample(target="[777]"), chat(answer="[777]")):
        [attempt] = attempts(record)
        assert "777" not in repr(attempt)
        assert read(lines(record))[0][0].answer == '["S1"]'


def test_two_runs_in_folders_of_a_zip_follow_one_another_and_two_models_are_refused():
    def zipped(*models: str) -> bytes:
        files = {f"evals/{n}/results.jsonl": lines(rollout()) for n in range(len(models))}
        known = {f"evals/{n}/metadata.json": lines({"model": model}) for n, model in enumerate(models)}
        return as_zip(files | known)

    runs = split(zipped("heron-2", "heron-2"))
    assert [attempt.facts.model for run in runs for attempt in run] == ["heron-2", "heron-2"]
    assert [each.code for each in refused(split, zipped("heron-2", "plover"))] == ["log.several-systems"]


def test_a_record_of_another_format_is_none_of_these():
    for record in (
        {"index": 0, "output": {"result": "[1]", "history": []}},
        {"task_id": "task1_1", "answer": "[1]", "post_history": []},
        {"id": "task1_1", "result": "[1]", "messages": [ASKED]},
        {"question_id": "a", "agent_answer": "x", "messages": [ASKED, FINISHED]},
        {"question_id": "a", "final_answer": None, "messages": [ASKED, FINISHED]},
        {"version": "v1", "results": [{"task_id": "task1_1", "answer": "[1]"}]},
        {"participants": {}, "results": [{"task_results": {}}]},
        {"custom_id": "a", "response": "text"},
        {"output": {"result": "[1]"}, "messages": [ASKED, FINISHED]},
        *({"output": []}, {"messages": []}, {"traces": [], "task": "x"}, [ASKED, FINISHED], None, "messages"),
    ):
        assert format_of_record(record) is None, record
