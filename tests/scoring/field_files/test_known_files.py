"""Files that are no results are named, and no hint leads from one to a file without answers."""

import json
import re
import shlex
from io import BytesIO
from pathlib import Path

import pytest

from tests.support.scoring.files import as_zip, refused, runs_of_log
from tests.support.shared_data import FIELD_FILES, needs_shared
from wardboard.scoring import registry
from wardboard.scoring.fhir_agentbench.demo import QUESTIONS
from wardboard.scoring.fhir_agentbench.grading.questions_file import read_questions
from wardboard.scoring.medagentbench.demo import TASKS, VERSION
from wardboard.scoring.reading.formats import known_files
from wardboard.scoring.reading.problems import SubmissionInvalid

IDS = {"medagentbench": "task1_1", "fhir-agentbench": next(iter(read_questions(QUESTIONS)))}
ANSWER = 'FINISH(["S9100001"])'
REFERENCE = '["REFERENCE"]'
# Words of what a file is called, and its first record, in which ID stands for a task. Sources: what current
# releases of these libraries write, and their documents.
KNOWN = [json.loads(line) for line in Path(__file__).with_name("known_files.jsonl").open(encoding="utf-8")]
TABLE = Path(known_files.__file__).with_suffix(".tsv")
BANNED = re.compile(r"[`/.](true|gold|sol|solution|expected|label|reference|ground_truth|target)\b")
# Records of writers that no row names: whatever a hint says of them, it leads to no reference.
OTHERS = [
    {"id": "ID", **{key: REFERENCE}, **more}
    for key in ("true", "gold", "sol", "solution", "expected", "label", "reference", "ground_truth", "target")
    for more in ({}, {"log": ANSWER}, {"answer": ANSWER}, {"result": True}, {"output": {"true": REFERENCE}})
]
FILES = [
    pytest.param(path, marks=needs_shared, id=path.name)
    for folder in ("cases", "writers")
    for path in sorted((FIELD_FILES / folder).glob("*.json*"))
]


def raw_of(record, slug, *, as_list=False) -> bytes:
    text = json.dumps(record).replace('"ID', f'"{IDS[slug]}')
    return f"[{text}]".encode() if as_list else text.encode()


def read(raw: bytes, slug: str):
    """Return the answers in a file, or the problems that refuse it."""
    benchmark, kept = registry.get(slug), BytesIO()
    tasks = json.loads(TASKS.read_bytes())
    ids = [task["id"] for task in tasks] if slug == "medagentbench" else list(read_questions(QUESTIONS))
    try:
        benchmark.read(BytesIO(raw), task_ids=ids, version=VERSION, limits=benchmark.limits, keep=kept)
    except SubmissionInvalid as invalid:
        return None, invalid.problems.listed
    kept.seek(0)
    return [record.answer for record in benchmark.records(kept)], []


@pytest.mark.parametrize("slug", IDS)
@pytest.mark.parametrize(("words", "record"), KNOWN, ids=str)
def test_a_known_file_is_named_as_a_document_in_a_list_and_in_lines(slug, words, record):
    one = raw_of(record, slug)
    for raw in (one, raw_of(record, slug, as_list=True), one + b"\n" + one):
        _, problems = read(raw, slug)
        assert [problem.code for problem in problems] == ["layout.no-results"]
        assert words in problems[0].message
        assert "true" not in problems[0].hint
        assert "REFERENCE" not in problems[0].hint


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"submission.json": {"schema": "chi-bench/v1"}, "t__1/result.json": {}}, "chi-Bench"),
        ({"run/run_spec.json": {}, "run/scenario_state.json": {}}, "HELM"),
        ({"preds.json": {}, "a/task1_1.traj": {}}, "SWE-agent"),
    ],
)
def test_an_archive_of_another_kind_is_named_before_its_files_are_read(files, words):
    packed = as_zip({name: json.dumps(value).encode() for name, value in files.items()})
    [problem] = refused(runs_of_log, packed)
    assert (problem.code, words in problem.message) == ("layout.no-results", True)


@pytest.mark.parametrize(("raw", "call"), [(b"PAR1", "read_parquet"), (b"\x80\x05", "read_pickle")])
def test_binary_data_come_with_the_line_that_converts_them(raw, call):
    assert all(call in read(raw + bytes(9), slug)[1][0].hint for slug in IDS)


def test_every_python_line_of_the_table_is_python():
    lines = re.findall(r"python -c .*", TABLE.read_text())
    for words in map(shlex.split, lines):
        assert compile(words[2], "line", "exec")


@pytest.mark.parametrize("slug", IDS)
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("| task_id | answer |\n|---|---|\n| task1_1 | x |\n", "a Markdown table, not"),
        ("model: m\nagent:\n  rounds: 8\n", "YAML, not"),
        ("- task_id: task1_1\n  answer: x\n", "answers in YAML, not"),
        ("[2026-11-28 10:00:00] INFO start\n", "the log of a program, not"),
    ],
)
def test_a_text_that_is_not_json_is_named_for_what_it_is(slug, text, words):
    _, [problem] = read(text.encode(), slug)
    assert (problem.code, words in problem.message) == ("file.other-text", True)


@pytest.mark.parametrize("slug", IDS)
def test_a_reply_with_an_error_before_the_results_is_a_problem_of_its_own(slug):
    record = {"task_id": "ID", "question_id": "ID", "agent_answer": "x", "agent_fhir_resources": {}}
    lines = [raw_of(each, slug) for each in ({"error": {"code": 429}}, record, record)]
    assert {problem.line for problem in read(b"\n".join(lines), slug)[1]} & {1}


@pytest.mark.parametrize("slug", IDS)
@pytest.mark.parametrize(
    "more", [{}, {"accuracy": 0.5, "total": 1}, {"tasks": [{"id": "ID", "instruction": "Q"}]}]
)
def test_a_file_with_answers_is_never_taken_for_one_without(slug, more):
    record = {"task_id": "ID", "question_id": "ID", "answer": ANSWER, "agent_answer": ANSWER, "score": 1}
    lists = {"results": [record]}, {"run": {"records": [record]}}, {"my_column": ANSWER, **record}
    for document in lists:
        _, problems = read(raw_of({**more, **document}, slug), slug)
        assert "layout.no-results" not in {problem.code for problem in problems}


def value_at(value, path: str):
    """Return what a path of jq leads to."""
    for name, key, place in re.findall(
        r"(\w+)|\[\"(.+?)\"\]|\[(-?\d+|text)\]", path.replace("[text]", '["[text]"]')
    ):
        if key == "[text]":
            value = "".join(part["text"] for part in value if "text" in part and not part.get("thought"))
        else:
            value = value[name or key] if name or key else value[int(place)]
    return value


def converted(documents: list, command: str) -> bytes:
    """Return what the command of a hint makes of a file: `jq -c 'path[] | {task: .a, answer: .b}' FILE`."""
    *before, last = re.search(r"'(.*)'", command)[1].split(" | {")
    for step in "".join(before).split(" | "):
        if step == "to_entries[]":
            documents = [{"key": key, "value": value} for each in documents for key, value in each.items()]
        elif step:
            inner = [value_at(each, step.removesuffix("[]")) for each in documents]
            documents = [item for each in inner for item in each] if step.endswith("[]") else inner
    # What joins the texts of a list but for the thoughts is a step of the path, as in the table.
    last = re.sub(r"\(\[(\S+)\[\]\? \| select\(.thought \| not\) .+? join\(\"\"\)\)", r"\1[text]", last)
    fields = re.findall(r"(\w+): \(?([^ ,}|]+)( \| tojson)?", last)
    found = [[(name, value_at(each, path), text) for name, path, text in fields] for each in documents]
    rows = ({name: json.dumps(at) if text else at for name, at, text in row} for row in found)
    return "\n".join(map(json.dumps, rows)).encode()


def followed(raw: bytes, problems: list) -> bytes:
    """Return a file in which somebody did what the hints on it say, as far as that takes no other file."""
    raw = raw.replace(b"\r", b"\n")
    documents = [*map(json.loads, raw.strip().splitlines() if b"\n{" in raw.strip() else [raw])]
    for hint in dict.fromkeys(problem.hint for problem in problems):
        if "jq -c" in hint:
            return converted(documents, hint)
        records = documents[0] if isinstance(documents[0], list) else documents
        for record in filter(lambda each: isinstance(each, dict), records):
            if renamed := re.match(r"Rename `(\w+)` to `(\w+)`", hint):
                record[renamed[2]] = record.pop(renamed[1], None)
            elif found := re.match(r"Write `(\w+)`; it may be the value at `([^`]+)`", hint):
                record[found[1]] = value_at(record, found[2].replace("/", "."))
            elif added := re.match(r'Add "(\w+)": (.*, )?\{\}|Add "(index)"|Write one object per line', hint):
                record.setdefault(added[1] or "index", {} if added[1] else 0)
            elif 'Write {"version"' in hint:
                record["version"] = VERSION
        if hint.startswith("Upload an object"):
            documents = [{"version": VERSION, "results": records}]
    return "\n".join(map(json.dumps, documents)).encode()


def check_hints(raw: bytes, slug: str) -> None:
    is_converted = False
    for _ in range(5):
        answers, problems = read(raw, slug)
        if answers is not None:
            assert any(answer not in (None, "", {}) for answer in answers)
            assert not any("REFERENCE" in str(answer) for answer in answers)
            return
        assert not any(BANNED.search(problem.hint) for problem in problems)
        # After the command, only ids that are no tasks of the board may be wrong.
        codes = {problem.code for problem in problems}
        assert not is_converted or {"task-id.unknown", "question-id.unknown", "field.type"} & codes
        is_converted = "jq -c" in problems[0].hint
        raw = followed(raw, problems)


@pytest.mark.parametrize("slug", IDS)
@pytest.mark.parametrize("record", [*(record for _, record in KNOWN), *OTHERS], ids=str)
def test_a_hint_never_leads_to_a_file_without_answers_or_with_references(slug, record):
    for as_list in (False, True):
        check_hints(raw_of(record, slug, as_list=as_list), slug)


@pytest.mark.parametrize("slug", IDS)
@pytest.mark.parametrize("path", FILES)
def test_no_hint_on_a_real_file_leads_to_a_file_without_answers(slug, path):
    check_hints(path.read_bytes(), slug)
