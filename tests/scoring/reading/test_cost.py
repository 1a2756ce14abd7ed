"""Files of any shape are read or refused, never a fault, and take time in proportion to their size."""

import copy
import gc
import json
import re
import time
from contextlib import closing, suppress
from functools import reduce
from io import BytesIO
from math import inf
from operator import getitem
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from tests.support.examples import IS_LONG, examples, given
from tests.support.scoring.declared_samples import ROWS, TOPICS, declared
from tests.support.scoring.files import opened
from tests.support.scoring.harbor import (
    OBSERVATION,
    call,
    command,
    post,
    reply,
    result,
    step,
    trajectory,
    trial,
    zipped,
)
from tests.support.scoring.inspect_logs import eval_log, json_log, sample
from tests.support.scoring.odd_files import values
from tests.support.scoring.spans import chat as traced
from tests.support.scoring.spans import otlp
from tests.support.scoring.transcripts import batch, chat, episode, response, rollout
from tests.support.scoring.transcripts import sample as filtered
from wardboard.scoring import registry
from wardboard.scoring.fhir_agentbench.reading.submission import read_submission as read_fhir_agentbench
from wardboard.scoring.medagentbench.reading.submission import read_submission
from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.attempts import Attempt, Message, encode_attempt
from wardboard.scoring.reading.formats.folders import opened_folder
from wardboard.scoring.reading.formats.split import split_log
from wardboard.scoring.reading.formats.table import FILES, FOLDERS, LOGS
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.problems import SubmissionInvalid
from wardboard.scoring.runs import read_with_places
from wardboard.scoring.traces.trace_file import TraceWriter

TASKS = ["task3_1", "task5_1"]
SUBAGENT = trajectory(step("", post(n=2), replies=[reply()]), trajectory_id="s")
TRAJECTORY = trajectory(
    step("", post(n=1), replies=[reply({"status": 201})], timestamp="2026-06-01T08:00:00Z"),
    step("", call("delegate"), replies=[reply("Done.", subagent_trajectory_ref=[{"trajectory_id": "s"}])]),
    step("", command("medagentbench_cli.py finish '[1]'"), metrics={"prompt_tokens": 3, "cost_usd": 0.1}),
    subagent_trajectories=[SUBAGENT],
    final_metrics={"total_prompt_tokens": 5},
    extra={"task_id": "task3_1"},
)
JOB = trial(
    result=result(
        agent_result={"n_input_tokens": 1},
        verifier_result={"rewards": {"reward": 1.0}},
        exception_info={"exception_type": "E", "exception_message": "m"},
        agent_execution={"started_at": "2026-11-20T09:00:00", "finished_at": "2026-11-20T09:01:00"},
    ),
    trajectory=TRAJECTORY,
    answer={"result": [], "history": [{"role": "agent", "content": "POST x\n{}"}]},
)
SLICE = {
    "t__a/artifacts/workspace/submission.json": [
        {"id": "task3_1", "final_answer": "41", "payload": [OBSERVATION]},
        {"id": "task5_1", "final_answer": "", "payload": None},
    ],
    "t__a/verifier/meta_results.json": {"results": [{"task_id": "task3_1", "success": True}]},
}
ODD = values | st.sampled_from(["\ud800", 2**80, 1e308, float("nan"), [[]], {"a": []}, "9999-99-99T99:99"])


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, item in items for found in paths(item, (*path, key)))]


@st.composite
def changed(draw, document):
    document = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 4))):
        if path := draw(st.sampled_from(paths(document))):
            *parents, last = path
            place = document
            for key in parents:
                place = place[key]
            place[last] = copy.deepcopy(draw(ODD))
    return document


@st.composite
def changed_logs(draw):
    files = draw(st.sampled_from([JOB, SLICE, {"task3_1__a.json": TRAJECTORY}]))
    name = draw(st.sampled_from([name for name, content in files.items() if not isinstance(content, bytes)]))
    return zipped({**files, name: draw(changed(files[name]))})


def read_in_all_ways(raw: bytes) -> None:
    """Read a log as the service does; anything but records and SubmissionInvalid is a fault."""
    try:
        runs = split_log(BytesIO(raw), Limits(), BytesIO, most_runs=3)
        for run in (runs or {1: BytesIO(raw)}).values():
            reading = read_submission(run.getvalue(), task_ids=TASKS, version="v1")
            assert {record.task_id for record in reading.records} <= set(TASKS)
            read_fhir_agentbench(BytesIO(run.getvalue()), task_ids=[])
    except SubmissionInvalid as invalid:
        refused = invalid.problems
    else:
        return
    assert refused.listed


@settings(max_examples=examples(200))
@given(changed_logs())
def test_any_nearly_valid_folder_is_read_or_refused(raw):
    read_in_all_ways(raw)


CHATS = (chat(), response(), batch(), rollout(), episode(), filtered(), json.loads(json_log(sample())))
CHATS += (traced(), otlp(traced()), {"custom_id": "task3_1", "result": {"type": "errored"}})


@settings(max_examples=examples(200), deadline=None)
@given(st.sampled_from(CHATS).flatmap(changed), st.sampled_from(CHATS), st.none() | st.integers(0, 4000))
def test_any_nearly_valid_transcript_is_read_or_refused(document, other, cut):
    raw = "\n".join(json.dumps(each) for each in (document, other))
    read_in_all_ways(raw.encode()[:cut])


FEW, TIMES, ROOM, LEAST = 300, 4, 1.3, 0.03  # parts, how many times as many, what that may cost, seconds
HISTORY = [{"role": "agent", "content": "POST x\n{}"}, {"role": "user", "content": "POST request accepted"}]
ATTEMPT = Attempt(task_id="task1_1", messages=(Message(role="agent", text="FINISH([])"),))
RECORD = {"question_id": "0" * 24, "agent_answer": "4", "agent_fhir_resources": {"Patient": ["a", "b"]}}
RESULT = {"task_id": "task1_1", "answer": "[1]", "post_history": HISTORY}
BENCHMARKS = {**registry.BENCHMARKS, "small-set": declared(**TOPICS)}
# Documents of the formats of each benchmark.
OWN = [
    ("medagentbench", {"version": "v1", "results": [RESULT]}),
    ("medagentbench", {"index": 0, "output": {"result": "[1]", "history": HISTORY}}),
    ("medagentbench", {"task_id": "task1_1", "answer": "[1]", "model": "m", "run": 1}),
    ("fhir-agentbench", [RECORD]),
    ("fhir-agentbench", {**RECORD, "agent_fhir_resources": "{'Patient': ['a']}", "trace": HISTORY}),
    ("small-set", json.loads(ROWS.splitlines()[0])),
]
LOG_FILES = [TRAJECTORY, *CHATS, json.loads(encode_attempt(ATTEMPT))]
ROLLOUT = next(each for each in CHATS if "example_id" in each)
# Archives, and the documents in them that change.
ARCHIVES = [
    (JOB, "job/task3_1__a1/agent/trajectory.json"),
    (SLICE, "t__a/artifacts/workspace/submission.json"),
    ({"task3_1__a.json": TRAJECTORY}, "task3_1__a.json"),
    ({"run/results.jsonl": ROLLOUT, "run/metadata.json": {"model": "m"}}, "run/metadata.json"),
    ({"a.eval": eval_log(sample()), "config.json": {"agent": {"model": "m"}}}, "config.json"),
]
_NAMES = re.compile("(?i)(?!.*(?:task|custom|question)).*(?:id$|ref|parent|previous|path)")
UNITS = ("a", " ", "\n", "'", '"', "\\", "[", "a.", "a_", "POST x\n", "not ", "http://a/ ", "無", "7")
# Kind -> JSON of so many parts, in the place of a value.
SHAPES = {
    "many": lambda value, n: json.dumps([numbered(last_of(value), at) for at in range(n)]),
    "equal": lambda value, n: f"[{','.join([json.dumps(value)] * n)}]",
    "empty": lambda _, n: f"[{','.join(['{}'] * 10 * n)}]",
    "texts": lambda _, n: json.dumps([{"type": "text", "text": str(each)} for each in range(5 * n)]),
    "wide": lambda _, n: json.dumps({f"key_{each}": "x" for each in range(10 * n)}),
    "equal keys": lambda _, n: "{" + ",".join(['"k":1'] * 20 * n) + "}",
    "deep": lambda _, n: f"[{','.join(['[' * 90 + ']' * 90] * (n // 4))}]",
    "number": lambda _, n: "1" * 500 * n,
    **{f"text {each!r}": lambda _, n, each=each: json.dumps(each * 200 * n) for each in UNITS},
}


def readers():
    """Yield each reader of the tables, with a benchmark and what `written` takes."""
    assert {slug for slug, _ in OWN} == BENCHMARKS.keys()
    yield from (pytest.param(slug, each, {}, "", id=f"{slug} {at}") for at, (slug, each) in enumerate(OWN))
    for log in LOGS:
        document = next(filter(log.is_record, LOG_FILES))
        yield pytest.param("medagentbench", document, {}, "", id=log.name)
    for file in FILES:
        document = next(each for each in LOG_FILES if file.is_file(BytesIO(json.dumps(each).encode())))
        yield pytest.param("medagentbench", document, {}, "", id=f"file {file.name}")
    for kind in FOLDERS:
        files, name = next(each for each in ARCHIVES if is_folder(each[0], kind))
        yield pytest.param("medagentbench", files[name], files, name, id=f"folder {kind.name}")


def is_folder(files, kind):
    with opened_folder(BytesIO(zipped(files)), Findings.under(Limits())) as folder:
        return kind.is_folder(folder)


def written(files, name, documents):
    """Return lines of documents in JSON; or an archive of files, one of which is the first document."""
    if not files:
        return "\n".join(documents).encode()
    more = {f"{at}{each}": content for at in range(1, len(documents)) for each, content in files.items()}
    return zipped({**files, **more, name: documents[0].encode()})


def last_of(value):
    return value[-1] if isinstance(value, list) and value else value


def numbered(value, number, key=""):
    """Return a copy of a part of a file whose ids have a number, and whose references the one before."""
    if isinstance(value, dict):
        return {name: numbered(each, number, name) for name, each in value.items()}
    if isinstance(value, list):
        return [numbered(each, number, key) for each in value]
    at = number - bool(re.search("(?i)ref|parent|previous|path", key))
    return (f"{value}{at}" if isinstance(value, str) else at) if _NAMES.match(key) else value


def inflated(document, places, count):
    """Return a document with other values at places, where an earlier one has left such a place."""
    changed, texts = copy.deepcopy({"": document}), []
    for path, shape in places:
        with suppress(KeyError, TypeError, IndexError):
            parent = reduce(getitem, ("", *path)[:-1], changed)
            texts.append(SHAPES[shape](parent[("", *path)[-1]], count))
            parent[("", *path)[-1]] = f"@{len(texts) - 1}@"
    whole = json.dumps(changed[""])
    for number, text in enumerate(texts):
        whole = whole.replace(f'"@{number}@"', text)
    return whole


def seconds(slug, raw):
    """Return the processor time that reading a file takes, in all of its runs."""
    benchmark, ids = BENCHMARKS[slug], ("0" * 24, "task1_1", "task3_1", "1")
    gc.collect()
    gc.disable()
    started = time.process_time()
    with suppress(SubmissionInvalid):
        for run in (opened(raw) or {"": raw}).values():
            with closing(TraceWriter(BytesIO())) as traces:
                options = {"limits": benchmark.limits, "task_ids": ids, "version": "v1", "traces": traces}
                read_with_places(benchmark, BytesIO(run), keep=BytesIO(), **options)
    gc.enable()
    return time.process_time() - started


def check_cost(slug, make):
    few, more = make(FEW), make(FEW * TIMES)
    most, least, longest = ROOM * max(TIMES, len(more) / len(few)), inf, inf
    for _ in range(5):
        # The least of several measures is the cost without what else the machine does.
        least, longest = min(least, seconds(slug, few)), min(longest, seconds(slug, more))
        if longest <= max(LEAST, most * least):
            return
    raise AssertionError(f"{longest:.3f} s for {TIMES} times as much as takes {least:.3f} s")


READERS = pytest.mark.parametrize(("slug", "document", "files", "name"), [*readers()])


@READERS
def test_many_siblings_records_and_references_cost_in_proportion_to_their_number(slug, document, files, name):
    lists = [path for path in paths(document) if isinstance(reduce(getitem, path, document), list)]
    outer = [(path, "many") for path in lists if not any(path[: len(each)] == each != path for each in lists)]
    check_cost(slug, lambda count: written(files, name, [inflated(document, outer, count)]))
    copies = [json.dumps(numbered(document, number)) for number in range(FEW * TIMES)]
    check_cost(slug, lambda count: written(files, name, copies[: count // 3 if files else count]))


@READERS
@settings(max_examples=50 if IS_LONG else 3, derandomize=not IS_LONG)
@given(data=st.data())
def test_values_of_any_shape_cost_in_proportion_to_their_size(slug, document, files, name, data):
    places = st.tuples(st.sampled_from(paths(document)), st.sampled_from(sorted(SHAPES)))
    chosen = data.draw(st.lists(places, min_size=1, max_size=3))
    check_cost(slug, lambda count: written(files, name, [inflated(document, chosen, count // len(chosen))]))
