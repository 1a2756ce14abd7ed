"""Values as the format has them: what the fixes of common slips insert."""

import json

import pytest

from tests.support.scoring.medagentbench_samples import dump, file_of, lines, read, result, run


@pytest.mark.parametrize(
    ("task", "written", "meant"),
    [
        ("task1_1", "S1", '["S1"]'),
        ("task1_1", "['S1']", '["S1"]'),
        ("task1_1", "[“S1”,]", '["S1"]'),
        ("task1_1", '"S1"', '["S1"]'),
        ("task2_1", "60", "[60]"),
        ("task2_1", '["60"]', "[60]"),
        ("task2_1", "[[60]]", "[60]"),
        ("task2_1", '"[60]"', "[60]"),
        ("task4_1", "“2.7”", "[2.7]"),
        ("task4_1", "```json\n[2.7]\n```", "[2.7]"),
        ("task10_1", '6.1, "2023"', '[6.1, "2023"]'),
        ("task1_1", "FINISH(S1)", '["S1"]'),
        ("task1_1", "FINISH(Dr. Who)", "Dr. Who"),
    ],
)
def test_an_answer_with_a_common_slip_is_shown_as_it_should_be(task, written, meant):
    _, warnings = read(file_of(result(task, written)))
    (fix,) = [one.fix for one in warnings.listed if one.code.startswith("answer.")]
    assert (json.loads(fix.before), json.loads(fix.after)) == (written, meant)


@pytest.mark.parametrize(
    ("task", "written"),
    [
        ("task1_1", "The patient is S1."),
        ("task2_1", "60.5"),
        ("task4_1", "2,7"),
        ("task4_1", "2.7 mg"),
        ("task4_1", "[2.7"),
        ("task5_1", "None"),
        ("task7_1", "NaN"),
        ("task1_1", "['O'Hara']"),
        ("task1_1", json.dumps("9" * 90)),
    ],
)
def test_an_answer_whose_meaning_is_not_clear_gets_no_fix(task, written):
    _, warnings = read(file_of(result(task, written)))
    assert [one.fix for one in warnings.listed if one.code.startswith("answer.")] == [None]


@pytest.mark.parametrize(
    ("change", "code", "before", "after"),
    [
        ({"role": "assistant"}, "role.unknown", '"assistant"', '"agent"'),
        ({"role": "User"}, "role.unknown", '"User"', '"user"'),
        ({"role": "tool"}, "role.unknown", "", ""),
    ],
)
def test_a_role_of_another_harness_is_shown_as_it_should_be(change, code, before, after):
    problems, _ = read(file_of(result(history=[{"role": "agent", "content": "x", **change}])))
    (problem,) = [one for one in problems.listed if one.code == code]
    assert (problem.fix.as_dict() if problem.fix else {"before": "", "after": ""}) == {
        "before": before,
        "after": after,
    }


@pytest.mark.parametrize(
    ("version", "fix"), [("1", '"v1"'), ("V1", '"v1"'), (1, '"v1"'), (1.0, '"v1"'), ("2", None), ([], None)]
)
def test_a_version_that_means_this_one_is_shown_as_it_should_be(version, fix):
    problems, _ = read(dump({"version": version, "results": [result()]}))
    (problem,) = [one for one in problems.listed if one.code.startswith("version.")]
    assert (problem.fix and problem.fix.after) == fix


def test_a_position_that_is_text_is_shown_as_a_number():
    problems, _ = read(lines(run(0), run("1")))
    assert problems.listed[0].fix.as_dict() == {"before": '"1"', "after": "1"}
