"""How each field of a record is read, and its warnings."""

import gzip
import json

from tests.support.scoring.fhir_submissions import IDS, array, lines, read, read_one, record, table
from wardboard.scoring.fhir_agentbench.reading.records import AnswerRecord, Usage

WHOLE = [record(n) for n in range(6)]


def test_the_same_records_are_read_from_every_format_without_a_remark():
    for pack in [bytes, gzip.compress]:
        for raw, form in [
            (array(*WHOLE), "json-array"),
            (lines(*WHOLE), "json-lines"),
            (table(*WHOLE), "csv"),
            (b"\xef\xbb\xbf" + table(*WHOLE), "csv"),
            (b"\xef\xbb\xbf\r\n" + array(*WHOLE, indent=1).replace(b"\n", b"\r\n"), "json-array"),
            (lines(*WHOLE).replace(b"\n", b"\r\n\r\n"), "json-lines"),
        ]:
            result = read(pack(raw))
            assert (result.remarks, result.reading.format, result.reading.version) == ([], form, None)
            assert result.records == [
                AnswerRecord(
                    task_id=task_id,
                    answer="72 per minute",
                    resources={"Observation": ["obs-1", "obs-2"]},
                    usage=Usage(prompt_tokens=100, completion_tokens=5, cost=0.25),
                    has_trace=True,
                )
                for task_id in IDS
            ]


def test_nan_is_null_everywhere_and_earns_no_remark():
    nan = float("nan")
    result = read_one(agent_answer=nan, agent_fhir_resources=nan, error=nan, usage=nan, trace=[nan])
    assert [code for code, _ in result.remarks] == ["agent-answer.none"]
    answer = result.records[0]
    assert (answer.answer, answer.resources, answer.failed, answer.usage) == (None, None, False, None)


def test_words_for_empty_cells_are_null_in_a_table_and_text_in_json():
    for cell in ["", "nan", "None", "N/A"]:
        row = record(agent_answer=cell, agent_fhir_resources=cell, error=cell, usage=cell)
        answer = read(table(row)).records[0]
        assert (answer.answer, answer.resources, answer.failed, answer.usage) == (None, None, False, None)
    for word, failed in [("None", True), ("N/A", True), ("nan", False)]:
        answer = read_one(agent_answer=word, error=word).records[0]
        assert (answer.answer, answer.failed) == (word, failed)


def test_an_error_is_any_value_but_null_blank_and_nan():
    for error, failed, codes in [
        (None, False, []),
        ("", False, []),
        (" \n", False, []),
        ("nan", False, []),
        ("TimeoutError: 60 s", True, []),
        (False, True, ["error.not-a-string"]),
        (0, True, ["error.not-a-string"]),
        ([], True, ["error.not-a-string"]),
    ]:
        result = read_one(error=error)
        assert result.records[0].failed is failed, error
        assert [code for code, _ in result.remarks] == codes, error


def test_resources_may_be_an_object_its_text_or_nothing():
    for written in [
        {"Observation": ["a", "b"]},
        '{"Observation": ["a", "b"]}',
        "{'Observation': ['a', 'b']}",
        "{'Observation': ('a', 'b'), 'error': []}",
        "{'Observation': ['a', \"b\"]}",
        ' {"Observation": ["a", "b"]} ',
    ]:
        result = read_one(agent_fhir_resources=written)
        assert (result.records[0].resources, result.remarks) == ({"Observation": ["a", "b"]}, []), written
    for nothing in [None, "", " ", "nan", "null", "None"]:
        result = read_one(agent_fhir_resources=nothing)
        assert (result.records[0].resources, result.remarks) == (None, []), nothing
    # The runner's own list of errors is no type.
    result = read_one(agent_fhir_resources={"error": [{"code": 404}], "Patient": []})
    assert (result.records[0].resources, result.remarks) == ({"Patient": []}, [])


def test_resources_that_are_not_an_object_count_as_none_with_a_warning():
    failed = "'NoneType' object has no attribute 'items'"
    texts = [
        failed,
        "{Procedure: [p-1]}",
        '{"Procedure": ["p-1"]}}',
        "{'Procedure': [",
        "__import__('os').getcwd()",
    ]
    for no_object in [*texts, '["p-1"]', "['p-1']", "5", ["p-1"], [], 7, False]:
        result = read_one(agent_fhir_resources=no_object)
        assert result.records[0].resources is None, no_object
        assert result.remarks == [("resources.not-an-object", "/0/agent_fhir_resources")], no_object


def test_ids_that_are_not_a_list_of_text_are_kept_as_they_score_with_a_warning():
    for ids, kept, place in [
        ("p-1", "p-1", ""),
        ({"p-1": {"a": 1}}, {"p-1": None}, ""),
        (5, None, ""),
        (True, None, ""),
        (["p-1", 1.5, None], ["p-1", 1.5, None], "/1"),
    ]:
        result = read_one(agent_fhir_resources={"Patient": ids})
        assert result.records[0].resources == {"Patient": kept}, ids
        assert result.remarks == [("resources.ids", "/0/agent_fhir_resources/Patient" + place)], ids


def test_objects_among_ids_which_stop_the_official_evaluator_are_a_problem():
    for ids in [["p-1", {"id": "p-2"}], ["p-1", ["p-2"]]]:
        for written in ({"Patient": ids}, json.dumps({"Patient": ids}), str({"Patient": ids})):
            result = read_one(agent_fhir_resources=written)
            assert result.remarks == [("resources.nested-ids", "/0/agent_fhir_resources/Patient/1")]
            assert result.reading is None


def test_a_misspelt_type_and_ids_with_a_slash_are_reported_once_per_file():
    result = read(array(*(record(n, agent_fhir_resources={"patient": ["Patient/1"]}) for n in range(6))))
    field = "/0/agent_fhir_resources"
    assert [warning.message for warning in result.warnings] == [
        "ids such as “Patient/1” contain a slash, as FHIR references do; so in 6 records",
        "`patient` is spelt `Patient` in FHIR; so in 6 records",
    ]
    assert sorted(result.remarks) == [("resources.id-prefixed", field), ("resources.type-spelling", field)]
    assert all(kept.resources == {"patient": ["Patient/1"]} for kept in result.records)


def test_an_answer_that_is_not_text_is_kept_as_it_scores_with_a_warning():
    kept_as_it_is = [(answer, answer) for answer in (72, 10**40, True, [1, 2], [72], [], {"a": 7})]
    infinite = [(float("inf"), 1.7976931348623157e308), ([float("-inf")], ["-inf"])]
    for answer, kept in kept_as_it_is + infinite:
        result = read_one(agent_answer=answer)
        assert result.records[0].answer == kept, answer
        assert result.remarks == [("agent-answer.not-a-string", "/0/agent_answer")], answer


def test_half_a_surrogate_pair_is_replaced_with_a_warning():
    result = read_one(agent_answer="a\ud800b", agent_fhir_resources={"Pati\udfffent": ["\ud83d"]})
    answer = result.records[0]
    assert (answer.answer, answer.resources) == ("a\ufffdb", {"Pati\ufffdent": ["\ufffd"]})
    assert result.remarks == [("text.surrogate", "/0")]
    assert read_one(agent_answer={"a\ud800": ["\ud800"]}).records[0].answer == {"a\ufffd": ["\ufffd"]}
    result = read_one(agent_fhir_resources="{'Patient': {'\\ud800', '\\udfff'}, 'Condition': ('\\ud800',)}")
    assert result.records[0].resources == {"Patient": ["\ufffd", "\ufffd"], "Condition": ["\ufffd"]}


def test_a_usage_figure_that_is_not_a_number_is_not_counted():
    for figure in [-1, True, "12", [1], float("inf")]:
        result = read_one(usage={"prompt_tokens": figure, "completion_tokens": 7, "model": "m"})
        assert result.remarks == [("usage.malformed", "/0/usage/prompt_tokens")], figure
        assert (result.records[0].usage.prompt_tokens, result.records[0].usage.completion_tokens) == (None, 7)


def test_a_repeated_key_earns_a_warning_at_its_position():
    doubled = json.dumps(record()).replace('"error": null', '"error": "x", "error": null')
    doubled = doubled.replace('"obs-2"]', '"obs-2"], "Observation": ["obs-3"]')
    doubled = doubled.replace('"role": "user"', '"role": "a", "role": "user"')
    result = read(f"[{doubled}]".encode())
    assert result.remarks == [
        ("json.duplicate-key", "/0"),
        ("json.duplicate-key", "/0/agent_fhir_resources"),
    ]
    assert (result.records[0].failed, result.records[0].resources) == (False, {"Observation": ["obs-3"]})


def test_missing_questions_are_one_warning_with_the_first_of_them():
    result = read(array(record(1)))
    (warning,) = result.warnings
    assert (warning.code, warning.pointer) == ("questions.missing", "")
    assert warning.message == f"5 of the 6 questions have no record: {', '.join(IDS[:1] + IDS[2:])}"


def test_a_copy_of_the_reference_is_ignored_and_an_unknown_field_is_reported_once_per_file():
    copied = ("true_answer", "true_fhir_ids", "template", "patient_fhir_id", "question")
    assert read_one(**{key: [{}] for key in copied}).remarks == []
    result = read(array(*(record(n, agent_anwser="x") for n in range(6))))
    assert result.remarks == [("field.unknown", "/0/agent_anwser")]
    assert "agent_anwser" in result.warnings[0].message
