"""Transcripts of other harnesses are read as their specification says: answers, POSTs, errors and facts."""

import json
from contextlib import suppress
from dataclasses import asdict
from io import BytesIO
from itertools import product
from zipfile import ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.examples import examples
from tests.support.factories import demo_references
from tests.support.paths import ROOT
from tests.support.shared_data import FIELD_FILES, needs_shared
from wardboard.scoring import registry
from wardboard.scoring.medagentbench import grade
from wardboard.scoring.medagentbench.grading.posts import accepted_posts, any_post
from wardboard.scoring.medagentbench.reading.submission import read_submission
from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.attempts import Attempt, attempts_of_lines
from wardboard.scoring.reading.formats.lm_eval import LM_EVAL_SAMPLES
from wardboard.scoring.reading.formats.openai.logs import OPENAI_BATCH, OPENAI_CHAT, OPENAI_RESPONSES
from wardboard.scoring.reading.formats.split import split_log
from wardboard.scoring.reading.formats.table import LOGS, format_of_record
from wardboard.scoring.reading.formats.verifiers.results import VERIFIERS_RESULTS
from wardboard.scoring.reading.formats.verifiers.traces import VERIFIERS_TRACES
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.problems import SubmissionInvalid

pytestmark = needs_shared

SAMPLES = "samples_medagentbench_2026-10-05T11-22-33.123456.jsonl"
# The folder of a format, the name of a file as its specification has it, and where it is in the folder.
FILES = [
    ("verifiers", "medagentbench--heron-2", "medagentbench--heron-2/1a2b3c4d/results.jsonl"),
    ("verifiers", "eval-run", "eval-run/traces.jsonl"),
    ("openai-transcripts", "chats.jsonl", "chats.jsonl"),
    ("openai-transcripts", "responses.jsonl", "responses.jsonl"),
    ("openai-transcripts", "batch_output.jsonl", "batch_output.jsonl"),
    ("lm-eval-samples", SAMPLES, SAMPLES),
]
FOLDER = "verifiers/medagentbench--heron-2/1a2b3c4d"


def runs_of(raw: bytes) -> list[bytes]:
    """Return a file of one run as it is, or one file for each run of a log."""
    runs = split_log(BytesIO(raw), Limits(), BytesIO, most_runs=10)
    return [raw] if runs is None else [run.getvalue() for run in runs.values()]


def attempts_of(raw: bytes) -> dict[str, Attempt]:
    """Return task -> attempt of a file of one run."""
    findings = Findings.under(Limits())
    lines = raw.splitlines()
    rows = [(findings.on_line(number), json.loads(line)) for number, line in enumerate(lines, 1)]
    log = format_of_record(rows[0][1])
    if log is None:
        # A run of a log that was split.
        return {attempt.task_id: attempt for attempt in attempts_of_lines(BytesIO(raw), findings)}
    return {attempt.task_id: attempt for attempt in log.attempts(rows)}


def expected_runs(folder: str, name: str) -> tuple[dict, list[dict]]:
    document = json.loads((FIELD_FILES / "formats" / folder / "expected.json").read_bytes())
    file = document["files"][name]
    return file, [run["tasks"] for run in file["runs"]]


def zipped(**files: bytes) -> bytes:
    target = BytesIO()
    with ZipFile(target, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


@pytest.mark.parametrize(("folder", "name", "path"), FILES)
def test_a_transcript_gives_the_answers_posts_and_verdicts_of_its_specification(folder, name, path):
    file, expected = expected_runs(folder, name)
    raw = (FIELD_FILES / "formats" / folder / path).read_bytes()
    runs = runs_of(raw)
    assert len(runs) == len(expected)
    for run, tasks in zip(runs, expected, strict=True):
        reading = read_submission(run, task_ids=[*demo_references()], version="v1")
        assert len(expected) > 1 or reading.format == file["recognised_as"]
        records = {record.task_id: record for record in reading.records}
        assert records.keys() == tasks.keys()
        for task, result in tasks.items():
            record = records[task]
            assert record.answer == result["answer"], task
            sent = [post for post in result["posts"] if post["accepted"]]
            assert [asdict(post) for post in accepted_posts(record.post_history)] == [
                {"url": post["url"], "payload": post["payload"]} for post in sent
            ]
            assert any_post(record.post_history) == bool(result["posts"]), task
            verdict = grade(demo_references()[task], answer=record.answer, post_history=record.post_history)
            is_right = record.answer is not None and verdict.correct
            assert is_right == result["verdict"]["right"], task


@pytest.mark.parametrize(("folder", "name", "path"), FILES)
def test_a_transcript_states_the_facts_of_its_specification(folder, name, path):
    _, expected = expected_runs(folder, name)
    for run, tasks in zip(
        runs_of((FIELD_FILES / "formats" / folder / path).read_bytes()), expected, strict=True
    ):
        attempts = attempts_of(run)
        for task, result in tasks.items():
            attempt, tokens = attempts[task], result.get("tokens") or {}
            facts = attempt.facts
            assert attempt.error == (result["error"] or ""), task
            assert (facts.input_tokens, facts.output_tokens) == (tokens.get("input"), tokens.get("output"))
            assert facts.cached_tokens == tokens.get("cache_read"), task
            assert facts.cost_usd == pytest.approx(result.get("cost_usd")), task
            assert facts.seconds == pytest.approx(result.get("seconds")), task
            assert facts.rounds == result["rounds"], task
            assert attempt.verdict == result.get("harness_reward"), task


def test_a_folder_of_verifiers_is_read_with_its_metadata():
    place = FIELD_FILES / "formats" / FOLDER
    names = ("results.jsonl", "metadata.json")
    files = {f"outputs/evals/x/1a2b3c4d/{name}": (place / name).read_bytes() for name in names}
    of_folder = [attempts_of(run) for run in runs_of(zipped(**files))]
    of_file = [attempts_of(run) for run in runs_of((place / "results.jsonl").read_bytes())]
    assert [[*run] for run in of_folder] == [[*run] for run in of_file]
    for attempt in of_folder[1].values():
        assert attempt.place == ("outputs/evals/x/1a2b3c4d/results.jsonl",)
        facts = attempt.facts
        assert (facts.model, facts.temperature) == ("example-lab/heron-2", 0.0)
        assert (facts.harness, facts.harness_version) == ("verifiers", "0.1.14")
    assert b"127.0.0.1" not in b"".join(runs_of(zipped(**files)))


NAMES = {VERIFIERS_RESULTS, VERIFIERS_TRACES, OPENAI_CHAT, OPENAI_RESPONSES, OPENAI_BATCH, LM_EVAL_SAMPLES}
OURS = {path.rpartition("/")[2]: folder for folder, _, path in FILES}
FILES_OF_ALL_FORMATS = sorted(
    path
    for root in (FIELD_FILES, ROOT / "scoring")
    for path in root.rglob("*.json*")
    if path.suffix in (".json", ".jsonl") and path.name not in ("expected.json", "cases.json")
    if path.parent.name != "cases"  # of many kinds, each made for a fault of its own
)


@pytest.mark.parametrize("path", FILES_OF_ALL_FORMATS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_file_is_of_one_of_these_formats_or_of_another_and_never_both(path):
    is_ours = OURS.get(path.name) in path.parts
    try:
        record = json.loads(path.read_text())
        record = record[0] if isinstance(record, list) else record
    except ValueError:
        record = json.loads(path.read_text().partition("\n")[0].strip() or "null")
    matching = [log.name for log in LOGS if log.is_record(record)]
    names = {
        VERIFIERS_RESULTS,
        VERIFIERS_TRACES,
        OPENAI_CHAT,
        OPENAI_RESPONSES,
        OPENAI_BATCH,
        LM_EVAL_SAMPLES,
    }
    assert len(names.intersection(matching)) == is_ours
    assert len(matching) <= 1


@pytest.mark.parametrize(("folder", "name", "path"), FILES)
@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_no_change_of_a_transcript_raises_anything_but_problems(folder, name, path, data):
    raw = (FIELD_FILES / "formats" / folder / path).read_bytes()
    records = [json.loads(line) for line in raw.splitlines()]
    record = data.draw(st.sampled_from(records))
    places = [(holder, step) for holder, step in _places(record)]
    for holder, step in data.draw(st.lists(st.sampled_from(places), min_size=1, max_size=4)):
        if isinstance(holder, list) or step in holder:
            holder[step] = data.draw(_JUNK)
    changed = b"\n".join(json.dumps(each).encode() for each in records)
    cut = data.draw(st.none() | st.integers(0, len(changed)))
    _read_or_refuse(changed[:cut])


_JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("{"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["role", "id", "x"]), inner),
    max_leaves=5,
)


def _places(value):
    """Yield each list and object within `value` with each of its steps."""
    steps = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for step in steps:
        yield value, step
        yield from _places(value[step])


def _read_or_refuse(raw: bytes) -> None:
    """Read a file by both benchmarks, each run of it."""
    with suppress(SubmissionInvalid):
        for run, benchmark in product(runs_of(raw), registry.BENCHMARKS.values()):
            with suppress(SubmissionInvalid):
                benchmark.read(
                    BytesIO(run), task_ids=[*demo_references()], version="v1", limits=benchmark.limits
                )
