"""What is no claim about what is asked is left out, whatever its words; what may be one never is."""

import pytest

from wardboard.scoring.fhir_agentbench.judge import RulesJudge

RULES = RulesJudge()
SODIUM = "What was the minimum sodium of patient 99990202 since 2120?"
LAST_DRUG = "What was the last drug prescribed to patient 99990202?"
DRUGS = "Which drugs was patient 99990202 given on the first visit?"
HOW_OFTEN = "How many times was patient 99990202 prescribed senna in 2139?"
SIDE = "Was patient 99990202 given senna on the last hospital visit?"
ORGANISM = "Which organism was first found in the blood culture of patient 99990202 in 2130?"


def verdict_on(truth, answer, question):
    return RULES.judge(question=question, assumption=None, true_answer=truth, agent_answer=answer).correct


@pytest.mark.parametrize(
    ("question", "truth", "answer"),
    [
        (SODIUM, "[[128.]]", "128 mEq/L; the 13 others range between 131 and 144."),
        (SODIUM, "[[128.]]", "128\n\nFootnote - two of the draws happened in the ED."),
        (
            LAST_DRUG,
            "[['Senna']]",
            "I believe this was senna, though I would not rule out orders missing here.",
        ),
        (
            HOW_OFTEN,
            "[[0]]",
            "I checked all 88 orders for you and the count for senna is 0. Have a nice day!",
        ),
        (HOW_OFTEN, "[[0]]", '{"count": 0, "drug": "senna", "total_orders": 88}'),
        (SIDE, "[[0]]", "It does not seem so."),
        (ORGANISM, "[]", "No organism found. (In 2131 there was E. coli, in urine.)"),
    ],
)
def test_an_aside_does_not_keep_a_right_answer_open(question, truth, answer):
    assert verdict_on(truth, answer, question) is True


@pytest.mark.parametrize(
    ("question", "truth", "answer"),
    [
        (SODIUM, "[[128.]]", "128 mEq/L is what the summary has. The raw values go down to 124 mEq/L."),
        (
            LAST_DRUG,
            "[['Senna']]",
            "Returns aspirin as the latest. Senna turns up, though I judged it earlier.",
        ),
        (DRUGS, "[['Aspirin']\n ['Senna']]", "Aspirin. Senna came up in the second visit only."),
        (DRUGS, "[['Aspirin']\n ['Senna']]", "Aspirin and senna, but I would not include senna."),
        (SIDE, "[[1]]", "Yes. I did not find any senna in the record."),
        (ORGANISM, "[]", "Nothing at first, later it grew Staphylococcus epidermidis."),
    ],
)
def test_what_may_turn_a_claim_round_is_no_aside(question, truth, answer):
    assert verdict_on(truth, answer, question) is not True


@pytest.mark.parametrize(
    ("question", "truth", "answer"),
    [
        (ORGANISM, "[]", "The 2130 blood cultures stayed sterile."),
        (HOW_OFTEN, "[[0]]", "0. (Senna was ordered 3 times in 2140.)"),
        (HOW_OFTEN, "[[12.5]]", "12\u00bd"),
    ],
)
def test_an_answer_that_has_the_right_value_in_some_way_is_never_called_wrong(question, truth, answer):
    assert verdict_on(truth, answer, question) is not False
