"""The `wardboard` command on files of both benchmarks: its output, its exit code, the logs it converts."""

import gzip
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli import wardboard, wardboard_process
from tests.support.factories import with_wrong
from tests.support.paths import ROOT
from tests.support.scoring.medagentbench_samples import file_of, result
from wardboard.scoring.fhir_agentbench import demo as fhir
from wardboard.scoring.fhir_agentbench import read_questions
from wardboard.scoring.medagentbench.demo import FOLDER, GOOD, MALFORMED, RECORDING, TASKS
from wardboard.scoring.reading.formats.attempts import Attempt, Facts, Message, encode_attempt


@pytest.fixture
def saved(tmp_path):
    def save(raw, name="results.json"):
        path = tmp_path / name
        path.write_bytes(raw)
        return path

    return save


def test_a_bad_file_ends_with_1_and_each_problem_has_its_place_and_fix():
    code, out, err = wardboard_process("validate", MALFORMED, "--tasks", TASKS)
    assert (code, err) == (1, "")
    assert "error  answer.not-a-string  result 1, task1_1, line 8  /results/0/answer" in out
    assert """  -     8 |       "answer": ["S9100001"],\n""" in out
    assert r"""  +       |       "answer": "[\"S9100001\"]",""" in out
    assert "-> Write the answer as a list in JSON text." in out
    words = [line for line in out.splitlines() if line.startswith("  ") and " | " not in line]
    assert all(len(line) <= 80 for line in words if " " in line.strip())
    code, out, _ = wardboard("grade", MALFORMED, "--references", FOLDER)
    assert (code, "cannot be scored" in out, "Success rate" in out) == (1, True, False)


def test_a_leaderboard_names_its_benchmark_and_its_version(saved):
    path = saved(file_of(result("task1_11", "[1]"), version="v2"))
    assert wardboard("validate", path, "--benchmark", "medagentbench-300")[0] == 0
    older = saved(file_of(result("task1_11", "[1]"), version="v1"), "older.json")
    code, out, _ = wardboard("validate", older, "--benchmark", "medagentbench-300")
    assert code == 1
    assert "version.mismatch" in out
    code, _, err = wardboard("validate", path, "--benchmark", "medagentbench-3000")
    assert code == 2
    assert "fhir-agentbench" in err


WRONG_USAGE = [
    [],
    ["validate"],
    ["validate", "no-such-file.json"],
    ["validate", GOOD, "--version", "v3"],
    ["validate", GOOD, "--version", "v1", "--tasks", TASKS],
    ["validate", GOOD, "--tasks", GOOD],
    ["grade", GOOD],
    ["references", "--tasks", TASKS, "out"],
    ["references", "--tasks", TASKS, "--fhir-recording", "no-such-file.ndjson", "out"],
    # Options of another benchmark, and of two.
    ["validate", fhir.GOOD, "--benchmark", "medagentbench", "--questions", fhir.QUESTIONS],
    ["grade", fhir.GOOD, "--benchmark", "fhir-agentbench", "--references", FOLDER],
    ["grade", fhir.GOOD, "--benchmark", "fhir-agentbench"],
]


def test_wrong_usage_and_files_that_cannot_be_opened_end_with_2():
    for arguments in WRONG_USAGE:
        code, out, err = wardboard(*arguments)
        assert (code, out, bool(err), "Traceback" in err) == (2, "", True, False), arguments


def test_several_files_are_graded_as_runs(saved):
    first = saved(GOOD.read_bytes(), "run-1.json")
    other = saved(with_wrong(GOOD.read_bytes(), 3), "run-2.json")
    command = ["grade", first, other, "--references", FOLDER]
    code, out, _ = wardboard(*command, "--json", "--by-task")
    graded = json.loads(out)
    assert (code, graded["runs"]) == (0, 2)
    assert (graded["overall"]["right"], graded["overall"]["total"]) == (91, 100)
    assert [run["right"] for run in graded["per_run"]] == [47, 44]
    assert graded["per_run"][0]["file_sha256"] == hashlib.sha256(GOOD.read_bytes()).hexdigest()
    assert [verdict["correct"] for verdict in graded["verdicts"]["task1_1"]] == [True, False]
    text = wardboard(*command, "--by-task")[1]
    assert text.startswith("Mean of 2 runs")
    assert re.search(r"Run-to-run standard deviation +4\.2%", text)
    assert re.search(r"2 +88\.0%  44 of 50  .*run-2\.json", text)
    assert re.search(r"task1_1 +1 of 2 correct", text)


def test_a_reader_who_closes_the_output_early_is_not_told_of_problems_in_the_file():
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "wardboard", "validate", str(GOOD), "--tasks", str(TASKS)]
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, cwd=ROOT, check=False)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="this system has no /dev/full")
def test_output_that_finds_no_room_is_no_fault_of_the_program():
    command = shlex.join([sys.executable, "-m", "wardboard", "validate", str(MALFORMED), "--json"])
    ended = subprocess.run(
        ["sh", "-c", f"{command} >/dev/full"], stderr=subprocess.PIPE, text=True, cwd=ROOT, check=False
    )
    assert (ended.returncode, "No space left on device" in ended.stderr) == (1, True)


def test_references_are_written_and_then_grade_the_same(tmp_path):
    folder = tmp_path / "new" / "refs"
    code, out, err = wardboard("references", "--tasks", TASKS, "--fhir-recording", RECORDING, folder)
    assert (code, err) == (0, "")
    digest = hashlib.sha256((folder / "references.json").read_bytes()).hexdigest()
    assert digest in out
    before = wardboard("grade", GOOD, "--references", FOLDER, "--json")
    assert wardboard("grade", GOOD, "--references", folder, "--json") == before
    asked = {"role": "user", "content": json.loads(TASKS.read_bytes())[0]["instruction"]}
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps({"model": "m", "messages": [asked, {"role": "assistant", "content": "[]"}]}))
    for at in (FOLDER, folder):
        code, out, _ = wardboard("grade", log, "--references", at)
        assert (code, out.splitlines()[0]) == (0, "1 of 50 tasks is in the file: at most 2%")


def test_a_problem_with_the_references_ends_with_3(tmp_path):
    for number, files in enumerate(
        (
            {},
            {"references.json": b"{}"},
            {"tasks.json": b"[]"},
            {"tasks.json": b"{", "fhir.ndjson": b""},
            {"tasks.json": b"[]", "fhir.ndjson": b"x"},
            {"tasks.json": b"[1]", "fhir.ndjson.gz": gzip.compress(b"")},
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, data in files.items():
            (folder / name).write_bytes(data)
        code, out, err = wardboard("grade", GOOD, "--references", folder)
        assert (code, out, "Traceback" in err) == (3, "", False), files
        assert err.startswith("wardboard: ")


def test_output_is_plain_outside_a_terminal_and_safe_without_utf_8(saved):
    path = saved(file_of(result("\u65e5\u001b[31m\ud800")))
    code, out, err = wardboard_process("validate", path, env={"PYTHONIOENCODING": "ascii"})
    assert (code, err) == (1, "")
    assert "\x1b" not in out
    assert "\\u65e5" in out


def attempt(task_id: str, text: str, *, run: int = 1) -> bytes:
    messages = (Message(role="user", text="What?"), Message(role="agent", text=text))
    facts = Facts(input_tokens=100, model="heron-2", seconds=1.5, finished=1_790_000_000_000)
    return encode_attempt(Attempt(task_id=task_id, run=run, messages=messages, facts=facts))


def test_a_log_becomes_a_result_file_that_reads_the_same(tmp_path):
    log, plain = tmp_path / "log.jsonl", tmp_path / "plain.json"
    log.write_bytes(attempt("task1_1", 'FINISH(["S9100001"])') + attempt("task2_1", "FINISH([41])"))
    assert wardboard("convert", log, "--tasks", TASKS, "--output", plain)[0] == 0
    document = json.loads(plain.read_text())
    assert [(result["task_id"], result["answer"]) for result in document["results"]] == [
        ("task1_1", '["S9100001"]'),
        ("task2_1", "[41]"),
    ]
    code, out, _ = wardboard("convert", plain, "--tasks", TASKS)
    assert (code, json.loads(out)["results"]) == (0, document["results"])


def test_each_run_of_a_log_becomes_a_file_in_a_folder(tmp_path):
    log, folder = tmp_path / "log.jsonl", tmp_path / "runs"
    log.write_bytes(attempt("task1_1", "FINISH([1])") + attempt("task1_1", "FINISH([2])", run=2))
    code, _, err = wardboard("convert", log, "--tasks", TASKS)
    assert code == 2
    assert "name a folder" in err
    assert wardboard("convert", log, "--tasks", TASKS, "-o", folder)[0] == 0
    answers = [json.loads(path.read_text())["results"][0]["answer"] for path in sorted(folder.iterdir())]
    assert answers == ["[1]", "[2]"]


def test_of_a_folder_of_several_systems_one_is_selected(tmp_path):
    for model in ("heron-2", "plover"):
        (tmp_path / "sweep" / model).mkdir(parents=True)
        (tmp_path / "sweep" / model / "log.jsonl").write_bytes(attempt("task1_1", f"FINISH(['{model}'])"))
    code, out, _ = wardboard("validate", tmp_path, "--tasks", TASKS, "--json")
    assert (code, json.loads(out)["systems"][1]["select"]) == (1, "sweep/plover/**")
    for glob in ("sweep/plover/**", "plover"):
        code, out, _ = wardboard("convert", tmp_path, "--tasks", TASKS, "--select", glob)
        assert "plover" in json.loads(out)["results"][0]["answer"]
    assert wardboard("validate", tmp_path, "--select", "teal")[0] == 1
    for wrong in ("", "!heron-2"):
        assert wardboard("validate", tmp_path, "--select", wrong)[0] == 2


def test_a_file_is_recognised_by_its_content_and_checked_without_the_questions():
    code, out, err = wardboard("validate", fhir.GOOD)
    assert (code, err) == (0, "")
    assert "no error" in out
    assert "55 in a form that the rules can read, and may still leave undecided" in " ".join(out.split())
    assert "result-json" in wardboard("validate", GOOD, "--tasks", TASKS)[1]


def test_a_file_of_another_benchmark_is_not_taken_for_the_first(tmp_path):
    path = tmp_path / "batch.jsonl"
    message = {"role": "assistant", "content": [{"type": "text", "text": "B"}]}
    path.write_text(json.dumps({"custom_id": "q-1", "result": {"type": "succeeded", "message": message}}))
    code, out, _ = wardboard("validate", path)
    assert (code, "no benchmark is recognised in the file" in out) == (1, True)


def test_undecided_answers_make_ranges_of_groups_and_runs_and_are_not_correct_in_each_run(tmp_path):
    first, path = tmp_path / "run-1.json", tmp_path / "run-2.json"
    raw = fhir.GOOD.read_text()
    first.write_text(raw)
    path.write_text(raw.replace('"agent_answer": "', '"agent_answer": "Nein, doch.", "": "', 20))
    text = wardboard("grade", first, path, "--questions", fhir.QUESTIONS)[1]
    assert re.search(r"Location +33\.3–83\.3% +2 of 6 ", text)
    assert re.search(r"2 +51\.7–85\.0%  31 of 60  ", text)
    assert re.search(r"\(pass\^2\) +51\.7%  undecided answers count as not correct\n", text)


def test_a_problem_with_the_questions_ends_with_3_and_reveals_no_reference(tmp_path):
    path = tmp_path / "questions.csv"
    path.write_text(fhir.QUESTIONS.read_text().replace("{'Patient': [", "{'Patient': "))
    code, out, err = wardboard("grade", fhir.GOOD, "--questions", path)
    assert (code, out) == (3, "")
    assert err.count("not a Python literal") == 4
    hidden = [reference.true_answer for reference in read_questions(fhir.QUESTIONS).values()]
    assert len(hidden) == 60
    assert not any(answer in err for answer in hidden)
