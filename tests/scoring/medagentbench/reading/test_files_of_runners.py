"""Files as the official runner writes them, besides runs.jsonl: the same records and verdicts."""

from tests.support.scoring.medagentbench_samples import REPLY, dump, file_of, post, read, result, run
from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.submission import read_submission
from wardboard.scoring.medagentbench.reading.tasks import published_task_ids
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.reports.fixes import Fix

IDS = published_task_ids("v1")
RUNS = [
    run(index, answer, history)
    for index, answer, history in ((0, '["S1"]', []), (40, "[2.7]", [post(), REPLY]), (3, None, []))
]


def records(raw: bytes):
    return read_submission(raw, task_ids=IDS, version="v1")


def overall(*outputs, **more) -> dict:
    return {
        "total": len(outputs),
        "validation": {"completed": 1.0},
        "custom": {"raw_results": [*outputs], **more},
    }


OUTPUTS = [{**line["output"], "status": "completedCorrect"} for line in RUNS]
LINES = b"\n".join(map(dump, RUNS))


def test_another_file_of_the_runner_has_the_records_of_its_runs_jsonl():
    for raw, name in [
        (dump(RUNS), "runs-jsonl"),
        (dump(overall(*OUTPUTS, **{"success rate": 0.5})), "overall-json"),
        (dump({"success rate": 0.5, "raw_results": OUTPUTS}), "overall-json"),
    ]:
        reading, lines = records(raw), records(LINES)
        assert reading.format == name, raw
        assert list(reading.records) == list(lines.records), raw
        assert reading.count == 3, raw
        assert [warning.code for warning in reading.warnings.listed] == [
            warning.code for warning in lines.warnings.listed
        ]


def test_a_problem_is_named_at_its_place_in_that_file():
    for document, code, pointer in [
        (overall({**OUTPUTS[0], "result": [60]}), Code.ANSWER_NOT_A_STRING, "/custom/raw_results/0/result"),
        (overall({**OUTPUTS[0], "index": 1000}), Code.INDEX_OUT_OF_RANGE, "/custom/raw_results/0/index"),
        (
            {"raw_results": [{**OUTPUTS[0], "history": [{"role": "agent", "content": 1}]}]},
            DocumentCode.FIELD_TYPE,
            "/raw_results/0/history/0/content",
        ),
        ([RUNS[0], {**RUNS[1], "index": 0}], Code.TASK_ID_REPEATED, "/1/index"),
    ]:
        problems, _ = read(dump(document))
        assert (code, pointer) in {(problem.code, problem.pointer) for problem in problems.listed}, document


def test_a_key_of_another_name_is_named_with_the_right_one():
    for other, key in {
        "id": "task_id",
        "taskId": "task_id",
        "response": "answer",
        "output": "answer",
    }.items():
        renamed = {other if name == key else name: value for name, value in result().items()}
        problems, _ = read(file_of(renamed))
        assert f"Rename `{other}` to `{key}`." in {problem.hint for problem in problems.listed}


def test_an_answer_within_finish_is_named_with_what_to_write_and_its_text_is_kept():
    raw = file_of(result("task2_1", "FINISH([60])"))
    reading = read_submission(raw, task_ids=IDS, version="v1")
    (warning,) = [one for one in reading.warnings.listed if one.code == Code.ANSWER_SHAPE]
    assert warning.fix == Fix(before='"FINISH([60])"', after='"[60]"')
    # The verdict is that of the official grader, which takes nothing away.
    assert reading.records[0].answer == "FINISH([60])"


def answers_of(*lines: dict) -> list[str | None]:
    raw = b"\n".join(dump({"task_id": f"task{n}_1", **line}) for n, line in enumerate(lines, 1))
    return [record.answer for record in records(raw).records]


def test_a_text_of_the_model_is_an_answer_only_if_it_is_finish_or_a_list():
    for field in ("response", "output"):
        texts = ('FINISH(["S1"])', "[60]", "It is 2.7.")
        assert answers_of(*({field: text} for text in texts)) == ['["S1"]', "[60]", None], field
    assert answers_of({"answer": ["S1"]}, {"result": {"error": "away"}}) == ['["S1"]', None]
    for response in (None, {"choices": []}, 1):
        # A field without a text hides no answer beside it.
        lines = [{"response": response, "output": 'FINISH(["S1"])'}, {"output": "[60]"}]
        assert answers_of(*lines) == ['["S1"]', "[60]"], response
    prose = [{"task_id": "task1_1", "response": "It is 60."}, {"task_id": "task2_1", "response": "Done."}]
    (problem,) = read(b"\n".join(map(dump, prose)))[0].listed
    assert problem.code == DocumentCode.NO_RESULTS


def test_a_text_that_is_no_answer_is_named_and_lines_that_state_none_are_read():
    texts = [
        ("output", "It is 60.", Code.ANSWER_NOT_JSON),
        ("result", {"error": "x"}, Code.ANSWER_TASK_ERROR),
    ]
    for field, text, code in texts:
        raw = [{"task_id": "task1_1", "answer": ["S1"]}, {"task_id": "task2_1", field: text}]
        remarks = read(b"\n".join(map(dump, raw)))[1].listed
        places = {(one.code, one.line, one.pointer) for one in remarks if one.line}
        assert places == {(code, 2, f"/{field}")}
    assert answers_of({"answer": None}, {"answer": None}) == [None, None]


def test_several_runs_of_agentbeats_in_one_file_are_named():
    part = {"task_results": {"task1_1": {"agent_answer": "[1]"}}}
    problems, _ = read(dump({"participants": {}, "results": [part, part]}))
    assert [problem.code for problem in problems.listed] == ["log.several-runs"]


def test_two_answers_to_a_task_are_refused_with_both_lines_and_equal_ones_count_once():
    lines = [{"task_id": f"task{n}_1", "answer": "[60]"} for n in (1, 3, 1)]
    _, warnings = read(b"\n".join(map(dump, lines)))
    assert "1 of its 2 tasks" in {one.code: one.message for one in warnings.listed}[Code.HISTORY_MISSING]
    assert Code.LINE_REPEATED in {one.code for one in warnings.listed}
    lines[2]["answer"] = "[61]"
    (problem,) = read(b"\n".join(map(dump, lines)))[0].listed
    assert (problem.code, problem.line) == (Code.TASK_ID_REPEATED, 3)
    assert "line 1" in problem.message


def test_an_answer_stands_against_a_failed_attempt_on_another_line():
    answer = {"task_id": "task1_1", "status": "completed", "result": '["S1"]'}
    failed = {**answer, "status": "task error", "result": {"error": "timeout"}}
    for lines in (
        [answer, failed],
        [failed, answer],
        [answer, {**answer, "result": None, "error": "timeout"}],
    ):
        raw = b"\n".join(map(dump, lines))
        warnings = {(one.code, one.line) for one in read(raw)[1].listed}
        assert (Code.ATTEMPTS_FAILED, 1 + lines.index(failed if failed in lines else lines[1])) in warnings
        assert answers_of(*lines) == ['["S1"]']
    output = {"status": "task error", "result": {"error": "timeout"}, "history": []}
    later = [*RUNS, {**RUNS[0], "output": {**RUNS[0]["output"], **output}}]
    problems, warnings = read(b"\n".join(map(dump, later)))
    assert (problems.total, warnings.counts[Code.ATTEMPTS_FAILED]) == (0, 1)
