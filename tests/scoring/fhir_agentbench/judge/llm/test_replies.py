"""Reading the replies of language models, usable and unusable."""

import json

from tests.support.llm_server import LlmReply, LlmServer
from tests.support.scoring.llm_cases import CallLedger, judge_at, label, make_case
from wardboard.scoring.fhir_agentbench.judge.llm.replies import read_label, read_reply

RIGHT = (
    *('{"correct": 1}', ' {"correct": true}\n', '{"correct": 1.0}', '```json\n{"correct": 1}\n```'),
    *('{"correct": 1, "confidence": 0}', "1", "<think>0 or 1? The truth is 0</think>1"),
)
WRONG = ('{"correct":0}', '{"correct": "0"}', "0")
UNUSABLE = (
    'My verdict: {"correct": 1}. Confidence: 0',
    *("1.", "Verdict: 1", "1 - the agent says that there are 0 records", "1 would be too kind. I say: 0!"),
    *("<think>0 or 1? It could be 0, or", '{"correct": 2}', '{"correct": null}', '{"verdict": "yes"}', "{}"),
    *("[1, 0]", "10", "0.95", "1,5", "2024-01-01", "-1", "correct", "I cannot help with that.", "", "null"),
    "[" * 100_000,
)


def test_the_verdict_is_the_structure_or_a_bare_0_or_1_and_nothing_is_read_from_prose():
    for texts, expected in [(RIGHT, True), (WRONG, False), (UNUSABLE, None)]:
        for text in texts:
            assert read_label(text) is expected, text


def test_a_body_that_is_not_a_completion_is_an_unusable_reply_and_odd_counts_of_tokens_are_none():
    for body in [
        b"",
        b"<html>busy</html>",
        b"null",
        b"\xff\xfe",
        b'{"choices": []}',
        b'{"choices": [{"message": {"content": null}}], "usage": {"prompt_tokens": "many"}}',
        b'{"choices": [{"message": {"content": ["1"]}}], "usage": []}',
        b"[" * 100_000,
    ]:
        reply = read_reply(body)
        assert (reply.label, reply.prompt_tokens, reply.completion_tokens) == (None, 0, 0), body
    usage = {"prompt_tokens": -5, "completion_tokens": 1e300}
    reply = read_reply(json.dumps({"choices": [{"message": {"content": "1"}}], "usage": usage}).encode())
    assert (reply.label, reply.prompt_tokens, reply.completion_tokens) == (True, 0, 0)


USELESS = [
    LlmReply(text="I would rather not say."),
    LlmReply(text=None),
    LlmReply(text='{"correct": 1}', refusal="no"),
    LlmReply(text="The answer is 0 or 1", finish="length"),
    LlmReply(text="1", finish="content_filter"),
    LlmReply(text="<html>", raw=True),
]


def test_an_unusable_reply_is_paid_for_and_asked_for_again():
    for reply in USELESS:
        ledger = CallLedger()
        with LlmServer(reply, label(0)) as server:
            verdict = judge_at(server, ledger).judge_all([make_case()])[0]
            assert (verdict.correct, verdict.by) == (False, "llm"), reply
            keys = [request.headers["idempotency-key"] for request in server.requests]
            assert len(set(keys)) == 2, reply
            assert "alone" not in server.requests[0].user, reply
            assert "alone" in server.requests[1].user, reply
        assert [call.correct for call in ledger.recorded] == [None, False], reply
