"""Remarks on answers and histories that follow from the type of the task alone.

Nothing here may look at a reference, because the sender of the file sees these remarks.
Source: MedAgentBench's evaluator (refsol.py): what it compares the answer of each type with, and how it
reads a history.
"""

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from wardboard.scoring.medagentbench.reading.answers import parse_json
from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Findings, Steps
from wardboard.scoring.reading.limits import KIB, size
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.no_answers import is_no_answer
from wardboard.scoring.reading.problems import quote
from wardboard.scoring.reading.reports.fixes import change_value


def _number(value: Any) -> bool:
    # NaN and infinities parse, but no measurement equals them.
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _one_number(answer: list[Any]) -> bool:
    return len(answer) == 1 and _number(answer[0])


def _nothing_or_number(answer: list[Any]) -> bool:
    return not answer or _one_number(answer)


def _age(answer: list[Any]) -> bool:
    return _one_number(answer) and answer[0] == math.floor(answer[0])


def _value_and_time(answer: list[Any]) -> bool:
    if len(answer) == 2:
        return _number(answer[0]) and isinstance(answer[1], str)
    return answer in ([], [-1])


_FINISH = re.compile(r"\s*FINISH\((.*)\)\s*", re.DOTALL)
# Parsing a megabyte of brackets is slow, and not worth it for a remark. No right answer has this many
# brackets, and no real payload this many characters.
_BRACKETS, _PAYLOAD = 100, 64 * KIB
LEAVE_OUT = phrase("Keep the POSTs of the agent and the replies to them, and leave out the rest.")
_AGAIN = phrase("Run the task again.")
_WITHOUT_FINISH = phrase("Write what is between the brackets of FINISH(...).")
# task3 and task8 are not here, since their answers are not read.
_SHAPES: dict[str, Callable[[list[Any]], bool]] = {
    "task1": lambda answer: len(answer) == 1 and isinstance(answer[0], str),
    "task2": _age,
    "task4": _one_number,
    "task5": _nothing_or_number,
    "task6": _one_number,
    "task7": _one_number,
    "task9": _nothing_or_number,
    "task10": _value_and_time,
}


def check_answer(
    task_id: str | None, answer: str, steps: Steps, findings: Findings, *, is_written: bool = True
) -> None:
    """Report faults of one answer: in its size, and in its shape if the task is known.

    is_written: whether the text of the file is the answer, so that a fix can change it
    """
    if exceeds(answer, findings.limits.text_bytes):
        message = phrase("the answer is longer than {limit}", limit=size(findings.limits.text_bytes))
        findings.problem(DocumentCode.TEXT_TOO_LARGE, steps, message)
        return
    kind = (task_id or "").partition("_")[0]
    if kind not in _SHAPES:
        return
    message = phrase(
        "“{answer}” does not have the form that {task_type} requires", answer=quote(answer), task_type=kind
    )
    if is_written and (finish := _FINISH.fullmatch(answer)):
        fix = change_value(answer, finish[1])
        findings.warning(Code.ANSWER_SHAPE, steps, message, _WITHOUT_FINISH, fix)
        return
    code = Code.ANSWER_SHAPE
    if answer.count("[") + answer.count("{") <= _BRACKETS:
        try:
            parsed = parse_json(answer)
        except ValueError:
            code, message = Code.ANSWER_NOT_JSON, phrase("“{answer}” is not JSON", answer=quote(answer))
        else:
            if isinstance(parsed, list) and _SHAPES[kind](parsed):
                return
    if is_no := is_no_answer(answer):
        message = phrase("“{answer}” is an error or a refusal, and no answer", answer=quote(answer))
    findings.warning(code, steps, message, _AGAIN if is_no else None)


def check_history(
    history: list[Any], findings: Findings, places: Sequence[Steps | None] | None = None
) -> None:
    """Report faults in the contents of a history, whose place `findings` has.

    Malformed items are left to the schema.
    places: of the contents, from that of `findings`; by default as in a list of items. None for one that is
    reported already.
    """
    limit = findings.limits.text_bytes
    for position, item in enumerate(history):
        findings.check_time()
        content = item.get("content") if isinstance(item, dict) else None
        place = places[position] if places else (position, "content")
        if not isinstance(content, str) or place is None:
            continue
        if exceeds(content, limit):
            message = phrase("the content is longer than {limit}", limit=size(limit))
            findings.problem(DocumentCode.TEXT_TOO_LARGE, place, message, LEAVE_OUT)
        elif "POST" in content and item.get("role") == "agent":
            _check_post(content, position == len(history) - 1, place, findings)


def exceeds(text: str, limit: int) -> bool:
    """Return whether `text` takes more than `limit` bytes in UTF-8."""
    # No character takes more than four bytes. A lone surrogate, which UTF-8 cannot encode, counts as three.
    return len(text) * 4 > limit and len(text.encode("utf-8", "surrogatepass")) > limit


def _check_post(content: str, last: bool, place: Steps, findings: Findings) -> None:
    if last:
        message = phrase("the last message is the agent's and contains POST, with no reply after it")
        findings.warning(Code.HISTORY_ENDS_WITH_POST, place, message)
    # Other texts with these letters (`COMPOST`, a comment on a POST) are not meant to carry a payload.
    if not content.lstrip().startswith("POST"):
        return
    line, _, payload = content.partition("\n")
    if len(payload) > _PAYLOAD:
        return
    try:
        parse_json(payload)
    except ValueError:
        message = phrase("the payload of “{line}” is not JSON", line=quote(line))
        findings.warning(Code.PAYLOAD_NOT_JSON, place, message)
