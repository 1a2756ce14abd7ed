"""Read the attempts of a harness's log as the records of a submission.

A log is read by the protocol of the official harness: the agent ends with FINISH(...), and POSTs by its
tools, or in its text if it has none. Source: MedAgentBench's harness.
"""

from collections.abc import Iterable

from scoring.medagentbench.reading.answers import is_list, within_finish
from scoring.medagentbench.reading.codes import Code
from scoring.medagentbench.reading.expectations import check_answer, check_history
from scoring.medagentbench.reading.records import TaskResult
from scoring.medagentbench.reading.result_file import check_task
from scoring.medagentbench.reading.tasks import ExpectedTasks
from scoring.medagentbench.reading.tool_calls.histories import ToolHistory
from scoring.reading.collector import Findings, Steps
from scoring.reading.formats.attempts import Attempt
from scoring.reading.formats.codes import FormatCode
from scoring.reading.formats.notes import attempts_of_one_run
from scoring.reading.messages import phrase
from scoring.reading.problems import quote


def read_attempts(
    attempts: Iterable[Attempt], expected: ExpectedTasks, findings: Findings
) -> list[TaskResult]:
    """Return the records of `attempts`, of one run; they are unusable if there is a problem."""
    positions: dict[str, int] = {}
    records: list[TaskResult] = []
    items, has_answer, first = 0, False, None
    for position, attempt in enumerate(attempts_of_one_run(attempts, findings)):
        here = attempt.here(findings)
        first = first or Attempt(
            task_id=attempt.task_id, place=attempt.place, line=attempt.line, answer_place=attempt.answer_place
        )
        named = here.renaming({"task_id": attempt.task_place})
        check_task(attempt.task_id, position, positions, expected, named, stated=None)
        history, places = _history(attempt, here)
        items += len(history)
        if items > findings.limits.history_items:
            message = phrase(
                "the histories hold more than {limit:,} items", limit=findings.limits.history_items
            )
            here.problem(Code.HISTORY_TOO_MANY, (), message)
            break
        check_history(attempt.task_id, history, here, places)
        answer = _answer(attempt, here)
        has_answer = has_answer or answer is not None
        if not findings.problems:
            records.append(
                TaskResult(
                    task_id=attempt.task_id,
                    answer=answer,
                    post_history=history,
                    finished=attempt.facts.finished,
                )
            )
    if first and not has_answer and not findings.problems:
        message = phrase("no attempt ends with FINISH(...) or with a JSON list")
        first.here(findings).problem(FormatCode.NO_ANSWERS, first.answer_place, message)
    if missing := expected.missing(set(positions)):
        findings.warning_first(Code.TASKS_MISSING, (), missing)
    return records


def _answer(attempt: Attempt, here: Findings) -> str | None:
    """Return the answer as the harness takes it from the last text of the agent; None without one."""
    place = attempt.answer_place
    text = attempt.answer if attempt.states_answer else attempt.completion
    if text is None:
        message = phrase("there is no answer")
        if attempt.error:
            message = phrase("there is no answer; it ended with “{reason}”", reason=quote(attempt.error))
        here.warning(Code.ANSWER_NULL, place, message)
        return None
    answer = text if attempt.states_answer else answer_of_text(text)
    if answer is None:
        message = phrase("“{text}” is neither FINISH(...) nor a JSON list", text=quote(text.strip()))
        here.warning(FormatCode.ANSWER_FORM, place, message)
        return None
    check_answer(attempt.task_id, answer, place, here)
    return answer


def answer_of_text(text: str) -> str | None:
    """Return the answer in the last text of an agent: FINISH(...), or a JSON list; None in another text."""
    command = text.strip().replace("```tool_code", "").replace("```", "").strip()
    if (finished := within_finish(command)) is not None:
        return finished
    return text.strip() if is_list(text) else None


def _history(attempt: Attempt, here: Findings) -> tuple[list[dict[str, str]], list[Steps | None]]:
    """Return the history and the places of its contents: the POSTs by tools, or all texts without tools."""
    if attempt.history is not None:
        return list(attempt.history), [attempt.answer_place] * len(attempt.history)
    if any(message.calls for message in attempt.messages):
        tools = _tool_history(attempt, here)
        return tools.items, tools.places
    shown = [message for message in attempt.messages if message.role != "system"]
    # An agent without a word is no item: the official harness would have asked again.
    shown = [message for message in shown if message.text or message.role == "user"]
    items = [{"role": message.role, "content": message.text} for message in shown]
    return items, [(*message.place, "content") for message in shown]


def _tool_history(attempt: Attempt, here: Findings) -> ToolHistory:
    """Return the POSTs of an attempt with calls of tools."""
    tools = ToolHistory(here)
    for message in attempt.messages:
        if message.role != "agent":
            continue
        tools.leave_out(message.text, (*message.place, "content"))
        for call in message.calls:
            tools.add_call(call.name, call.arguments, call.result, call.place, call.reply_place)
    tools.end()
    return tools
