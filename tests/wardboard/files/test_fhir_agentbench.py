"""The `wardboard` command on files of FHIR-AgentBench."""

import json
import re

from tests.support.cli import wardboard
from wardboard.scoring.fhir_agentbench import read_questions
from wardboard.scoring.fhir_agentbench.demo import GOOD, QUESTIONS
from wardboard.scoring.medagentbench import demo as other


def test_a_file_is_recognised_by_its_content_and_checked_without_the_questions():
    code, out, err = wardboard("validate", GOOD)
    assert (code, err) == (0, "")
    assert "no error" in out
    assert "55 in a form that the rules can read, and may still leave undecided" in " ".join(out.split())
    assert "result-json" in wardboard("validate", other.GOOD, "--tasks", other.TASKS)[1]


def test_a_file_of_another_benchmark_is_not_taken_for_the_first(tmp_path):
    path = tmp_path / "batch.jsonl"
    message = {"role": "assistant", "content": [{"type": "text", "text": "B"}]}
    path.write_text(json.dumps({"custom_id": "q-1", "result": {"type": "succeeded", "message": message}}))
    code, out, _ = wardboard("validate", path)
    assert (code, "no benchmark is recognised in the file" in out) == (1, True)


def test_undecided_answers_make_ranges_of_groups_and_runs_and_are_not_correct_in_each_run(tmp_path):
    path = tmp_path / "open.json"
    path.write_text(GOOD.read_text().replace('"agent_answer": "', '"agent_answer": "Nein, doch.", "": "', 20))
    text = wardboard("grade", GOOD, path, "--questions", QUESTIONS)[1]
    assert re.search(r"Location +33\.3–83\.3% +2 of 6 ", text)
    assert re.search(r"2 +51\.7–85\.0%  31 of 60  ", text)
    assert re.search(r"\(pass\^2\) +51\.7%  undecided answers count as not correct\n", text)


def test_a_problem_with_the_questions_ends_with_3_and_reveals_no_reference(tmp_path):
    path = tmp_path / "questions.csv"
    path.write_text(QUESTIONS.read_text().replace("{'Patient': [", "{'Patient': "))
    code, out, err = wardboard("grade", GOOD, "--questions", path)
    assert (code, out) == (3, "")
    assert err.count("not a Python literal") == 4
    hidden = [reference.true_answer for reference in read_questions(QUESTIONS).values()]
    assert len(hidden) == 60
    assert not any(answer in err for answer in hidden)
