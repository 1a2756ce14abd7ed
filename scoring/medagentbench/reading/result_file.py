"""Read a result file, the first of the formats of a submission, and the results of others like it."""

from collections.abc import Container, Iterable
from typing import Any

from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.expectations import LEAVE_OUT, check_answer, check_history
from wardboard.scoring.medagentbench.reading.records import TaskResult, messages
from wardboard.scoring.medagentbench.reading.schema_check import check_file, check_result, json_type
from wardboard.scoring.medagentbench.reading.tasks import PUBLISHED, ExpectedTasks
from wardboard.scoring.medagentbench.reading.times import time_of_result
from wardboard.scoring.reading.collector import Findings, Remark
from wardboard.scoring.reading.messages import phrase, phrase_n
from wardboard.scoring.reading.problems import quote
from wardboard.scoring.reading.reports.fixes import change_value


def read_result_file(
    document: dict[str, Any], expected: ExpectedTasks, findings: Findings
) -> list[TaskResult]:
    """Return the records of a file that has `results`; they are unusable if there is a problem."""
    check_file(document, expected, findings)
    _check_version(document, expected, findings)
    results = document["results"]
    if not isinstance(results, list) or not _check_counts(results, findings):
        return []
    rows = ((findings.at("results", position), result) for position, result in enumerate(results))
    records, answered = read_results(rows, expected, findings, stated=document.get("version"))
    if missing := expected.missing(answered):
        findings.warning_first(Code.TASKS_MISSING, ("results",), missing)
    total = document.get("total_tasks", len(results))
    if total != len(results):
        stated = quote(total) if isinstance(total, (int, str)) else json_type(total)
        message = phrase_n(
            "`total_tasks` is {total}, but the file holds {n:,} result",
            "`total_tasks` is {total}, but the file holds {n:,} results",
            len(results),
            total=stated,
        )
        findings.warning_first(Code.TOTAL_TASKS, ("total_tasks",), message)
    return records


def read_results(
    rows: Iterable[tuple[Findings, Any]],
    expected: ExpectedTasks,
    findings: Findings,
    *,
    stated: Any,
    explained: Container[str] = (),
) -> tuple[list[TaskResult], set[str]]:
    """Return the records of results, each given with its place, and the ids of the tasks that they answer.

    The records are unusable if there is a problem.

    stated: the version that the file states
    explained: tasks without an answer, of which a warning says why
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
                finished=time_of_result(result.get("timestamp")),
            )
            records.append(record)
    return records, set(positions)


def _check_version(document: dict[str, Any], expected: ExpectedTasks, findings: Findings) -> None:
    version = document.get("version")
    if not isinstance(version, str) or version == expected.version:
        return
    message = phrase(
        "the file says version “{version}”; this leaderboard takes “{wanted}”",
        version=quote(version),
        wanted=quote(expected.version),
    )
    results = document["results"] if isinstance(document["results"], list) else []
    ids = {r["task_id"] for r in results if isinstance(r, dict) and isinstance(r.get("task_id"), str)}
    wanted = quote(expected.version)
    hint, fix = None, None
    if version in PUBLISHED:
        hint = phrase(
            "Submit it to the {version} leaderboard, or correct `version` if that is wrong.", version=version
        )
        # Only ids that the version does not have prove it wrong: all boards have those of the smallest.
        if ids <= expected.known and not ids <= PUBLISHED[version]:
            hint = phrase(
                'Its task ids are those of this leaderboard: write "version": "{version}".', version=wanted
            )
            fix = change_value(version, expected.version)
    findings.problem(Code.VERSION_MISMATCH, ("version",), message, hint, fix)


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
    stated: Any,
) -> None:
    """Report an unknown or repeated id, and add any other to `positions`.

    positions: task id -> the position of its result. stated: the version that the file states.
    """
    if not isinstance(task_id, str):
        return
    version = expected.other_version_of(task_id, stated)
    if task_id not in expected.known and version and version == stated:
        # A wrong version is reported once, not for each id.
        return
    if task_id not in expected.known:
        code, message, hint, fix = _unknown(task_id, version, expected)
        findings.problem(code, ["task_id"], message, hint, fix)
    elif task_id in positions:
        message = phrase(
            "{id} is answered already by result {number}",
            id=task_id,
            number=positions[task_id] + 1,
        )
        findings.problem(Code.TASK_ID_REPEATED, ["task_id"], message)
    else:
        positions[task_id] = position


def _unknown(task_id: str, version: str | None, expected: ExpectedTasks) -> Remark:
    """Return the remark on an id. version: another version that has the task, if any."""
    quoted_id, code = quote(task_id), Code.TASK_ID_UNKNOWN
    if near := expected.near(task_id):
        message = phrase(
            "“{id}” is not a task on this leaderboard; did you mean {near}?", id=quoted_id, near=near
        )
        hint = phrase("Use {id} if that is what you meant.", id=near)
        return Remark(code, message, hint, change_value(task_id, near))
    if version:
        message = phrase(
            "“{id}” is not a task on this leaderboard but on {version}", id=quoted_id, version=version
        )
        hint = phrase(
            "Submit the file to the {version} leaderboard, or leave this result out.", version=version
        )
        return Remark(code, message, hint)
    return Remark(code, phrase("“{id}” is not a task on this leaderboard", id=quoted_id))


def _check_texts(result: dict[str, Any], findings: Findings, explained: Container[str]) -> None:
    task_id, answer = result.get("task_id"), result.get("answer")
    task_id = task_id if isinstance(task_id, str) else None
    if isinstance(answer, str):
        check_answer(task_id, answer, ["answer"], findings)
    elif answer is None and "answer" in result and task_id not in explained:
        findings.warning(Code.ANSWER_NULL, ["answer"], phrase("`{field}` is null", field="answer"))
    history = result.get("post_history")
    if isinstance(history, list):
        check_history(task_id, history, findings.at("post_history"))
    elif "post_history" not in result:
        findings.warning(Code.HISTORY_MISSING, [], phrase("there is no `post_history`"))
    elif history is None:
        findings.warning(
            Code.HISTORY_MISSING, ["post_history"], phrase("`{field}` is null", field="post_history")
        )
