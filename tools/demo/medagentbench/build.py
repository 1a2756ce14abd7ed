"""Write the files of the demonstration: `python -m tools.demo.medagentbench.build`."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tools.demo.medagentbench import mistakes
from tools.demo.medagentbench.answers import Attempt, solve
from tools.demo.medagentbench.malformed_file import malformed_text
from tools.demo.medagentbench.patients import BASE, make_patient, search_bundle
from tools.demo.medagentbench.tasks import make_tasks
from wardboard.scoring.fhir import write_recording
from wardboard.scoring.fhir.source import query_text
from wardboard.scoring.medagentbench.demo import (
    FOLDER,
    GOOD,
    MALFORMED,
    MIDDLING,
    PERFECT,
    RECORDING,
    RUNS,
    TASKS,
    VERSION,
)
from wardboard.scoring.medagentbench.grading.queries import queries_for


def responses(tasks: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the server's response to each search that `tasks` need, as in a recording."""
    recorded = set[str]()
    for task in tasks:
        for resource_type, parameters in queries_for(task):
            query = query_text(resource_type, parameters)
            if query not in recorded:
                recorded.add(query)
                yield {"url": BASE + query, "status": 200, "body": search_bundle(resource_type, parameters)}


def result_file(
    tasks: Iterable[dict[str, Any]], wrong: Mapping[str, mistakes.Mistake], version: str = VERSION
) -> dict[str, Any]:
    """Return a submission with right answers to `tasks` except `wrong` (task id -> mistake)."""
    results = []
    for task in tasks:
        attempt = _attempt(task, wrong)
        if attempt is not None:
            history = [item for post in attempt.posts for item in post.history()]
            results.append({"task_id": task["id"], "answer": attempt.answer, "post_history": history})
    return {"version": version, "round": "r1", "total_tasks": len(results), "results": results}


def run_lines(
    tasks: Iterable[dict[str, Any]], wrong: Mapping[str, mistakes.Mistake]
) -> Iterator[dict[str, Any]]:
    """Yield the same as the official harness writes it: whole conversations, one object a task."""
    for index, task in enumerate(tasks):
        attempt = _attempt(task, wrong)
        if attempt is None:
            continue
        output = {
            "index": index,
            "status": "completed",
            "result": attempt.answer,
            "history": list(_conversation(task, attempt)),
        }
        time = {"timestamp": 1700000000000 + index, "str": "2023-11-14 22:13:20"}
        yield {"index": index, "error": None, "info": None, "output": output, "time": time}


def _attempt(task: dict[str, Any], wrong: Mapping[str, mistakes.Mistake]) -> Attempt | None:
    attempt = solve(task)
    if task["id"] not in wrong:
        return attempt
    return wrong[task["id"]](attempt, make_patient(task["eval_MRN"]))


def _conversation(task: dict[str, Any], attempt: Attempt) -> Iterator[dict[str, str]]:
    yield {"role": "user", "content": f"{task['context']}\n{task['instruction']}".strip()}
    for resource_type, parameters in queries_for(task):
        yield {"role": "agent", "content": f"GET {BASE}{query_text(resource_type, parameters)}"}
        bundle = json.dumps(search_bundle(resource_type, parameters), separators=(",", ":"))
        yield {"role": "user", "content": f"The server answered:\n{bundle}"}
    for post in attempt.posts:
        yield from post.history()
    yield {"role": "agent", "content": f"FINISH({attempt.answer})"}


def write(folder: Path = FOLDER) -> None:
    """Write all files of the demonstration into `folder`, with the same bytes every time."""
    tasks = make_tasks()
    _write_json(folder / TASKS.name, tasks)
    write_recording(folder / RECORDING.name, responses(tasks))
    _write_json(folder / PERFECT.name, result_file(tasks, {}))
    _write_json(folder / GOOD.name, result_file(tasks, mistakes.GOOD))
    _write_json(folder / MIDDLING.name, result_file(tasks, mistakes.MIDDLING))
    (folder / MALFORMED.name).write_text(malformed_text(result_file(tasks, {})), encoding="utf-8")
    runs = "".join(json.dumps(line) + "\n" for line in run_lines(tasks, mistakes.GOOD))
    (folder / RUNS.name).write_text(runs, encoding="utf-8")


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
