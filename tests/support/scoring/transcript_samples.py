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
        code=FormatCode.SEVERAL_CHOICES,
        raw=lines(batch(), batch(custom_id="task1_2", choices=3)),
        pointer="/response/body/choices",
        line=2,
        text="3 answers",
    ),
    Sample(
        code=FormatCode.LINE_TORN, raw=lines(rollout(), rollout(example_id=1))[:-30], line=1, text="task1_1"
    ),
    Sample(code=FormatCode.LINE_REPEATED, raw=lines(chat(), chat()), line=2, text="task1_1"),
    Sample(
        code=FormatCode.TRUNCATED,
        raw=lines(rollout(is_truncated=True, stop_condition="max_turns")),
        text="1 attempt",
    ),
    Sample(code=FormatCode.TRUNCATED, raw=lines(chat(_CUT, FINISHED)), text="task1_1"),
    Sample(
        code=FormatCode.INCOMPLETE,
        raw=lines(response(_SAID, previous_response_id="resp_0")),
        text="task1_1",
    ),
    Sample(code=FormatCode.OTHER_BRANCHES, raw=lines(episode(*_BRANCHES)), text="1 attempt"),
    Sample(code=FormatCode.SINGLE_TURN, raw=lines(batch(), batch(custom_id="task1_2")), text="2 attempts"),
    Sample(
        code=FormatCode.MAYBE_TRAINING,
        raw=lines({"task_id": "task1_1", "messages": [ASKED, FINISHED]}),
        text="1 attempt",
    ),
)
