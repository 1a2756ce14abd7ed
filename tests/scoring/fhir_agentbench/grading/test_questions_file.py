"""Reading the CSV with the hidden reference answers: accepted and rejected files, and no leaks."""

import csv
import io

import pytest

from wardboard.scoring.fhir_agentbench import (
    FhirReference,
    QuestionsInvalid,
    dump_references,
    load_references,
    read_questions,
)

COLUMNS = ["question_id", "question", "assumption", "patient_fhir_id", "true_answer", "true_fhir_ids"]
COLUMNS += ["template"]


def row(number=1, **cells):
    usual = {
        "question_id": f"{number:024x}",
        "question": "What is the gender?",
        "patient_fhir_id": "11111111-2222-4333-8444-555555555555",
        "true_answer": "[['F']]",
        "true_fhir_ids": "{'Patient': ['secret-id']}",
    }
    return usual | cells


def table(*rows, columns=COLUMNS, line="\n"):
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, lineterminator=line, restval="", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def read(raw, **options):
    return read_questions(io.BytesIO(raw), **options)


def problems(raw, **options):
    with pytest.raises(QuestionsInvalid) as refused:
        read(raw, **options)
    assert "secret" not in str(refused.value)
    listed = refused.value.problems
    assert all(problem.code and problem.hint for problem in listed)
    return [f"line {problem.line}: {problem.message}" for problem in listed]


def test_a_row_is_a_reference_that_shows_its_id_alone():
    (result,) = read(table(row(assumption="Today.", template="gender"))).values()
    assert result == FhirReference(
        task_id=f"{1:024x}",
        question="What is the gender?",
        assumption="Today.",
        patient_fhir_id="11111111-2222-4333-8444-555555555555",
        true_answer="[['F']]",
        true_ids={"Patient": ("secret-id",)},
        template="gender",
    )
    assert result.unusable is None
    assert repr(result) == f"FhirReference(task_id='{1:024x}')"


def test_an_empty_cell_is_no_value_and_without_true_types_the_reference_is_no_answer():
    for cell in ["", " ", "nan", "None", "N/A"]:
        (result,) = read(table(row(assumption=cell, template=cell, true_fhir_ids=cell))).values()
        assert (result.assumption, result.template, result.true_ids) == (None, None, {}), cell
    result = read(table(row(1, true_fhir_ids="{}", true_answer="[[3]]"), row(2, true_fhir_ids="{'X': []}")))
    assert [reference.expected_answer for reference in result.values()] == ["no answer", "[['F']]"]


def test_every_problem_is_reported_at_once_with_its_line():
    raw = table(
        row(1, question_id="ABC"),
        row(2, true_answer="[['a']\n ['b']]"),
        row(3, true_fhir_ids="{'Patient': open('secret')}"),
        row(4, true_fhir_ids="['secret']"),
        row(5, true_fhir_ids="{'Patient': [7]}"),
        row(6, true_fhir_ids="{'Patient': 'secret'}"),
        row(7, question=" ", true_answer=""),
        row(2),
    )
    assert problems(raw) == [
        "line 2: question_id ABC is not 24 hexadecimal digits",
        "line 5: true_fhir_ids is not a Python literal",
        "line 6: true_fhir_ids is not an object of lists by resource type",
        "line 7: true_fhir_ids has a resource type whose value is not a list of ids",
        "line 8: true_fhir_ids has a resource type whose value is not a list of ids",
        "line 9: the question is missing",
        "line 9: the true_answer is missing",
        f"line 10: question_id {2:024x} is already used in line 3",
    ]


def test_faults_of_the_table_are_named():
    raw = table(row(), columns=("question_id", "question"))
    assert problems(raw) == [
        "line 1: there is no column assumption",
        "line 1: there is no column true_answer",
        "line 1: there is no column true_fhir_ids, without which retrieval cannot be scored",
    ]
    assert problems(b"question," + table(row())) == ["line 1: there are several columns question"]
    raw = table(row()).replace(b",", b";")
    assert problems(raw) == ["line 1: the cells are separated by semicolons"]
    assert "tabs" in problems(raw.replace(b";", b"\t"))[0]
    for raw, words in [
        (b"", "no column"),
        (table(), "no questions"),
        (table(row()) + b"1,2\n", "2 cells where the head has 7"),
        (table(row()) + b'1,"2\n', "cannot be read"),
        (table(row()) + "é".encode("latin-1"), "line 3: this is not UTF-8"),
    ]:
        assert words in " ".join(problems(raw)), raw
    # A byte-order mark and other columns are ignored.
    assert len(read(b"\xef\xbb\xbf" + table(row(more="x"), columns=[*COLUMNS, "more"]))) == 1


def test_a_file_without_true_resources_needs_an_option_and_they_are_then_unknown():
    columns = [name for name in COLUMNS if name != "true_fhir_ids"]
    assert "retrieval cannot be scored" in problems(table(row(), columns=columns))[0]
    (result,) = read(table(row(true_answer="[]"), columns=columns), allow_missing_ids=True).values()
    assert (result.true_ids, result.expected_answer) == (None, "[]")


def test_references_are_stored_and_come_back_the_same():
    result = read(
        table(row(1, assumption="é"), row(2, true_fhir_ids="{}"), row(3, true_fhir_ids="{'X': []}"))
    )
    stored = dump_references(result)
    assert load_references(stored) == result
    assert dump_references(load_references(stored)) == stored
    assert stored.isascii()
    known = FhirReference(task_id="a", question="Q", true_answer="[]", true_ids={})
    unknown = FhirReference(task_id="a", question="Q", true_answer="[]")
    assert dump_references({"a": known}) != dump_references({"a": unknown})
    assert load_references(dump_references({"a": unknown}))["a"].true_ids is None


def test_other_bytes_are_refused_without_being_quoted():
    secret = b'{"format": "fhir-agentbench-references/1", "references": [{"secret": 1}]}'
    for data in [b"", b"{}", b"[]", secret]:
        with pytest.raises(ValueError, match="import the questions again") as refused:
            load_references(data)
        assert "secret" not in str(refused.value)
        assert refused.value.__suppress_context__
