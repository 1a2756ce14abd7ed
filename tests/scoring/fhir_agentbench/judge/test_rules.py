"""The rules on answers of our own, and properties that hold for every answer."""

import time

import pytest
from hypothesis import strategies as st

from tests.support.examples import given
from tests.support.scoring.own_cases import answers, judge_arguments
from wardboard.scoring.fhir_agentbench.judge import RulesJudge
from wardboard.scoring.judging import Case

RULES = RulesJudge()
DECIDING = RulesJudge(decide_all=True)
COUNT = "How many icu visits did patient 99990201 have?"
TRUTHS = (
    "no answer",
    "[]",
    "[[None]]",
    "[[1]]",
    "[[0]]",
    "[[201.]]",
    "[[-1.59]]",
    "[['2151-03-02 10:00:00']]",
    "[['F']]",
    "[['A']\r\n ['B']]",
    "[[",
    "",
    "[['it''s']]",
)


def verdict_on(judge, truth, answer, question=COUNT, assumption=None):
    return judge.judge(
        question=question, assumption=assumption, true_answer=truth, agent_answer=answer
    ).correct


def test_what_the_rules_decide_of_our_own_set_is_right():
    verdicts = [(case, RULES.judge(**judge_arguments(case))) for case in answers()]
    assert [
        (case["kind"], case["agent_answer"], verdict.reason)
        for case, verdict in verdicts
        if verdict.correct not in (None, bool(case["must_be"]))
    ] == []


def test_no_wrong_answer_of_our_own_set_is_accepted_even_where_all_are_decided():
    wrong = [case for case in answers() if not case["must_be"]]
    decided = [(case, DECIDING.judge(**judge_arguments(case)).correct) for case in wrong]
    assert [(case["kind"], case["agent_answer"]) for case, correct in decided if correct is not False] == []


def test_most_of_our_own_set_is_decided():
    cases = answers()
    # Many answers that are made to mislead must stay undecided.
    plain = [case for case in cases if not case["kind"].startswith("trick-")]
    decided = sum(RULES.judge(**judge_arguments(case)).correct is not None for case in plain)
    assert len(cases) > 800
    assert decided > 0.5 * len(plain)


def test_most_right_answers_of_our_own_set_are_accepted_without_deciding_all():
    right = [case for case in answers() if case["must_be"]]
    assert sum(RULES.judge(**judge_arguments(case)).correct is True for case in right) > 0.7 * len(right)


def test_a_verdict_names_the_rule_and_quotes_nothing():
    verdict = RULES.judge(
        question=COUNT, assumption=None, true_answer="[[3]]", agent_answer="There were 3 visits in 2151."
    )
    assert verdict.by == "rules"
    assert verdict.reason == "number-equal"
    assert "2151" not in repr(verdict)


def test_all_cases_are_judged_in_their_order():
    cases = [
        Case(question=COUNT, assumption=None, true_answer="[[3]]", agent_answer=answer)
        for answer in ("3", "4", "3 or 4")
    ]
    assert [verdict.correct for verdict in RULES.judge_all(cases)] == [True, False, None]


def test_judging_can_be_stopped():
    case = Case(question=COUNT, assumption=None, true_answer="[[3]]", agent_answer="3")
    verdicts = RULES.judge_all([case] * 2_000, watch=lambda decided, undecided: decided < 1_000)
    assert len(verdicts) == 2_000
    assert [verdict.reason for verdict in verdicts].count("stopped") == 1_000


def test_a_reference_that_cannot_be_read_leaves_the_answer_undecided():
    assert verdict_on(RULES, "[['" + "x" * 300_000 + "']]", "3") is None


def test_rows_printed_without_commas_are_several_values():
    truth = "[['Aspirin']\r\n ['Heparin']\r\n ['Aspirin']]"
    question = "Which drugs did patient 99990202 get?"
    assert verdict_on(RULES, truth, "Heparin and aspirin", question) is True
    assert verdict_on(RULES, truth, "Heparin", question) is False


def test_none_in_a_list_is_not_a_value():
    assert (
        verdict_on(RULES, "[['Aspirin']\n [None]]", "Aspirin", "Which drug did patient 99990202 get?") is True
    )


def test_numbers_of_the_question_are_not_an_answer():
    question = "How many times was 5% dextrose given to patient 99990203 on 05/03/2151?"
    assert verdict_on(RULES, "[[5]]", "5% dextrose was given 2 times on 05/03/2151.", question) is not True
    assert verdict_on(RULES, "[[3]]", "5% dextrose was given on 05/03/2151.", question) is not True


def test_identifiers_are_not_values():
    answer = "Patient 3f2a1b4c-0000-4000-8000-000000000003 (99990201), Encounter/3: visits unknown"
    assert verdict_on(DECIDING, "[[3]]", answer) is False


def test_no_constant_answer_is_right_for_many_numbers():
    for constant in [
        "1, 2, 3",
        ", ".join(map(str, range(70))),
        # Repeat each value v so that the others add up to v, with one number for the remainder.
        ", ".join([str(v) for v in range(1, 40) for _ in range(max(1, round(120 / v) - 1))] + ["-1923"]),
        "1 = 1, 2 = 2, 3 = 3, total 6",
        "1 + 1 = 2, 2 + 1 = 3, 3 + 1 = 4",
        "In total 1, in total 2, in total 3, in total 4",
        "1 time, 2 visits, 3 stays, 4 days, 5 in total",
        "total 10: 5, 3, 2; sum 20: 10, 5, 5",
        "It fell by 1, 2, 3, 4, 5",
    ]:
        for question in (COUNT, "What was the last potassium of patient 99990209?"):
            # RULES accepts only what this judge accepts.
            matches = [
                truth for truth in range(-9, 70) if verdict_on(DECIDING, f"[[{truth}]]", constant, question)
            ]
            assert len(matches) <= 2, constant


def test_a_duration_with_hundreds_of_digits_is_not_a_number_of_days():
    answer = f"{'9' * 400}.5 days and 3 hours"
    verdict = DECIDING.judge(question=COUNT, assumption=None, true_answer="[[3]]", agent_answer=answer)
    assert verdict.correct is False
    assert verdict.reason != "unreadable"


def test_several_candidates_are_never_right():
    for numbers in ["3 or 4", "3, 4, 5", "3/4", "3 - 5", "3; 4", "either 3 or more", "2 3 4"]:
        assert verdict_on(RULES, "[[3]]", numbers) is not True, numbers
        assert verdict_on(DECIDING, "[[3]]", numbers) is False, numbers


def test_the_unit_of_time_is_the_question_s():
    question = "How many hours was patient 99990204 in the icu?"
    assert verdict_on(RULES, "[[48]]", "2 days", question) is True
    assert verdict_on(DECIDING, "[[2]]", "2 days", question) is False
    assert verdict_on(RULES, "[[2]]", "2 days", question) is not True


def test_printed_resources_do_not_answer_a_question_about_a_value():
    answer = '{"resourceType": "Observation", "valueQuantity": {"value": 88, "unit": "bpm"}}'
    assert verdict_on(RULES, "[['Heparin']]", answer, "Which drug did patient 99990202 get?") is False


@given(
    truth=st.sampled_from(TRUTHS),
    answer=st.text(max_size=300)
    | st.text(alphabet="0123456789.,:-/ [](){}'\"eExX%年月日是否noyesNTZ\n", max_size=300),
    question=st.sampled_from([COUNT, "Did patient 1 get it?", "When was it?", "", "What is it?", "是嗎"]),
)
def test_no_text_makes_the_rules_fail(truth, answer, question):
    first = RULES.judge(question=question, assumption=None, true_answer=truth, agent_answer=answer)
    again = RULES.judge(question=question, assumption=None, true_answer=truth, agent_answer=answer)
    decided = DECIDING.judge(question=question, assumption=None, true_answer=truth, agent_answer=answer)
    assert first == again
    assert decided.correct is not None
    assert first.correct in (None, decided.correct)


@given(st.text(max_size=200))
def test_no_reference_makes_the_rules_fail(truth):
    RULES.judge(question=COUNT, assumption=None, true_answer=truth, agent_answer="3 visits on 2151-03-02")


@given(
    question=st.text(max_size=120),
    assumption=st.none() | st.text(max_size=60),
    truth=st.text(max_size=120) | st.text(alphabet="[]'\"0123456789.eE-+, \nNoneaninf", max_size=60),
    answer=st.text(max_size=200) | st.text(alphabet="0123456789.,eE+-x^ ()[]|<>≥±/:#\n", max_size=80),
)
def test_the_rules_return_a_verdict_for_any_question_reference_and_answer(
    question, assumption, truth, answer
):
    verdict = DECIDING.judge(question=question, assumption=assumption, true_answer=truth, agent_answer=answer)
    assert verdict.correct in (True, False)


def test_numbers_too_large_to_represent_are_not_numbers():
    for number in ["1e400", "1e99", "-5E+200", "3 x 10^99", "9" * 400, "1e-400"]:
        for text in (number, f"It was {number} times."):
            assert verdict_on(RULES, "[[3]]", text) is not True, number
            assert verdict_on(RULES, f"[[{number}]]", "3") is not True, number


def test_ranges_and_bounds_are_never_right():
    for answer in [
        "5-8 times",
        "5–8",
        "5..8",
        ">5",
        "> 5",
        "≥5",
        "!=5",
        "≠5",
        "5+",
        "5±2",
        "half of 5",
        "最多5次",
    ]:
        assert verdict_on(RULES, "[[5]]", answer) is not True, answer
        assert verdict_on(DECIDING, "[[5]]", answer) is False, answer


def test_a_number_with_all_the_decimals_that_a_program_prints_is_accepted():
    question = "How many days was patient 99990205 in the icu?"
    for answer in ("7.76263888888889", '{"days": 7.7626388888}', "It took 7.76263888888889 days."):
        assert verdict_on(RULES, "[[7.76263889]]", answer, question) is True


GIVEN = "Has patient 99990206 been given insulin in 2151?"


def test_a_yes_denied_later_or_about_something_else_does_not_count():
    for answer in [
        "I looked at every order of the patient. Insulin was not given.",
        "Step 1: list orders.\nStep 2: keep 2151.\nResult: no insulin.",
        "## Result\n\nPatient 99990206 has not been given insulin.",
        "Patient 99990206 has been given furosemide in 2151.",
        "Insulin was given in 2149.",
        "Insulin given in 2151? no",
    ]:
        assert verdict_on(RULES, "[[1]]", answer, GIVEN) is not True, answer
        assert verdict_on(DECIDING, "[[1]]", answer, GIVEN) is False, answer


def test_a_no_to_one_of_several_does_not_deny_all():
    question = "Was patient 99990206 given insulin, senna, or heparin?"
    for answer in ("Senna was not given. Heparin was.", "No insulin was found; senna was given twice."):
        assert verdict_on(RULES, "[[0]]", answer, question) is not True


def test_a_comparison_from_the_other_side_is_reversed():
    question = "Is the last lactate of patient 99990207 higher than the first?"
    assert verdict_on(RULES, "[[1]]", "The first lactate was higher than the last.", question) is not True
    assert verdict_on(RULES, "[[0]]", "The first lactate was higher than the last.", question) is not False


def test_the_longer_of_two_names_is_not_the_shorter_too():
    question = "Which drugs did patient 99990202 get?"
    truth = "[['Saline']\n ['Saline Flush']]"
    assert verdict_on(RULES, truth, "Saline Flush", question) is not True
    assert verdict_on(DECIDING, truth, "Saline Flush", question) is False
    assert verdict_on(RULES, truth, "Saline and Saline Flush", question) is True


def test_every_number_of_a_list_must_be_given():
    question = "Show the weights of patient 99990208."
    assert verdict_on(DECIDING, "[[70.6]\n [71.]]", "70.6", question) is False
    assert verdict_on(DECIDING, "[[70.6]\n [71.]]", "70.6 and 71", question) is True


def test_a_table_header_is_not_an_answer():
    question = "Which drugs did patient 99990202 get?"
    answer = "| # | Item |\n|---|---|\n| 1 | Aspirin (81 mg daily) |\n| 2 | Senna |"
    assert verdict_on(DECIDING, "[['Aspirin']\n ['Senna']]", answer, question) is True


HOSTILE = {
    "one letter": "a",
    "digits": "1",
    "digits and spaces": "1 ",
    "digits and commas": "1,",
    "digits and points": "1.",
    "spaces": " ",
    "line breaks": "\n",
    "brackets": "[",
    "quotes": "'",
    "no": "no ",
    "dates": "2151-03-02 ",
    "half dates": "3 may ",
    "colons": "1:1:",
    "Chinese": "是",
    "hashes": "#",
    "orders": "return ",
    "read this": "read this ",
    "combining": "a\u0301",
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_judging_takes_linear_time(piece):
    text = piece * (2**18 // len(piece))
    started = time.process_time()
    for truth in ("[[3]]", "[['2151-03-02 10:00:00']]", "[['A']\n ['B']]", "no answer"):
        RULES.judge(question=COUNT, assumption=None, true_answer=truth, agent_answer=text)
    # Seconds if a pattern is tried at every position; hours if one backtracks at every position.
    assert time.process_time() - started < 20
