"""Measure a FHIR-AgentBench submission of 2,931 records: `make bench NAME=fhir_agentbench`.

README.md beside this file describes what is measured.
"""

import argparse
import ast
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import requests
from _fhir_submission import BULK, BenchQuestion, make_questions, make_records, write_submission
from _report import report

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from wardboard.scoring.fhir_agentbench.grading.references import FhirReference  # noqa: E402
from wardboard.scoring.fhir_agentbench.grading.retrieval import compute_retrieval  # noqa: E402
from wardboard.scoring.fhir_agentbench.judge import HybridJudge, LlmJudge, LlmOptions, RulesJudge  # noqa: E402
from wardboard.scoring.judging import Case  # noqa: E402

DELAY, CONCURRENCY = 0.2, 64
OFFICIAL_CALLS = 2  # per question: the normaliser's and the judge's
MB = 1_000_000
WARM_UP_CASE = Case(question="How many?", assumption=None, true_answer="[[3]]", agent_answer="Three.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--only", choices=("files", "retrieval", "judge"), help="one part of it")
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(run_worker(options.worker)))
        return
    questions = make_questions()
    rows: list[list[str]] = []
    figures: dict[str, float] = {}
    parts = {"files": measure_files, "retrieval": measure_retrieval, "judge": measure_judge}
    for name, part in parts.items():
        if options.only in (None, name):
            part(questions, rows, figures)
    report("FHIR-AgentBench, 2,931 generated records", ("what", "figure"), rows, figures)


def measure_files(questions: list[BenchQuestion], rows: list[list[str]], figures: dict[str, float]) -> None:
    """Measure from the upload's first byte to the stored evaluation, by the service in its own process."""
    with tempfile.TemporaryDirectory(prefix="wardboard-bench-") as folder:
        small, large = Path(folder, "small.json"), Path(folder, "large.json")
        small_mb = write_submission(small, make_records(questions)) / MB
        large_mb = write_submission(large, make_records(questions, bulk=BULK)) / MB
        small_run, large_run = _in_process(small, folder), _in_process(large, folder)
    if small_run["official"] != large_run["official"]:
        raise SystemExit("the same answers gave other figures with traces and ids beside them")
    speed = large_mb / large_run["seconds"]
    figures |= {
        "small_s": small_run["seconds"],
        "large_peak_mb": large_run["peak_mb"],
        "large_mb_per_s": speed,
    }
    rows += [
        [f"{small_mb:,.1f} MB: to the stored evaluation", f"{small_run['seconds']:.2f} s"],
        [f"{small_mb:,.1f} MB: peak memory of the worker", f"{small_run['peak_mb']:.0f} MB"],
        [f"{large_mb:,.0f} MB: taken in and hashed", f"{large_run['stored']:.1f} s"],
        [f"{large_mb:,.0f} MB: to the stored evaluation", f"{large_run['seconds']:.1f} s"],
        [f"{large_mb:,.0f} MB: bytes a second", f"{speed:.0f} MB/s"],
        [f"{large_mb:,.0f} MB: peak memory of the worker", f"{large_run['peak_mb']:.0f} MB"],
        ["official figures of both files", "the same"],
    ]


def _in_process(file: Path, folder: str) -> dict[str, Any]:
    environ = os.environ | {
        "SECRET_KEY": "for-the-bench, and for nothing else at all",
        "WARDBOARD_DATA": tempfile.mkdtemp(dir=folder),
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "LOG_LEVEL": "WARNING",
    }
    for name in ("DATABASE_URL", "WORKERS"):
        environ.pop(name, None)
    command = [sys.executable, __file__, "--worker", str(file)]
    process = subprocess.run(command, env=environ, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(process.stdout.splitlines()[-1])


def run_worker(file: Path) -> dict[str, Any]:
    """Submit `file` to a new board on a new SQLite database; return times, peak memory and metrics."""
    import django  # noqa: PLC0415

    django.setup()
    from django.core.management import call_command  # noqa: PLC0415

    from leaderboard.models import UNLIMITED, Board, User  # noqa: PLC0415
    from leaderboard.services.accounts import personal_team  # noqa: PLC0415
    from leaderboard.services.files.store import store_file  # noqa: PLC0415
    from leaderboard.services.publishing.import_references import import_references  # noqa: PLC0415
    from leaderboard.services.submissions.request import SubmissionRequest  # noqa: PLC0415
    from leaderboard.services.submissions.submit import submit  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    user = User.objects.create_user("bench@example.org")
    references = {question.reference.task_id: question.reference for question in make_questions()}
    board = Board(
        slug="bench",
        benchmark="fhir-agentbench",
        version="1",
        title="Bench",
        keep_originals=False,
        **UNLIMITED,
    )
    board = import_references(board=board, references=references, origin="bench").revision.board
    del references
    started = time.perf_counter()
    with open(file, "rb") as source:
        stored_file = store_file(iter(lambda: source.read(64 * 1024), b""))
    stored_at = time.perf_counter()
    admission = submit(
        SubmissionRequest(
            user=user, team=personal_team(user), board=board, file=stored_file, facts={"system": "Bench"}
        )
    )
    seconds = time.perf_counter() - started
    submission = admission.submission
    if submission.status != "scored":
        raise SystemExit(f"{submission.status}: {submission.problems[:3]} {submission.failure}")
    metrics = submission.evaluation.metrics
    return {
        "seconds": seconds,
        "stored": stored_at - started,
        # Of the whole process since its start; Linux counts in KiB.
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB,
        "official": {key: metrics[key] for key in ("answer_correctness", "precision", "recall", "f1")},
    }


def measure_retrieval(
    questions: list[BenchQuestion], rows: list[list[str]], figures: dict[str, float]
) -> None:
    """Measure precision and recall of a run: ours (with the paper's) against a table row by row.

    There are two runs: one without traces, and one that retrieves everything that a patient has of the
    types asked for. Our gold ids are indexed beforehand, as when a ground truth is loaded, once per
    process; the evaluator parses them from text in every run.
    """
    references = {question.reference.task_id: question.reference for question in questions}
    for reference in references.values():
        _ = reference.gold_resources
    table = pd.DataFrame(
        {
            "question_id": list(references),
            "true_fhir_ids": [repr(dict(item.true_ids or {})) for item in references.values()],
        }
    )
    for name, wrong_ids in (("few ids", 6), (f"{BULK:,} ids and more", BULK)):
        # As read from a file, so that the run and the references share no objects.
        records = json.loads(json.dumps(list(make_records(questions, wrong_ids=wrong_ids))))
        # The fastest of five and of three, to exclude other work on the machine.
        ours, our_s = min(_time_runs(5, partial(_our_metrics, references, records)), key=_seconds)
        theirs, their_s = min(_time_runs(3, partial(_row_by_row, table, records)), key=_seconds)
        _, floor_s = min(_time_runs(5, partial(_sets_alone, records)), key=_seconds)
        if ours != theirs:
            raise SystemExit(f"ours {ours} is not the evaluator's {theirs}")
        figures["retrieval_ratio"] = (
            their_s / our_s
        )  # that of the last run, with full lists as in the large file
        rows += [
            [f"retrieval metrics, {name} a record", f"{our_s * 1000:.1f} ms"],
            ["the evaluator's way: a table row by row", f"{their_s * 1000:.0f} ms"],
            ["ratio", f"{their_s / our_s:.1f}"],
            ["a set of each list of ids, and nothing else", f"{floor_s * 1000:.1f} ms"],
            ["ratio that this alone would reach", f"{their_s / floor_s:.1f}"],
        ]


def _sets_alone(records: list[dict[str, Any]]) -> int:
    """Build what both the paper's metrics and a fast search need: the different ids of each list."""
    return sum(len(set(ids)) for record in records for ids in record["agent_fhir_resources"].values())


def _time_runs(rounds: int, action: Callable[[], Any]) -> list[tuple[Any, float]]:
    return [_timed(action) for _ in range(rounds)]


def _seconds(run: tuple[Any, float]) -> float:
    return run[1]


def _our_metrics(references: dict[str, FhirReference], records: list[dict[str, Any]]) -> tuple[float, float]:
    scored = [
        compute_retrieval(references[record["question_id"]].gold_resources, record["agent_fhir_resources"])
        for record in records
    ]
    return _mean([figures.precision for figures in scored]), _mean([figures.recall for figures in scored])


def _mean(values: list[float | None]) -> float:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 12)


def _row_by_row(references: pd.DataFrame, records: list[dict[str, Any]]) -> tuple[float, float]:
    """Compute precision and recall as the evaluator does, by the specification.

    The submission is joined with the questions, whose gold ids are Python literals, and the lists of each
    row are searched once per metric.
    """
    table = pd.DataFrame(records).merge(references, on="question_id")
    table["true_fhir_ids"] = table["true_fhir_ids"].map(ast.literal_eval)

    def lists(row: pd.Series) -> tuple[list[str], list[str]]:
        gold = [item for ids in row["true_fhir_ids"].values() for item in ids]
        retrieved = [
            item for kind in row["true_fhir_ids"] for item in row["agent_fhir_resources"].get(kind, [])
        ]
        return gold, retrieved

    def precision(row: pd.Series) -> float | None:
        gold, retrieved = lists(row)
        if not retrieved:
            return None if gold else 1.0
        return sum(item in gold for item in retrieved) / len(retrieved)

    def recall(row: pd.Series) -> float | None:
        gold, retrieved = lists(row)
        if not gold:
            return None if retrieved else 1.0
        return float(all(item in retrieved for item in gold))

    means = [float(table.apply(metric, axis=1).mean()) for metric in (precision, recall)]
    return round(means[0], 12), round(means[1], 12)


def measure_judge(questions: list[BenchQuestion], rows: list[list[str]], figures: dict[str, float]) -> None:
    """Measure the LLM judge against a server that answers after 200 ms, and count each mode's calls."""
    cases = [
        Case(
            question=question.reference.question,
            assumption=question.reference.assumption,
            true_answer=question.reference.expected_answer,
            agent_answer=record["agent_answer"] or "no answer",
        )
        for question, record in zip(questions, make_records(questions), strict=True)
    ]
    official = OFFICIAL_CALLS * len(cases)
    with _llm_server() as options:
        # The client takes half a second to import, once per worker.
        LlmJudge(options).judge_all([WARM_UP_CASE])
        before = _calls(options)
        _, seconds = _timed(lambda: LlmJudge(options).judge_all(cases))
        llm_calls = _calls(options) - before
    with _llm_server() as options:
        hybrid = HybridJudge(RulesJudge(), LlmJudge(options))
        _, hybrid_seconds = _timed(lambda: hybrid.judge_all(cases))
        hybrid_calls = _calls(options)
    ideal = llm_calls * DELAY / CONCURRENCY
    figures |= {
        "judge_time_over_ideal": seconds / ideal,
        "llm_calls_share": llm_calls / official,
        "hybrid_calls_share": hybrid_calls / official,
    }
    rows += [
        [f"LLM judge, {CONCURRENCY} at a time, 200 ms a call", f"{seconds:.1f} s"],
        [f"ideal time for its {llm_calls:,} calls", f"{ideal:.1f} s"],
        [f"calls of the LLM judge, of the official {official:,}", f"{llm_calls / official:.1%}"],
        [f"calls in hybrid mode ({hybrid_seconds:.1f} s)", f"{hybrid_calls / official:.1%}"],
    ]


@contextmanager
def _llm_server() -> Iterator[LlmOptions]:
    """Run a stand-in for a model's server, in its own process, that answers after DELAY seconds."""
    command = [sys.executable, "-m", "tests.support.llm_server", "--latency", str(DELAY)]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().strip()
        yield LlmOptions(base_url=address, api_key="bench", model="stub", concurrency=CONCURRENCY)
    finally:
        server.kill()
        server.wait()


def _calls(options: LlmOptions) -> int:
    return requests.get(f"{options.address.removesuffix('/v1')}/stats", timeout=5).json()["calls"]


def _timed(action):
    started = time.perf_counter()
    return action(), time.perf_counter() - started


if __name__ == "__main__":
    main()
