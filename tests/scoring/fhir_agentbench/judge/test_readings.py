"""Sentences that the rules decide, those that they leave open, and what sounds like them."""

from wardboard.scoring.fhir_agentbench.judge import RulesJudge

RULES = RulesJudge()
COUNT = "How many times was patient 99912345 admitted in 2140?"
LAB = "What was the last calcium of patient 99912345 in 2140?"
DRUG = "Which drug was last prescribed to patient 99912345 in 2140?"
DRUGS = "Which drugs were prescribed to patient 99912345 in 2140?"
HAD = "Was Gastroscopy performed on patient 99912345 in 2140?"
GIVEN = "Was patient 99912345 given senna in 2140?"
TIMES = "How many times was senna given to patient 99912345?"
IN_A_PERIOD = "In 07/last year has senna, heparin or aspirin been given to patient 99912345?"
WHEN = "When was patient 99912345 given senna in 2140?"
TWO = "[['Aspirin']\n ['Senna']]"


def verdict(question, truth, answer):
    return RULES.judge(question=question, assumption=None, true_answer=truth, agent_answer=answer).correct


def test_answers_in_these_words_are_decided():
    for question, truth, answer, expected in [
        (LAB, "[[8.9]]", "The records give 8.9 mg/dL.", True),
        (LAB, "[[7.5]]", "7.5 x10^3/uL", True),
        (LAB, "[[7.5]]", "7.5 10^9/L", True),
        (DRUG, "[['Warfarin']]", "I conclude that it is **Warfarin**", True),
        (DRUG, "[[None]]", "There isn't any drug for this patient.", True),
        # 0 times are the number 0.
        *((TIMES, "[[0]]", text, True) for text in ("0 times", "Senna was given 0 times.")),
        (IN_A_PERIOD, "[[1]]", "Yes", True),
        (IN_A_PERIOD, "[[0]]", "Yes", False),
        *(
            (WHEN, truth, "No senna was given to the patient.", True)
            for truth in ("[]", "[[None]]", "no answer")
        ),
        *((WHEN, truth, "Nothing was found.", True) for truth in ("[]", "[[None]]", "no answer")),
        *(
            (WHEN, truth, "Senna was given on 2140-03-02.", False)
            for truth in ("[]", "[[None]]", "no answer")
        ),
    ]:
        assert verdict(question, truth, answer) is expected, (question, truth, answer)


def test_answers_that_may_mean_otherwise_stay_open():
    for question, truths, answers in [
        # A double negation.
        (
            GIVEN,
            ("[[1]]", "[[0]]"),
            [
                "The patient never missed a dose of senna.",
                "No one can deny that the patient was given senna.",
                "The patient was never without senna.",
                "No dose of senna was skipped.",
            ],
        ),
        # An item with an exception.
        (DRUGS, [TWO], ["Aspirin, and Senna only on the second visit", "Aspirin, Senna (not in May)"]),
        (DRUGS, [TWO], ["Aspirin; Senna until June"]),
        # No times are no plain no.
        (GIVEN, ("[[0]]", "[[1]]"), ["0 times", "Senna was given 0 times.", "Final answer: 0 times"]),
        (IN_A_PERIOD, ["[[0]]"], ["Heparin was given."]),
        # A denial of another thing, or an unsure one.
        (WHEN, ["[]"], ["No heparin was given.", "No senna was given in 2139.", "Perhaps none was given."]),
        # A range of reference beside a value.
        (
            LAB,
            ("[[141]]", "[[135]]"),
            ["141 mEq/L (reference range 135-145)", "141 (normal: 135 to 145 mEq/L)"],
        ),
        # A value in thousands of a unit, where the truth is written out.
        (LAB, ["[[7500]]"], ["7.5 x10^3/uL"]),
        (COUNT, ["[[3]]"], ["The patient had 5 admissions in 2140. 3 of them were short."]),
    ]:
        for truth in truths:
            for answer in answers:
                assert verdict(question, truth, answer) is None, (question, truth, answer)


def test_what_sounds_like_them_is_not_accepted():
    for question, truth, answer in [
        # A value in the brackets, or another one beside the range.
        (LAB, "[[5]]", "8.9 mg/dL [5 - 13]"),
        (LAB, "[[7500]]", "9.5 x10^3/uL"),
        (COUNT, "[[78]]", "Answer: 15. Reason: 78 belongs to another admission."),
        (COUNT, "[[78]]", "The answer is 15. 78 was excluded."),
        (COUNT, "[[2]]", "1. Search the server.\n2. Count the admissions.\n3. Report 7."),
        # Words before a bold part that set it aside.
        (COUNT, "[[5]]", "The wrong value is **5**"),
        (DRUG, "[['Warfarin']]", "It was never **Warfarin**"),
        # A denial of one thing, and others named.
        (
            DRUGS,
            "no answer",
            "Heparin shows up. This one is not counted. So the record lists Aspirin and Senna.",
        ),
        (DRUGS, "[]", "Heparin is not counted. In the end, the drugs found are Aspirin and Senna."),
        # Stress without a yes.
        (HAD, "[[1]]", "Patient 99912345 did not have Gastroscopy."),
        (HAD, "[[1]]", "There is a record of Colonoscopy for patient 99912345."),
        (HAD, "[[1]]", "There is an order for Gastroscopy, which was cancelled."),
        (HAD, "[[1]]", "The records show Gastroscopy in 2141."),
        (HAD, "[[0]]", "Patient 99912345 did have Gastroscopy."),
        # A failure.
        (HAD, "[[1]]", "Error: the server did not respond."),
    ]:
        assert verdict(question, truth, answer) is not True, question
