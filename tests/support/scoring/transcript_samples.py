"""A file for every code of a transcript, with the expected position of the remark."""

from tests.support.scoring.medagentbench_samples import Sample
from tests.support.scoring.transcripts import (
    ASKED,
    FINISHED,
    batch,
    call,
    calls,
    chat,
    episode,
    lines,
    node,
    response,
    rollout,
)
from wardboard.scoring.reading.formats.codes import FormatCode

_SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "FINISH([])"}]}
_BRANCHES = [node(ASKED), node(calls(call("a", {"method": "GET"})), 0), node(FINISHED, 0)]
_CUT = calls(call("a", '{"url": "http'))

SAMPLES = (
    Sample(
        FormatCode.SEVERAL_CHOICES,
        lines(batch(), batch(custom_id="task1_2", choices=3)),
        "/response/body/choices",
        line=2,
        text="3 answers",
    ),
    Sample(FormatCode.LINE_TORN, lines(rollout(), rollout(example_id=1))[:-30], line=1, text="task1_1"),
    Sample(
        FormatCode.TRUNCATED, lines(rollout(is_truncated=True, stop_condition="max_turns")), text="1 attempt"
    ),
    Sample(FormatCode.TRUNCATED, lines(chat(_CUT, FINISHED)), text="task1_1"),
    Sample(FormatCode.INCOMPLETE, lines(response(_SAID, previous_response_id="resp_0")), text="task1_1"),
    Sample(FormatCode.OTHER_BRANCHES, lines(episode(*_BRANCHES)), text="1 attempt"),
    Sample(FormatCode.SINGLE_TURN, lines(batch(), batch(custom_id="task1_2")), text="2 attempts"),
    Sample(
        FormatCode.PART_UNREAD,
        lines(chat({"role": "assistant", "content": [{"type": "deed", "n": 1}]}, FINISHED)),
        "/messages/1/content/0",
        text="deed",
    ),
    Sample(
        FormatCode.SUPERSEDED,
        lines({**batch(), "response": None, "error": "429"}, batch()),
        line=2,
        text="task1_1",
    ),
    Sample(
        FormatCode.MAYBE_TRAINING,
        lines({"task_id": "task1_1", "messages": [ASKED, FINISHED]}),
        text="1 attempt",
    ),
)
