"""The graders from Python: a whole set of answers, and the names that are stable."""

import json
from importlib import import_module
from io import BytesIO

import pytest

from tests.support.cli import wardboard
from tests.support.factories import demo_references, fhir_references
from tests.support.scoring.files import refused
from wardboard.scoring import grade_all, read_answers
from wardboard.scoring.fhir_agentbench import demo as fhir_demo
from wardboard.scoring.medagentbench import TaskResult, demo

PUBLIC = (
    "wardboard.scoring",
    "wardboard.scoring.medagentbench",
    "wardboard.scoring.fhir_agentbench",
    "wardboard.scoring.fhir_agentbench.judge",
    "wardboard.scoring.fhir",
)


@pytest.fixture
def references():
    return demo_references()


@pytest.mark.parametrize("benchmark", ["medagentbench", "fhir-agentbench"])
def test_a_file_has_the_result_of_the_command(references, benchmark):
    known, path, *options = {
        "medagentbench": (references, demo.FOLDER / "middling.json", "--references", str(demo.FOLDER)),
        "fhir-agentbench": (fhir_references(), fhir_demo.GOOD, "--questions", str(fhir_demo.QUESTIONS)),
    }[benchmark]
    with path.open("rb") as file:
        card = grade_all(benchmark, read_answers(benchmark, file, known), known)
    printed = json.loads(wardboard("grade", path, *options, "--json", "--by-task")[1])
    assert card.overall.right == printed["overall"]["right"] > 0
    assert {task_id: verdict.reason for task_id, verdict in card.verdicts.items()} == {
        task_id: verdict["reason"] for task_id, (verdict,) in printed["verdicts"].items()
    }


def test_two_answers_to_one_task_and_a_file_with_errors_are_refused(references):
    answer = TaskResult(task_id="task1_1", answer='["S9100001"]', post_history=[])
    with pytest.raises(ValueError, match="two answers to task1_1: keep one for each task"):
        grade_all("medagentbench", [answer, answer], references)
    problems = refused(read_answers, "medagentbench", BytesIO(demo.MALFORMED.read_bytes()), references)
    assert len(problems) > 5
    assert all(problem.code and problem.message and problem.hint for problem in problems)


@pytest.mark.parametrize("function", [read_answers, grade_all])
def test_a_benchmark_that_does_not_exist_is_refused_with_those_that_do(function):
    with pytest.raises(LookupError, match="no benchmark is called med; there are: medagentbench"):
        function("med", b"", {})


@pytest.mark.parametrize("name", PUBLIC)
def test_stable_names_exist_and_are_described(name):
    package = import_module(name)
    assert package.__doc__
    assert package.__all__ == sorted(package.__all__, key=lambda each: (not each.isupper(), each))
    for public in package.__all__:
        value = getattr(package, public)
        assert public.isupper() or value.__doc__, public
    with pytest.raises(AttributeError):
        package.no_such_name  # noqa: B018
