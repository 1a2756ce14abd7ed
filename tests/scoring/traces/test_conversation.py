"""The messages of any form as the conversation that is stored."""

import pytest

from wardboard.scoring.reading.formats.attempts import Attempt, Call, Message
from wardboard.scoring.traces.conversation import TracedCall, TracedMessage, messages_of, messages_of_attempt

CALL = {"id": "c1", "function": {"name": "fhir_get", "arguments": '{"url": "Patient?name=A"}'}}
GOT = TracedCall(name="fhir_get", arguments={"url": "Patient?name=A"}, result='{"total": 1}')


@pytest.mark.parametrize(
    "messages",
    [
        [
            {"role": "assistant", "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": '{"total": 1}'},
        ],
        [
            {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "c1", "name": "fhir_get", "input": {"url": "Patient?name=A"}}
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "c1",
                        "content": [{"type": "text", "text": '{"total": 1}'}],
                    }
                ],
            },
        ],
        [
            {
                "type": "ai",
                "content": "",
                "tool_calls": [{"id": "c1", "name": "fhir_get", "args": {"url": "Patient?name=A"}}],
            },
            {"type": "tool", "tool_call_id": "c1", "content": '{"total": 1}'},
        ],
        [
            {"role": "tool_call", "content": '{"tool": "fhir_get", "arguments": {"url": "Patient?name=A"}}'},
            {"role": "tool_result", "content": '{"total": 1}'},
        ],
    ],
    ids=["openai", "anthropic", "langchain", "tool roles"],
)
def test_a_reply_is_in_its_call_whatever_the_form(messages):
    assert messages_of(messages) == [TracedMessage(role="agent", calls=[GOT])]


def test_an_attempt_is_its_messages_without_places():
    call = Call(name="fhir_get", arguments={"url": "x"}, result="r", place=("m", 1))
    attempt = Attempt(
        task_id="t", messages=(Message(role="agent", text="Now", calls=(call,), place=("m", 0)),)
    )
    expected = [TracedCall(name="fhir_get", arguments={"url": "x"}, result="r")]
    assert messages_of_attempt(attempt) == [TracedMessage(role="agent", text="Now", calls=expected)]


def test_reasoning_in_a_text_is_left_out():
    for text, kept in [
        ("<think>who is it</think>GET x", "GET x"),
        ("who is it</think>GET x", "GET x"),
        ("GET x<think>cut off", "GET x"),
        ("a<think>1</think>b<think>2</think>c", "ac"),
        ("GET x", "GET x"),
    ]:
        assert messages_of([{"role": "assistant", "content": text}])[0].text == kept, text


def test_reasoning_beside_a_text_is_left_out():
    parts = [
        {"type": "reasoning", "reasoning": "secret"},
        {"type": "thinking", "thinking": "secret", "text": "secret"},
        {"type": "text", "text": "GET x"},
    ]
    message = {"role": "assistant", "content": parts, "reasoning_content": "secret", "reasoning": "secret"}
    assert messages_of([message]) == [TracedMessage(role="agent", text="GET x")]


def test_texts_of_a_table_are_read_as_json_or_as_one_text():
    assert messages_of('[{"role": "user", "content": "q"}]') == [TracedMessage(role="user", text="q")]
    assert messages_of("[1, 2") == [TracedMessage(role="agent", text="[1, 2")]
    assert messages_of("[]") == messages_of(None) == messages_of("") == []


def test_a_reply_without_a_call_stays_a_message():
    assert messages_of([{"role": "tool", "content": "alone"}]) == [TracedMessage(role="user", text="alone")]


def test_what_is_cut_of_long_texts_is_counted():
    long = "x" * 200_000
    (message,) = messages_of([{"role": "user", "content": long}])
    assert (len(message.text), message.cut) == (131_072, 68_928)
    (message,) = messages_of(
        [{"role": "assistant", "tool_calls": [CALL]}, {"role": "tool", "content": [long] * 3}]
    )
    assert message.calls[0].cut > 400_000


def test_one_long_text_that_a_log_refers_to_often_is_not_kept_often():
    long = "x" * 1_000_000
    messages = messages_of([{"role": "user", "content": [{"type": "text", "text": long}] * 9}] * 1000)
    assert sum(len(message.text) for message in messages) == 16 * 1024 * 1024


def test_json_that_nests_too_deep_stays_text():
    deep = "[" * 50_000
    assert (
        messages_of([{"role": "assistant", "tool_calls": [{"name": "n", "arguments": deep}]}])[0]
        .calls[0]
        .arguments
        == deep
    )
