"""Rows of an id and one text are read in both benchmarks, whoever named the columns; a reference never is."""

import json

import pytest

from tests.support.scoring.fhir_submissions import IDS, table
from tests.support.scoring.fhir_submissions import read as read_fhir
from tests.support.scoring.transcripts import TASKS, lines, read

WRITERS = {
    "JSON Lines": lambda rows: lines(*rows),
    "a list": lambda rows: json.dumps(rows).encode(),
    **{f"separated by {mark!r}": lambda rows, mark=mark: table(*rows, delimiter=mark) for mark in ",;\t"},
}
BESIDE = {"gold_answer": "[7]", "label": "[7]", "question": "Which?", "model": "heron-2", "seconds": "3"}
FOUND = (
    *(("task_id", "response", BESIDE), ("name", "prediction", {"id": "tr-1", **BESIDE})),
    *(("question_id", "final_answer", {"result": "correct"}), ("case", "Agent's answer:", {"n": "1"})),
    ("id", "final_message", {"clinician_answer": "[7]"}),
    *(("", "Predicted answer", {}), ("example_id", "Model Response", {"question_id": "q-1", "idx": "7"})),
    ("id", "answer", {"raw_response": " ".join(f'["{n}"]' for n in (*TASKS[:2], *IDS[:2]))}),
)
NOT_FOUND = (
    *(
        "clinician_answer",
        "true_answer",
        "goldAnswer",
        "sol",
        "status",
        "standard_answer",
        "expert_annotation",
    ),
    *("value", "gpt-4o", "gpt-4o claude-opus", "what_it_says"),
    *("answer prediction", "answer pred", "answer llm_output", "answer hypothesis"),
)


@pytest.mark.parametrize("writer", WRITERS)
def test_the_column_of_ids_and_that_of_answers_are_found_by_values_and_names_or_asked_about(writer):
    for task, answer, beside in FOUND:
        both = [
            WRITERS[writer]([{**beside, task: n, answer: f'["{n}"]'} for n in ids[:2]])
            for ids in (TASKS, IDS)
        ]
        outcome = read_fhir(both[1])
        for records, ids in ((read(both[0])[0], TASKS), (outcome.records, IDS)):
            assert [(each.task_id, each.answer) for each in records] == [(n, f'["{n}"]') for n in ids[:2]]
        assert "resources.unknown" in {warning.code for warning in outcome.warnings}
    for names in NOT_FOUND:
        both = [
            WRITERS[writer]([{"id": n, **{name: f"{name} {n}" for name in names.split()}} for n in ids[:2]])
            for ids in (TASKS, IDS)
        ]
        for problems in (read(both[0])[1].listed, read_fhir(both[1]).problems):
            assert problems
            assert any("be the answers: answer, " in each.message for each in problems) == names.startswith(
                "answer "
            )


def test_a_row_keeps_its_history_and_its_ids_beside_an_answer_of_any_known_name():
    history = [{"role": "agent", "content": "GET x"}, {"role": "user", "content": "{}"}]
    for name, stated in (
        ("post_history", json.dumps(history)),
        ("post_history", history),
        ("history", history),
    ):
        [record], _, _ = read(lines({"task_id": TASKS[0], "result": "[1]", name: stated}))
        assert record.post_history == history, name
    for name in ("predicted_answer", "response"):
        row = {"question_id": IDS[0], name: "Yes.", "retrieved_fhir_ids": {"Patient": ["a"]}}
        [record] = read_fhir(lines(row)).records
        assert (record.answer, record.resources) == ("Yes.", {"Patient": ["a"]})


def test_answers_by_type_of_task_are_no_systems_and_those_of_systems_are():
    for names, ids, code in ((("task1", "task2"), (0, 1), "layout.unknown"), (("a", "b"), (0, 0), "runs.")):
        document = {name: {TASKS[n]: "[1]"} for name, n in zip(names, ids, strict=True)}
        [problem] = read(json.dumps(document).encode())[1].listed
        assert problem.code.startswith(code)


def test_answer_is_asked_about_beside_another_text_of_the_same_form_that_differs():
    said = [{"role": "user", "content": "Which?"}, {"role": "assistant", "content": "FINISH([2])"}]
    for name, told, own, is_asked in [
        *((name, "FINISH([2])", "[1]", True) for name in ("hyp", "final", "gpt-4o", "sys_answer")),
        *(("hyp", "FINISH([1 ])", "[1]", False), ("notes", "I looked: 2.", "[1]", False)),
        *(("trace", said, "[1]", True), ("trace", said, "[2]", False)),
    ]:
        rows = [{"id": n, "answer": own, name: told} for n in TASKS[:2]]
        for raw in (lines(*rows), json.dumps(rows).encode()):
            asked = [f"be the answers: answer, {name}" in each.message for each in read(raw)[1].listed]
            assert asked == [True] * is_asked, (name, told)


def test_a_row_with_more_cells_than_columns_and_ids_of_no_task_are_problems():
    for row, code in (('task1_1,FINISH(["a", "b"])', "file.csv"), ("Task1_1,[]", "task-id.unknown")):
        _, problems, _ = read(f"task_id,answer\n{row}\n".encode())
        assert [(problem.code, problem.line) for problem in problems.listed] == [(code, 2)]
