"""Sentences that the rules decide, and what sounds like them."""

from wardboard.scoring.fhir_agentbench.judge import RulesJudge

RULES = RulesJudge()
COUNT = "How many times was patient 99912345 admitted in 2140?"
LAB = "What was the last calcium of patient 99912345 in 2140?"
DRUG = "Which drug was last prescribed to patient 99912345 in 2140?"
DRUGS = "Which drugs were prescribed to patient 99912345 in 2140?"
HAD = "Was Gastroscopy performed on patient 99912345 in 2140?"


def verdict(question, truth, answer):
    return RULES.judge(question=question, assumption=None, true_answer=truth, agent_answer=answer).correct


def test_right_answers_in_these_words_are_decided_right():
    for question, truth, answer in [
        (LAB, "[[8.9]]", "The records give 8.9 mg/dL."),
        (LAB, "[[7.5]]", "7.5 x10^3/uL"),
        (LAB, "[[7.5]]", "7.5 10^9/L"),
        (COUNT, "[[15]]", "My query returned 15."),
        (DRUG, "[['Warfarin']]", "The requested drug is Warfarin."),
        (DRUG, "[['Warfarin']]", "I conclude that it is **Warfarin**"),
        (DRUG, "[[None]]", "There isn't any drug for this patient."),
    ]:
        assert verdict(question, truth, answer) is True, question


def test_what_sounds_like_them_is_not_accepted():
    for question, truth, answer in [
        # A value in the brackets, or another one beside the range.
        (LAB, "[[5]]", "8.9 mg/dL [5 - 13]"),
        (COUNT, "[[5]]", "3 [5 - 13]"),
        (LAB, "[[7500]]", "9.5 x10^3/uL"),
        (COUNT, "[[78]]", "Answer: 15. Reason: 78 belongs to another admission."),
        (COUNT, "[[78]]", "The answer is 15. 78 was excluded."),
        (COUNT, "[[2]]", "1. Search the server.\n2. Count the admissions.\n3. Report 7."),
        (COUNT, "[[3]]", "1. Search the server.\n2. Count the admissions.\n3. Report."),
        # Words before a bold part that set it aside.
        (COUNT, "[[5]]", "The wrong value is **5**"),
        (COUNT, "[[5]]", "It is not **5**"),
        (COUNT, "[[5]]", "Before the correction it was **5**"),
        (DRUG, "[['Warfarin']]", "It was never **Warfarin**"),
        (DRUG, "[['Warfarin']]", "The requested drug is not Warfarin."),
        # A denial of one thing, and others named.
        (
            DRUGS,
            "no answer",
            "Heparin shows up. This one is not counted. So the record lists Aspirin and Senna.",
        ),
        (DRUGS, "no answer", "I found Aspirin and Senna. (Heparin is not part of it.)"),
        (DRUGS, "[]", "Heparin is not counted. In the end, the drugs found are Aspirin and Senna."),
        # Stress without a yes.
        (HAD, "[[1]]", "Patient 99912345 did not have Gastroscopy."),
        (HAD, "[[1]]", "Patient 99912345 did have Colonoscopy."),
        (HAD, "[[1]]", "There is a record of Colonoscopy for patient 99912345."),
        (HAD, "[[1]]", "There is an order for Gastroscopy, which was cancelled."),
        (HAD, "[[1]]", "The records show Gastroscopy in 2141."),
        (HAD, "[[0]]", "Patient 99912345 did have Gastroscopy."),
    ]:
        assert verdict(question, truth, answer) is not True, question


def test_a_failure_is_still_read_as_one():
    assert verdict(HAD, "[[1]]", "Error: the server did not respond.") is not True
    assert verdict(HAD, "[[0]]", "An error occurred.") is not True


def test_a_value_in_thousands_of_a_unit_is_open_where_the_truth_is_written_out():
    assert verdict(LAB, "[[7500]]", "7.5 x10^3/uL") is None
