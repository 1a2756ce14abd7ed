"""Find the answer that a call of a tool gives: one that ends the task, or the benchmark's own command."""

import json
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from wardboard.scoring.medagentbench.reading.answers import within_finish
from wardboard.scoring.medagentbench.reading.tool_calls.calls import words_of_name
from wardboard.scoring.medagentbench.reading.tool_calls.programs import answer_of_program
from wardboard.scoring.medagentbench.reading.tool_calls.replies import Reply
from wardboard.scoring.medagentbench.reading.tool_calls.texts import value_of

_KEYS = ("answer", "answers", "result", "results", "final_answer", "value", "values", "submission", "output")
_OF_SUBMIT = {"answer", "answers", "final", "result", "results", "solution", "response"}


def answer_of_call(name: Any, arguments: Any, result: Any) -> str | None:
    """Return the answer that a call gives, as FINISH(...) would have it; None for a call that gives none.

    result: None if there is no reply. A call that its reply refuses gives none.
    """
    arguments = value_of(arguments)
    words = words_of_name(name)
    answer: Any = None
    if _ends_task(words):
        answer = arguments
        if isinstance(arguments, dict):
            named = [arguments[key] for key in _KEYS if key in arguments]
            answer = next(iter(named or (arguments.values() if len(arguments) == 1 else ())), None)
    elif isinstance(arguments, dict):
        answer = answer_of_program(words, arguments)
    if answer is None or Reply(result).accepts(None) is False:
        return None
    if not isinstance(answer, str):
        return json.dumps(answer)
    finished = within_finish(answer.strip())
    return answer if finished is None else finished


def _ends_task(words: Sequence[str]) -> bool:
    return "finish" in words or any(
        (word == "submit" and (following is None or following in _OF_SUBMIT))
        or (word, following) == ("final", "answer")
        for word, following in zip_longest(words, words[1:])
    )
