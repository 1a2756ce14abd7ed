"""Read a result file, the first of the formats of a submission, and the results of others like it."""

from collections.abc import Container, Iterable
from typing import Any

from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.expectations import LEAVE_OUT, check_answer, check_history
from wardboard.scoring.medagentbench.reading.records import LATEST, TaskResult, messages
from wardboard.scoring.medagentbench.reading.schema_check import check_file, check_result
from wardboard.scoring.medagentbench.reading.tasks import PUBLISHED, ExpectedTasks
from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.values import moment
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import quote
from wardboard.scoring.reading.reports.fixes import change_value


def read_result_file(
    document: dict[str, Any], expected: ExpectedTasks, findings: Findings
) -> list[TaskResult]:
    """Return the records of a file that has `results`; they are unusable if there is a problem."""
    check_file(document, expected, findings)
    version, results = document.get("version"), document["results"]
    if isinstance(version, str) and version != expected.version:
        message = phrase(
            "the file says version “{version}”; this leaderboard takes “{wanted}”",
            version=quote(version),
            wanted=quote(expected.version),
        )
        findings.problem(Code.VERSION_MISMATCH, ("version",), message)
    if not isinstance(results, list) or not _check_counts(results, findings):
        return []
    rows = ((findings.at("results", position), result) for position, result in enumerate(results))
    records, answered = read_results(rows, expected, findings, stated=version)
    if missing := expected.missing(answered):
        findings.warning_first(Code.TASKS_MISSING, ("results",), missing)
    return records


def read_results(
    rows: Iterable[tuple[Findings, Any]],
    expected: ExpectedTasks,
    findings: Findings,
    *,
    stated: Any = None,
    explained: Container[str] = (),
) -> tuple[list[TaskResult], set[str]]:
    """Return the records of results, each given with its place, and the ids of the tasks that they answer.

    The records are unusable if there is a problem.

    stated: the version that the file states. explained: tasks without an answer, of which a warning says why
    """
    positions: dict[str, int] = {}
    records = []
    for position, (here, result) in enumerate(rows):
        findings.check_time()
        check_result(result, here)
        if not isinstance(result, dict):
            continue
        check_task(result.get("task_id"), position, positions, expected, here, stated=stated)
        _check_texts(result, here, explained)
        if not findings.problems:
            record = TaskResult(
                task_id=result["task_id"],
                answer=result["answer"],
                post_history=messages(result.get("post_history")),
                finished=_finished(result.get("timestamp")),
            )
            records.append(record)
    return records, set(positions)


def _finished(timestamp: Any) -> int | None:
    """Return the time that a result states, in milliseconds since 1970, as UTC if it has no zone."""
    seconds = moment(timestamp)
    at = -1 if seconds is None else round(seconds * 1000)
    return at if 0 <= at <= LATEST else None


def _check_counts(results: list[Any], findings: Findings) -> bool:
    """Return whether there are few enough results and history items to check them one by one."""
    limits = findings.limits
    if not results:
        findings.problem(Code.RESULTS_EMPTY, ("results",), phrase("`results` is empty"))
    if len(results) > limits.results:
        count = len(results)
        message = phrase(
            "there are {count:,} results; the limit is {limit:,}", count=count, limit=limits.results
        )
        findings.problem(Code.RESULTS_TOO_MANY, ("results",), message)
        return False
    histories = (result.get("post_history") for result in results if isinstance(result, dict))
    items = sum(len(history) for history in histories if isinstance(history, list))
    if items > limits.history_items:
        limit = limits.history_items
        message = phrase(
            "the histories hold {count:,} items; the limit is {limit:,}", count=items, limit=limit
        )
        findings.problem(Code.RESULTS_TOO_MANY, ("results",), message, LEAVE_OUT)
        return False
    return True


def check_task(
    task_id: Any,
    position: int,
    positions: dict[str, int],
    expected: ExpectedTasks,
    findings: Findings,
    *,
    stated: Any = None,
) -> None:
    """Report an unknown or repeated id, and add any other to `positions`.

    positions: task id -> the position of its result. stated: the version that the file states.
    """
    if not isinstance(task_id, str):
        return
    if task_id not in expected.known:
        if stated != expected.version and isinstance(stated, str) and task_id in PUBLISHED.get(stated, ()):
            # A wrong version is reported once, not for each id.
            return
        message, hint, fix = phrase("“{id}” is not a task on this leaderboard", id=quote(task_id)), None, None
        if near := expected.near(task_id):
            hint = phrase("Use {id} if that is what you meant.", id=near)
            fix = change_value(task_id, near)
        elif any(task_id in ids for ids in PUBLISHED.values()):
            hint = phrase("It is of another version: submit the file to its leaderboard, if it is here.")
        findings.problem(Code.TASK_ID_UNKNOWN, ["task_id"], message, hint, fix)
    elif task_id in positions:
        message = phrase(
            "{id} is answered already by result {number}",
            id=task_id,
            number=positions[task_id] + 1,
        )
        findings.problem(Code.TASK_ID_REPEATED, ["task_id"], message)
    else:
        positions[task_id] = position


def _check_texts(result: dict[str, Any], findings: Findings, explained: Container[str]) -> None:
    task_id, answer = result.get("task_id"), result.get("answer")
    task_id = task_id if isinstance(task_id, str) else None
    if isinstance(answer, str):
        check_answer(task_id, answer, ["answer"], findings)
    elif answer is None and "answer" in result and task_id not in explained:
        findings.warning(Code.ANSWER_NULL, ["answer"], phrase("there is no answer"))
    history = result.get("post_history")
    if isinstance(history, list):
        check_history(history, findings.at("post_history"))
    elif history is None:
        steps = ["post_history"] if "post_history" in result else []
        findings.warning(Code.HISTORY_MISSING, steps, phrase("there is no history"))
