"""The rules on answers of our own, and properties that hold for every answer."""

from hypothesis import strategies as st

from tests.support.examples import given
from tests.support.scoring.own_cases import answers, judge_arguments
from wardboard.scoring.fhir_agentbench.judge import RulesJudge

RULES = RulesJudge()
COUNT = "How many icu visits did patient 99990201 have?"
TRUTHS = (
    *("no answer", "[]", "[[None]]", "[[1]]", "[[0]]", "[[201.]]", "[[-1.59]]", "[['2151-03-02 10:00:00']]"),
    *("[['F']]", "[['A']\r\n ['B']]", "[[", "", "[['it''s']]"),
)


def verdict_on(truth, answer, question=COUNT):
    return RULES.judge(question=question, assumption=None, true_answer=truth, agent_answer=answer).correct


def test_what_the_rules_decide_of_our_own_set_is_right_and_it_is_most():
    cases = answers()
    assert len(cases) > 800
    judged = [(case, RULES.judge(**judge_arguments(case))) for case in cases]
    assert [
        (case["kind"], case["agent_answer"], verdict.reason)
        for case, verdict in judged
        if verdict.correct not in (None, bool(case["must_be"]))
    ] == []
    # Many answers that are made to mislead must stay undecided.
    plain = [verdict.correct for case, verdict in judged if not case["kind"].startswith("trick-")]
    assert sum(correct is not None for correct in plain) > 0.5 * len(plain)
    right = [verdict.correct for case, verdict in judged if case["must_be"]]
    assert right.count(True) > 0.7 * len(right)


DRUGS = "Which drugs did patient 99990202 get?"
HOURS = "How many hours was patient 99990204 in the icu?"
DAYS = "How many days was patient 99990205 in the icu?"
DEXTROSE = "How many times was 5% dextrose given to patient 99990203 on 05/03/2151?"
GIVEN = "Has patient 99990206 been given insulin in 2151?"
SEVERAL = "Was patient 99990206 given insulin, senna, or heparin?"
LACTATE = "Is the last lactate of patient 99990207 higher than the first?"
WEIGHTS = "Show the weights of patient 99990208."
RESOURCE = '{"resourceType": "Observation", "valueQuantity": {"value": 88, "unit": "bpm"}}'
SALINE = "[['Saline']\n ['Saline Flush']]"
# A question, a true answer, an answer, and whether it is right.
DECIDED = [
    # Rows printed without commas are several values, and None is none.
    (DRUGS, "[['Aspirin']\r\n ['Heparin']\r\n ['Aspirin']]", "Heparin and aspirin", True),
    (DRUGS, "[['Aspirin']\r\n ['Heparin']\r\n ['Aspirin']]", "Heparin", False),
    (DRUGS, "[['Aspirin']\n [None]]", "Aspirin", True),
    (DRUGS, "[['Heparin']]", RESOURCE, False),
    (DRUGS, SALINE, "Saline and Saline Flush", True),
    # The unit of time is the question's, and a program prints all decimals.
    (HOURS, "[[48]]", "2 days", True),
    (DAYS, "[[7.76263889]]", "7.76263888888889", True),
    (DAYS, "[[7.76263889]]", '{"days": 7.7626388888}', True),
]
# A question, a true answer, and answers that are never right.
NEVER_RIGHT = [
    (COUNT, "[[3]]", ["3 or 4", "3, 4, 5", "3/4", "3 - 5", "3; 4", "either 3 or more", "2 3 4"]),
    (
        COUNT,
        "[[5]]",
        ["5-8 times", "5–8", "5..8", ">5", "> 5", "≥5", "!=5", "≠5", "5+", "5±2", "half of 5", "最多5次"],
    ),
    (
        GIVEN,
        "[[1]]",
        [
            "I looked at every order of the patient. Insulin was not given.",
            "Step 1: list orders.\nStep 2: keep 2151.\nResult: no insulin.",
            "## Result\n\nPatient 99990206 has not been given insulin.",
            "Patient 99990206 has been given furosemide in 2151.",
            "Insulin was given in 2149.",
            "Insulin given in 2151? no",
        ],
    ),
    # Numbers of the question are no answer.
    (DEXTROSE, "[[5]]", ["5% dextrose was given 2 times on 05/03/2151."]),
    (DEXTROSE, "[[3]]", ["5% dextrose was given on 05/03/2151."]),
    # A no to one of several does not deny all, and the other side of a comparison is its opposite.
    (SEVERAL, "[[0]]", ["Senna was not given. Heparin was.", "No insulin was found; senna was given twice."]),
    (LACTATE, "[[1]]", ["The first lactate was higher than the last."]),
    (HOURS, "[[2]]", ["2 days"]),
    (DRUGS, SALINE, ["Saline Flush"]),
    (WEIGHTS, "[[70.6]\n [71.]]", ["70.6"]),
]


def test_answers_of_every_kind_are_decided():
    for question, truth, answer, right in DECIDED:
        assert verdict_on(truth, answer, question) is right, (truth, answer)
    assert verdict_on("[['" + "x" * 300_000 + "']]", "3") is None


def test_several_candidates_ranges_bounds_and_denials_are_never_right():
    for question, truth, texts in NEVER_RIGHT:
        for answer in texts:
            assert verdict_on(truth, answer, question) is not True, answer


def test_no_constant_answer_is_right_for_many_numbers():
    for constant in [
        "1, 2, 3",
        ", ".join(map(str, range(70))),
        # Repeat each value v so that the others add up to v, with one number for the remainder.
        ", ".join([str(v) for v in range(1, 40) for _ in range(max(1, round(120 / v) - 1))] + ["-1923"]),
        "1 = 1, 2 = 2, 3 = 3, total 6",
        "In total 1, in total 2, in total 3, in total 4",
        "1 time, 2 visits, 3 stays, 4 days, 5 in total",
    ]:
        matches = [truth for truth in range(-2, 42) if verdict_on(f"[[{truth}]]", constant)]
        assert len(matches) <= 2, constant


@given(
    question=st.sampled_from([COUNT, "Did patient 1 get it?", "When was it?", "", "What is it?", "是嗎"])
    | st.text(max_size=120),
    assumption=st.none() | st.text(max_size=60),
    truth=st.sampled_from(TRUTHS)
    | st.text(max_size=200)
    | st.text(alphabet="[]'\"0123456789.eE-+, \nNoneaninf", max_size=60),
    answer=st.text(max_size=300)
    | st.text(alphabet="0123456789.,:-/ [](){}'\"eExX%年月日是否noyesNTZ\n", max_size=300)
    | st.text(alphabet="0123456789.,eE+-x^ ()[]|<>≥±/:#\n", max_size=80),
)
def test_no_question_reference_or_answer_makes_the_rules_fail(question, assumption, truth, answer):
    first, again = (
        RULES.judge(question=question, assumption=assumption, true_answer=truth, agent_answer=answer)
        for _ in range(2)
    )
    assert first == again


def test_numbers_too_large_to_represent_are_not_numbers():
    for number in ["1e400", "1e99", "-5E+200", "3 x 10^99", "9" * 400, "1e-400"]:
        for text in (number, f"It was {number} times."):
            assert verdict_on("[[3]]", text) is not True, number
            assert verdict_on(f"[[{number}]]", "3") is not True, number
