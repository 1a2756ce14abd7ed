"""`wardboard convert` writes a log as a plain result file; folders are read as archives are."""

import json

from tests.support.cli import wardboard
from wardboard.scoring.medagentbench.demo import TASKS
from wardboard.scoring.reading.formats.attempts import Attempt, Facts, Message, encode_attempt


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
