"""The examples of docs/graders.md run, on the demonstrations, and grade as they say.

Where Inspect or verifiers is not installed, the few names that the examples take from it are stand-ins.
"""

import asyncio
import re
import shutil
import sys
from types import ModuleType, SimpleNamespace
from typing import Any, Generic, TypeVar

import pytest

from tests.support.paths import ROOT
from wardboard.scoring import SubmissionInvalid
from wardboard.scoring.fhir_agentbench import demo as fhir_demo
from wardboard.scoring.medagentbench import demo, dump_references

PAGE = (ROOT / "docs" / "graders.md").read_text()
Data = TypeVar("Data")
EXAMPLES = dict(
    re.findall(r"^## (.+?)\n(?:(?!^## ).)*?^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
)


def install_stand_ins(monkeypatch, **modules: dict[str, Any]) -> None:
    """Make modules importable, with dots written as two underscores, unless they are installed."""
    for name, names in modules.items():
        dotted = name.replace("__", ".")
        try:
            __import__(dotted)
        except ImportError:
            module = ModuleType(dotted)
            vars(module).update(names)
            monkeypatch.setitem(sys.modules, dotted, module)


class StandInTask(Generic[Data]):
    """A task of verifiers: it has the data of its row."""

    def __init__(self, data: Data) -> None:
        self.data = data


@pytest.fixture
def run(monkeypatch, tmp_path, capsys):
    """Run examples in their order, in a folder with the files that they read; return their names."""
    for path in (demo.TASKS, demo.FOLDER / "fhir.ndjson", fhir_demo.QUESTIONS):
        shutil.copy(path, tmp_path)
    shutil.copy(demo.GOOD, tmp_path / "results.json")
    monkeypatch.chdir(tmp_path)
    install_stand_ins(
        monkeypatch,
        inspect_ai={},
        inspect_ai__scorer={
            "CORRECT": "C",
            "INCORRECT": "I",
            "Score": SimpleNamespace,
            "Target": object,
            "accuracy": lambda: None,
            "stderr": lambda: None,
            "scorer": lambda metrics: lambda function: function,
        },
        inspect_ai__solver={"TaskState": object},
        verifiers={},
        verifiers__v1={
            "Task": StandInTask,
            "TaskData": SimpleNamespace,
            "Trace": SimpleNamespace,
            "reward": lambda function: function,
        },
    )
    names: dict[str, Any] = {}

    def _run(*titles: str) -> tuple[dict[str, Any], list[str]]:
        for title in titles:
            exec(compile(EXAMPLES[title], f"graders.md: {title}", "exec"), names)
        return names, capsys.readouterr().out.splitlines()

    return _run


def printed_by(title: str) -> list[str]:
    """Return what the comments of an example say that it prints."""
    return re.findall(r"^ *print\(.*\)  # (.+)$", EXAMPLES[title], re.MULTILINE)


def test_the_page_has_an_example_of_each_use():
    assert list(EXAMPLES) == [
        "One answer",
        "A whole file",
        "Answers in words",
        "A scorer for Inspect",
        "A reward for verifiers",
    ]


def test_the_plain_examples_print_what_they_say(run):
    titles = ["One answer", "A whole file", "Answers in words"]
    _, printed = run(*titles)
    assert printed == [line for title in titles for line in printed_by(title)]
    assert len(printed) == 3


def test_the_example_of_a_file_prints_each_error_with_its_fix(run, tmp_path, capsys):
    shutil.copy(demo.MALFORMED, tmp_path / "results.json")
    with pytest.raises(SubmissionInvalid) as refused:
        run("One answer", "A whole file")
    printed = capsys.readouterr().out
    problems = refused.value.problems.listed
    assert len(problems) > 5
    assert all(f"{problem.code} {problem.pointer}" in printed for problem in problems)


def test_the_comments_beside_the_parts_are_true(run):
    names, _ = run("One answer", "A whole file", "Answers in words")
    retrieval = names["score_retrieval"]({"Observation": ["a", "b"]}, {"Observation": ["a", "c"]})
    assert retrieval.recall_fraction == 0.5
    judged = names["RulesJudge"]().judge(
        question="How many visits?", assumption=None, true_answer="[[3]]", agent_answer="There were three."
    )
    assert judged.correct is True


@pytest.mark.parametrize(("answer", "value"), [('FINISH(["S9100001"])', "C"), ("FINISH([41])", "I")])
def test_the_scorer_of_inspect_grades_a_sample_by_its_id(run, tmp_path, answer, value):
    names, _ = run("One answer", "A scorer for Inspect")
    file = tmp_path / "references.json"
    file.write_bytes(dump_references(names["references"]))
    state = SimpleNamespace(
        sample_id="task1_1",
        messages=[
            SimpleNamespace(role="user", text="What is the MRN?"),
            SimpleNamespace(role="assistant", text=answer),
        ],
        output=SimpleNamespace(completion=answer),
    )
    score = asyncio.run(names["medagentbench"](str(file))(state, None))
    assert score.value == value


@pytest.mark.parametrize(
    ("texts", "reward"),
    [
        (['FINISH(["S9100001"])'], 1.0),
        (['FINISH(["S9100002"])'], 0.0),
        # A question is answered without a POST.
        (["POST http://localhost:8080/fhir/Observation\n{}", 'FINISH(["S9100001"])'], 0.0),
    ],
)
def test_the_reward_of_verifiers_is_one_for_a_correct_answer_alone(run, texts, reward):
    names, _ = run("One answer", "A reward for verifiers")
    task = names["MedAgentBenchTask"](names["vf"].TaskData(id="task1_1", prompt="What is the MRN?"))
    messages = [SimpleNamespace(role="assistant", content=text) for text in texts]
    trace = SimpleNamespace(messages=messages, last_reply=texts[-1])
    assert asyncio.run(task.is_correct(trace)) == reward
