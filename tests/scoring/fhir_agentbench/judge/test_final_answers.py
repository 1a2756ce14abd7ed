"""Final answers: found, judged alone, and left open where the rest contradicts them."""

import pytest

from wardboard.scoring.fhir_agentbench.judge import RulesJudge

RULES = RulesJudge()
COUNT = "How many icu visits did patient 99990201 have in 2151?"
GIVEN = "Was patient 99990206 given senna in 2151?"
DRUGS = "Which drugs was patient 99990202 given in 2151?"
WHEN = "When was patient 99990202 given senna in 2151?"


def verdict_on(truth, answer, question=COUNT):
    return RULES.judge(question=question, assumption=None, true_answer=truth, agent_answer=answer).correct


def test_a_final_answer_is_judged_alone():
    for answer in [
        "Step 1: 7 encounters. Step 2: 4 are of 2150.\nFinal answer: 3",
        "There are 7 encounters, 4 of them of 2150.\n\n**Final answer:** 3 ICU visits",
        "7 encounters, of which 4 drop out.\n\n### Answer\n\n3",
        "7 encounters were found; 4 drop out.\nResult: **3**",
        'I found 7, then 4.\n```json\n{"answer": 3}\n```',
        'Done.\n```json\n{"reasoning": "7 - 4", "answer": "3 visits"}\n```',
        "I read 7 encounters.\n\n| Answer |\n|---|\n| 3 |",
        "I read 7 encounters. The patient had **3** ICU visits.",
        "Final answer: 3\n\nNote: the 4 encounters of 2150 are left out.",
    ]:
        assert verdict_on("[[3]]", answer) is True, answer
        assert verdict_on("[[9]]", answer) is False, answer
        assert verdict_on("[[7]]", answer) is not True, answer
        assert verdict_on("[[4]]", answer) is not True, answer


def test_what_contradicts_a_final_answer_leaves_it_open():
    for answer in [
        "Final answer: 3\nFinal answer: 5",
        "Final answer: 3\n\nWait, that is 5.",
        "Final answer: 3\n\nThe patient had 5 ICU visits.",
        "Final answer: 3 or 5",
        '```json\n{"answer": 3}\n```\n```json\n{"answer": 5}\n```',
        "The patient had 5 ICU visits in 2151. 3 of them were short.",
        "The patient had **3** ICU visits in 2150 and **2** in 2151.",
    ]:
        assert verdict_on("[[3]]", answer) is None, answer


def test_a_list_that_continues_on_the_next_lines_is_whole():
    answer = "I looked at Heparin first.\nFinal answer:\n- Aspirin\n- Senna"
    assert verdict_on("[['Aspirin']\n ['Senna']]", answer, DRUGS) is True
    assert verdict_on("[['Aspirin']]", answer, DRUGS) is not True


def test_a_final_answer_at_the_end_of_a_very_long_text_is_found():
    answer = "I looked at another resource.\n" * 1_000 + "Final answer: 3"
    assert verdict_on("[[3]]", answer) is True


@pytest.mark.parametrize(
    "answer",
    [
        "The patient never missed a dose of senna.",
        "No one can deny that the patient was given senna.",
        "The patient was never without senna.",
        "No dose of senna was skipped.",
    ],
)
def test_a_double_negation_stays_open(answer):
    assert verdict_on("[[1]]", answer, GIVEN) is None
    assert verdict_on("[[0]]", answer, GIVEN) is None


@pytest.mark.parametrize(
    "answer",
    [
        "Aspirin, and Senna only on the second visit",
        "Aspirin, Senna (not in May)",
        "Aspirin; Senna until June",
    ],
)
def test_an_item_of_a_list_with_an_exception_stays_open(answer):
    assert verdict_on("[['Aspirin']\n ['Senna']]", answer, DRUGS) is None


def test_an_answer_of_0_times_is_the_number_0_and_no_plain_no():
    for answer in ("0 times", "Senna was given 0 times.", "Final answer: 0 times"):
        assert verdict_on("[[0]]", answer, "How many times was senna given to patient 99990206?") is True
        assert verdict_on("[[0]]", answer, GIVEN) is None
        assert verdict_on("[[1]]", answer, GIVEN) is None


def test_a_question_that_begins_with_its_period_is_answered_by_yes_or_no():
    question = "In 07/last year has senna, heparin or aspirin been given to patient 99990206?"
    assert verdict_on("[[1]]", "Yes", question) is True
    assert verdict_on("[[0]]", "Yes", question) is False
    assert verdict_on("[[0]]", "Heparin was given.", question) is None


@pytest.mark.parametrize("truth", ["[]", "[[None]]", "no answer"])
def test_a_plain_denial_of_the_thing_asked_meets_a_truth_without_a_value(truth):
    assert verdict_on(truth, "No senna was given to the patient.", WHEN) is True
    assert verdict_on(truth, "Nothing was found.", WHEN) is True
    assert verdict_on(truth, "Senna was given on 2151-03-02.", WHEN) is False


@pytest.mark.parametrize(
    "answer",
    [
        "No heparin was given.",
        "No senna was given in 2149.",
        "Perhaps none was given.",
    ],
)
def test_a_denial_of_another_thing_or_an_unsure_one_stays_open(answer):
    assert verdict_on("[]", answer, WHEN) is None


def test_a_range_of_reference_beside_a_value_leaves_it_open():
    question = "What was the last sodium of patient 99990207?"
    for answer in ("141 mEq/L (reference range 135-145)", "141 (normal: 135 to 145 mEq/L)"):
        assert verdict_on("[[141]]", answer, question) is None
        assert verdict_on("[[135]]", answer, question) is None
