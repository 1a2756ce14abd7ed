"""Measure reading and grading 300 tasks, with and without FHIR requests: `make bench NAME=grading`.

README.md beside this file describes what is measured.
"""

import argparse
import json
import multiprocessing
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import requests
from _report import report

from tools.demo.medagentbench.build import result_file
from tools.demo.medagentbench.mistakes import GOOD
from tools.demo.medagentbench.patients import search_bundle
from tools.demo.medagentbench.tasks import make_tasks
from wardboard.scoring.fhir import FhirServer
from wardboard.scoring.medagentbench import build_references, grade
from wardboard.scoring.medagentbench.benchmark import score
from wardboard.scoring.medagentbench.grading.queries import queries_for
from wardboard.scoring.medagentbench.reading.submission import read_submission
from wardboard.scoring.verdicts import Scorecard

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "medagentbench"
ROUNDS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class GradingInput:
    """Hold a submission and its tasks. source: where the submission comes from."""

    source: str
    raw: bytes
    tasks: Sequence[dict[str, Any]]

    def read(self) -> Sequence[Any]:
        ids = [task["id"] for task in self.tasks]
        return read_submission(self.raw, task_ids=ids, version="v2").records


def find_input(submission: Path | None) -> GradingInput:
    tasks_file = SHARED / "test_data_v2.json"
    if tasks_file.exists():
        path = submission or SHARED / "submissions" / "copilot_v2.json"
        return GradingInput(
            source=path.name, raw=path.read_bytes(), tasks=json.loads(tasks_file.read_bytes())
        )
    if submission:
        raise SystemExit(f"grading {submission} needs the published tasks, expected in {tasks_file}")
    tasks = make_tasks(30)
    raw = json.dumps(result_file(tasks, GOOD, version="v2")).encode()
    return GradingInput(source="300 generated tasks (the published file is not here)", raw=raw, tasks=tasks)


@cache
def _answer(path: str) -> bytes:
    parts = urlsplit(path)
    parameters = {name: value for name, value in parse_qsl(parts.query) if name != "_format"}
    return json.dumps(search_bundle(parts.path.rpartition("/")[2], parameters)).encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = _answer(self.path)
        self.send_response(200)
        self.send_header("Content-Type", "application/fhir+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _serve(pipe: Connection) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    pipe.send(server.server_port)
    server.serve_forever()


@contextmanager
def fhir_server() -> Iterator[str]:
    """Run a FHIR server with invented values for any MRN in its own process; yield its base URL."""
    spawn = multiprocessing.get_context("spawn")
    parent_end, child_end = spawn.Pipe()
    process = spawn.Process(target=_serve, args=(child_end,), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{parent_end.recv()}/fhir/"
    finally:
        process.terminate()
        process.join()


@dataclass(frozen=True, slots=True)
class RequestPerQuery:
    """Query as the official evaluator does: a new connection per query, without a cache."""

    base: str

    def search(self, resource_type: str, /, **parameters: str) -> dict[str, Any]:
        url = f"{self.base}{resource_type}?{urlencode(parameters)}&_format=json"
        return requests.get(url, timeout=30).json()


def grade_over_http(work: GradingInput, records: Sequence[Any], base: str) -> dict[str, bool]:
    """Grade task by task, with the requests that each type needs; return task id -> correct."""
    source, by_id = RequestPerQuery(base), {record.task_id: record for record in records}
    correct = {}
    for task in work.tasks:
        reference = build_references([task], source)[task["id"]]
        record = by_id.get(task["id"])
        # The official harness does not grade a task without an answer.
        correct[task["id"]] = bool(
            record
            and record.answer is not None
            and grade(reference, answer=record.answer, post_history=record.post_history).correct
        )
    return correct


def timed(work: Callable[[], Any]) -> float:
    """Return the duration of `work` in milliseconds."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def measure(steps: Mapping[str, tuple[int, Callable[[], Any]]]) -> dict[str, list[float]]:
    """Return the times of each step, (runs per round, work), in ms.

    The steps take turns, so that other work on the machine slows them alike.
    """
    times: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(ROUNDS):
        for name, (runs, work) in steps.items():
            times[name] += [timed(work) for _ in range(runs)]
    return times


def requests_needed(work: GradingInput) -> int:
    return sum(len(queries_for(task)) for task in work.tasks)


def same_verdicts(card: Scorecard, over_http: Mapping[str, bool]) -> int:
    """Return how many tasks are right. Exits if the two ways disagree: their times would not compare."""
    here = {task_id: verdict.correct for task_id, verdict in card.verdicts.items()}
    differing = [task_id for task_id in over_http if here.get(task_id) != over_http[task_id]]
    if here.keys() != over_http.keys() or differing:
        raise SystemExit(f"the two ways disagree, so the times say nothing: {differing[:10]}")
    return card.overall.right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submission", type=Path, help="a v2 result file (default: copilot_v2.json)")
    work = find_input(parser.parse_args().submission)
    with fhir_server() as base:
        references = build_references(work.tasks, FhirServer(base))
        first = timed(lambda: score(work.read(), references))
        records = work.read()
        right = same_verdicts(score(records, references), grade_over_http(work, records, base))
        steps = measure(
            {
                "read, validate and grade": (5, lambda: score(work.read(), references)),
                "grade": (25, lambda: score(records, references)),
                f"grade, {requests_needed(work)} requests over HTTP": (
                    1,
                    lambda: grade_over_http(work, records, base),
                ),
            }
        )
    medians = {name: statistics.median(times) for name, times in steps.items()}
    whole_ms, grade_ms, http_ms = medians.values()
    report(
        f"{work.source}: {len(work.tasks)} tasks, {len(work.raw) / 1000:.0f} kB; {right} right on invented "
        f"values, the same ones both ways\nfirst file that the process reads, validates and grades: "
        f"{first:.1f} ms\nover HTTP / grade: {http_ms / grade_ms:.0f} times",
        ["step", "median ms", "min", "max", "runs"],
        [
            [name, f"{medians[name]:.2f}", f"{min(t):.2f}", f"{max(t):.2f}", str(len(t))]
            for name, t in steps.items()
        ],
        {
            "read_validate_grade_ms": whole_ms,
            "grade_ms": grade_ms,
            "over_http_ms": http_ms,
            "ratio": http_ms / grade_ms,
        },
    )


if __name__ == "__main__":
    main()
