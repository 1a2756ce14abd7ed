"""Read the attempts of a harness's log as the records of a submission.

A log is read by the protocol of the official harness: the agent ends with FINISH(...), and POSTs by its
tools, or in its text if it has none. Source: MedAgentBench's harness.
"""

import json
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any

import msgspec

from wardboard.scoring.medagentbench.reading.answers import is_list, parse_json, within_finish
from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.expectations import LEAVE_OUT, check_answer, check_history
from wardboard.scoring.medagentbench.reading.records import TaskResult
from wardboard.scoring.medagentbench.reading.result_file import check_task
from wardboard.scoring.medagentbench.reading.tasks import ExpectedTasks
from wardboard.scoring.medagentbench.reading.tool_calls.calls import words_of_name
from wardboard.scoring.medagentbench.reading.tool_calls.histories import SignTotals, ToolHistory
from wardboard.scoring.medagentbench.reading.tool_calls.programs import answer_of_program
from wardboard.scoring.medagentbench.reading.tool_calls.refused import (
    posts_of_history,
    posts_of_texts,
    with_refused,
)
from wardboard.scoring.medagentbench.reading.tool_calls.replies import Reply
from wardboard.scoring.medagentbench.reading.tool_calls.texts import value_of
from wardboard.scoring.reading.collector import Findings, Steps
from wardboard.scoring.reading.formats.attempts import Attempt
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.notes import attempts_of_one_run, unread_message
from wardboard.scoring.reading.messages import phrase, phrase_n
from wardboard.scoring.reading.problems import quote
from wardboard.scoring.traces.conversation import messages_of_attempt
from wardboard.scoring.traces.trace_file import TraceWriter

# Where a call that ends the task has the answer, and the words after "submit" in the name of one.
_KEYS = ("answer", "answers", "result", "results", "final_answer", "value", "values", "submission", "output")
_OF_SUBMIT = {"answer", "answers", "final", "result", "results", "solution", "response"}


def read_attempts(
    attempts: Iterable[Attempt],
    expected: ExpectedTasks,
    findings: Findings,
    *,
    traces: TraceWriter | None = None,
) -> list[TaskResult]:
    """Return the records of `attempts`, of one run; they are unusable if there is a problem."""
    positions: dict[str, int] = {}
    records: list[TaskResult] = []
    totals = SignTotals()
    items, has_answer, first, errors, unread = 0, False, None, list[str](), ""
    named = (_named(attempt, expected, findings) for attempt in attempts)
    for position, attempt in enumerate(attempts_of_one_run(named, findings)):
        here = attempt.here(findings)
        first = first or Attempt(
            task_id=attempt.task_id, place=attempt.place, line=attempt.line, answer_place=attempt.answer_place
        )
        if not attempt.task_id:
            continue
        place_of_id = here.renaming({"task_id": attempt.task_place})
        check_task(attempt.task_id, position, positions, expected, place_of_id)
        history, places = _history(attempt, here, totals)
        items += len(history)
        if items > findings.limits.history_items:
            message = phrase(
                "the histories hold more than {limit:,} items", limit=findings.limits.history_items
            )
            here.problem(Code.RESULTS_TOO_MANY, (), message, LEAVE_OUT)
            break
        check_history(history, here, places)
        answer = _answer(attempt, here)
        has_answer = has_answer or answer is not None
        errors += [attempt.error] if attempt.error and answer is None else []
        unread = unread or (attempt.unread[1] if attempt.unread else "")
        if not findings.problems:
            if traces:
                traces.add(attempt.task_id, messages_of_attempt(attempt))
            records.append(
                TaskResult(
                    task_id=attempt.task_id,
                    answer=answer,
                    post_history=history,
                    finished=attempt.facts.finished,
                    is_whole=_has_calls_beside(attempt, history),
                    facts=attempt.facts,
                )
            )
    if first and not has_answer and not findings.problems:
        message, hint = phrase("no last text of an agent begins with FINISH( or is a JSON list"), None
        if unread:
            message, hint = unread_message(unread), FormatCode.PART_UNREAD.fix
        if errors:
            message = phrase_n(
                "{n:,} attempt ended with an error (“{reason}”), and none has an answer",
                "{n:,} attempts ended with an error (such as “{reason}”), and none has an answer",
                len(errors),
                reason=quote(errors[0]),
            )
            hint = phrase("Remove the cause of the error, and run the tasks again.")
        first.here(findings).problem(FormatCode.NO_ANSWERS, first.answer_place, message, hint)
    totals.report()
    # Reading ends at an attempt of another run: what follows it is not missing.
    has_ended = any(each.code == FormatCode.SEVERAL_RUNS for each in findings.problems.listed)
    if not has_ended and (missing := expected.missing(set(positions))):
        findings.warning_first(Code.TASKS_MISSING, (), missing)
    return records


def _named(attempt: Attempt, expected: ExpectedTasks, findings: Findings) -> Attempt:
    """Return an attempt with the task that it states; without one, with the task whose text it has.

    A stated task whose text it lacks, while it has that of another, is reported.
    """
    if attempt.task_id:
        other = expected.task_of_prompt(attempt.prompt)
        if other and not expected.has_text(attempt.task_id, attempt.prompt):
            message = phrase(
                "the log names {task}, and its text is that of {other}",
                task=quote(attempt.task_id),
                other=other,
            )
            attempt.here(findings).problem(FormatCode.TASKS_DISAGREE, (), message)
        return attempt
    if task_id := expected.task_of_prompt(attempt.prompt):
        return msgspec.structs.replace(
            attempt, task_id=task_id, notes=(*attempt.notes, FormatCode.TASK_DERIVED)
        )
    message = phrase("neither an id nor a text names the task")
    attempt.here(findings).problem(FormatCode.TASK_UNNAMED, (), message)
    return attempt


def _answer(attempt: Attempt, here: Findings) -> str | None:
    """Return the answer as the harness takes it; None without one.

    It is the one that the log states, else that of the last call that gives one, else that in the last text
    of the agent.
    """
    last = next((each for each in reversed(attempt.messages) if each.role == "agent" and each.text), None)
    text, text_place = attempt.completion, attempt.answer_place or (last.text_place if last else ())
    of_text = answer_of_text(text) if text is not None else None
    calls = (call for message in reversed(attempt.messages) for call in reversed(message.calls))
    given = ((answer_of_call(call.name, call.arguments, call.result), call.place) for call in calls)
    of_call, place = next((each for each in given if each[0] is not None), (None, text_place))
    answer, other = (of_text, None) if of_call is None else (of_call, of_text)
    if attempt.states_answer:
        # Without a place, the log shows that the answer is elsewhere.
        answer, other, place = attempt.answer, answer if attempt.answer_place else None, attempt.answer_place
    if other is not None and not _is_same(answer, other):
        message = phrase(
            "the answer is “{answer}”, and the log holds “{other}” too",
            answer=quote(answer or ""),
            other=quote(other),
        )
        here.warning(FormatCode.DISAGREES, place, message)
    if answer is not None:
        # People do not write logs: what to change is in the agent.
        check_answer(attempt.task_id, answer, place, here, is_written=False)
    elif text is None or attempt.states_answer:
        message = phrase("there is no answer")
        if attempt.error:
            message = phrase("there is no answer; it ended with “{reason}”", reason=quote(attempt.error))
        here.warning(Code.ANSWER_NULL, place, message)
    else:
        message = phrase("“{text}” is neither FINISH(...) nor a JSON list", text=quote(text.strip()))
        here.warning(FormatCode.ANSWER_FORM, place, message)
    return answer


def _is_same(answer: str | None, other: str) -> bool:
    if answer is None:
        return False
    try:
        return bool(parse_json(answer) == parse_json(other))
    except ValueError:
        return answer.strip() == other.strip()


def answer_of_text(text: str) -> str | None:
    """Return the answer in the last text of an agent: FINISH(...), or a JSON list; None in another text."""
    command = text.strip().replace("```tool_code", "").replace("```", "").strip()
    if (finished := within_finish(command)) is not None:
        return finished
    return text.strip() if is_list(text) else None


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


def _history(
    attempt: Attempt, here: Findings, totals: SignTotals
) -> tuple[list[dict[str, str]], list[Steps | None]]:
    """Return the history and the places of its contents: the POSTs by tools, or all texts without tools."""
    if attempt.history is not None:
        return _stated_history(attempt, attempt.history, here)
    if any(message.calls for message in attempt.messages):
        tools = ToolHistory(attempt.messages, here)
        totals.add(attempt.task_id, tools, here)
        return tools.items, tools.places
    shown = [message for message in attempt.messages if message.role != "system"]
    # An agent without a word is no item: the official harness would have asked again.
    shown = [message for message in shown if message.text or message.role == "user"]
    items = [{"role": message.role, "content": message.text} for message in shown]
    return items, [message.text_place for message in shown]


def _stated_history(
    attempt: Attempt, history: Sequence[dict[str, str]], here: Findings
) -> tuple[list[dict[str, str]], list[Steps | None]]:
    """Return the history that the log states, with the refused POSTs that only the messages have."""
    stated = posts_of_history(history)
    seen = posts_of_texts(attempt.messages)
    if any(message.calls for message in attempt.messages):
        # The history shows what of these calls is unclear by themselves.
        seen = ToolHistory(attempt.messages, here.discarded()).posts
    if (merged := with_refused(stated, seen)) is None:
        message = phrase("the log holds a POST that was accepted and is not in the answer file")
        here.warning(FormatCode.DISAGREES, attempt.answer_place, message)
        merged = stated
    return [item for post in merged for item in post.items], [
        place for post in merged for place in post.places or [attempt.answer_place] * len(post.items)
    ]


def _has_calls_beside(attempt: Attempt, history: list[dict[str, str]]) -> bool:
    """Return whether an attempt has more calls of tools than its history has requests."""
    requests = sum(item["role"] == "agent" for item in history)
    return sum(len(message.calls) for message in attempt.messages) > requests
