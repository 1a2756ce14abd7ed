"""A value with another role is no claim; a clause without a value says nothing about what is asked."""

import pytest

from wardboard.scoring.fhir_agentbench.judge import RulesJudge

RULES = RulesJudge()
MAGNESIUM = "What is the mean magnesium of patient 99990202 since 2134?"
LACTATE = "What was the last lactate of patient 99990202 in 2134?"
LABS = "How many lab tests did patient 99990202 have in 2137?"
UNIT = "Where was patient 99990202 discharged to the last time?"


def verdict_on(question, truth, answer):
    assumption = "Assume the current time is 2139-12-31 23:59:00."
    return RULES.judge(
        question=question, assumption=assumption, true_answer=truth, agent_answer=answer
    ).correct


@pytest.mark.parametrize(
    ("question", "truth", "answer"),
    [
        (MAGNESIUM, "[[1.98]]", "Averages hide trends. Mean magnesium: 1.98 mg/dL over six draws."),
        (LABS, "[[23]]", '{"count": 23}'),
        (UNIT, "[['SKILLED NURSING FACILITY']]", "SNF"),
    ],
)
def test_a_value_beside_values_with_other_roles_is_decided_right(question, truth, answer):
    assert verdict_on(question, truth, answer) is True


@pytest.mark.parametrize(
    ("question", "truth", "answer"),
    [
        (MAGNESIUM, "[[6.]]", "Mean magnesium: 1.98 mg/dL over six draws."),
        (LACTATE, "[[4.1]]", "Lactate 4.1 -> 2.3 -> 1.2."),
        (UNIT, "[['SKILLED NURSING FACILITY']]", "I discarded SNF. Home."),
    ],
)
def test_a_value_with_another_role_is_not_accepted(question, truth, answer):
    assert verdict_on(question, truth, answer) is not True
