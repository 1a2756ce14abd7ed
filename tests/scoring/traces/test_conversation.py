"""The messages of any form as the conversation that is stored."""

import json

from wardboard.scoring.reading.formats.attempts import Attempt, Call, Message
from wardboard.scoring.traces.conversation import TracedCall, TracedMessage, messages_of, messages_of_attempt

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
