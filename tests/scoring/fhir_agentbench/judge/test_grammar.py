"""The grammar of answers: what is claimed, what surrounds it, and properties that hold for any wording."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.examples import examples
from wardboard.scoring.fhir_agentbench.judge import RulesJudge
from wardboard.scoring.fhir_agentbench.judge.rules.grammar.roles import Role, role_of
from wardboard.scoring.fhir_agentbench.judge.rules.grammar.strip import readings_of

RULES = RulesJudge()
SODIUM = "What was the last sodium of patient 99910001?"
DRUG = "Which drug was last prescribed to patient 99910001?"
DRUGS = "Which drugs were prescribed to patient 99910001?"
WHEN = "When was the last chest x-ray of patient 99910001?"
HAD = "Was senna prescribed to patient 99910001?"
NONE = "What was the last lactate of patient 99910001?"
CLAIMS = {
    "number": (SODIUM, "[[141]]", "141 mEq/L", "138 mEq/L"),
    "date": (WHEN, "[['2151-03-02 10:00:00']]", "2151-03-02 10:00", "2151-03-05 10:00"),
    "name": (DRUG, "[['Warfarin']]", "Warfarin", "Heparin"),
    "list": (DRUGS, "[['Aspirin']\n ['Senna']]", "Aspirin and Senna", "Aspirin and Heparin"),
    "numbers": (SODIUM, "[[141]\n [138]]", "141 and 138", "141 and 136"),
    "yes or no": (HAD, "[[1]]", "Yes", "No"),
}
WORDINGS = (
    "{}",
    "{}.",
    "Final answer: {}",
    "I believe the answer is {}.",
    "The answer appears to be {}.",
    "Based on the records, the answer is {}.",
    "{}\n\nPlease note that this is based only on the structured data.",
    "{}. This should be verified by a clinician.",
    "**{}**",
    "**{}**\n\nI searched all resources of the patient.",
    "I searched 12 resources and sorted them by date. The answer is {}.",
    '{{"result": "{}", "source": "Observation/7", "note": "structured data only"}}',
    '```json\n{{"reasoning": "sorted by date", "final_answer": "{}", "confidence": 0.9}}\n```',
    "| Answer | Source |\n|---|---|\n| {} | Observation |",
    "Answer: {}\nSource: Observation/7",
    "Hello! You asked about this patient. The answer is {}. Is there anything else?",
    "To my knowledge, {}.",
    "{} (source: Observation/7)",
)


def verdict_on(question: str, truth: str, answer: str) -> bool | None:
    return RULES.judge(question=question, assumption=None, true_answer=truth, agent_answer=answer).correct


@pytest.mark.parametrize("wording", WORDINGS)
@pytest.mark.parametrize("kind", CLAIMS)
def test_what_surrounds_a_claim_does_not_change_its_verdict(kind, wording):
    question, truth, right, wrong = CLAIMS[kind]
    assert verdict_on(question, truth, wording.format(right)) is True
    assert verdict_on(question, truth, wording.format(wrong)) is not True


@pytest.mark.parametrize("kind", CLAIMS)
@given(wording=st.sampled_from(WORDINGS), decoration=st.sampled_from(("{}  ", "\n{}\n", "{}\t", " {}")))
@settings(max_examples=examples(30))
def test_a_verdict_does_not_depend_on_spaces_around_the_answer(kind, wording, decoration):
    question, truth, right, wrong = CLAIMS[kind]
    for value in (right, wrong):
        answer = wording.format(value)
        assert verdict_on(question, truth, decoration.format(answer)) == verdict_on(question, truth, answer)


@pytest.mark.parametrize("kind", CLAIMS)
@pytest.mark.parametrize(
    "change", [str.upper, str.lower, lambda text: f"**{text}**"], ids=["upper", "lower", "bold"]
)
@pytest.mark.parametrize("wording", ["{}", "The answer is {}.", "Final answer: {}"])
def test_a_verdict_does_not_depend_on_case_or_bold(kind, wording, change):
    question, truth, right, wrong = CLAIMS[kind]
    for value in (right, wrong):
        answer = wording.format(value)
        changed = verdict_on(question, truth, change(answer))
        assert changed in (None, verdict_on(question, truth, answer))
        assert changed == verdict_on(question, truth, answer) or value == wrong


NEGATIONS = (
    "It is not {}.",
    "The answer is not {}",
    "Anything but {}",
    "Not {}",
    "The wrong value is **{}**",
    "It was never **{}**",
)


@pytest.mark.parametrize("negation", NEGATIONS)
@pytest.mark.parametrize("kind", ["number", "date", "name"])
@given(wording=st.sampled_from([one for one in WORDINGS if one != "{}"]))
@settings(max_examples=len(WORDINGS))
def test_a_negated_value_is_never_right(kind, negation, wording):
    question, truth, right, _ = CLAIMS[kind]
    assert verdict_on(question, truth, wording.format(negation.format(right))) is not True


@pytest.mark.parametrize("kind", ["number", "date", "name", "yes or no"])
@given(first=st.sampled_from(WORDINGS), second=st.sampled_from(WORDINGS), swap=st.booleans())
@settings(max_examples=examples(40))
def test_two_different_claims_are_never_right(kind, first, second, swap):
    question, truth, right, wrong = CLAIMS[kind]
    one, other = (wrong, right) if swap else (right, wrong)
    answer = f"{first.format(one)}\n\n{second.format(other)}"
    if "answer" in (first + second).casefold() or "result" in (first + second):
        return  # a named answer beside another part counts alone
    assert verdict_on(question, truth, answer) is not True


@pytest.mark.parametrize(
    "joint", ["{} or {}", "either {} or {}", "{}, wait, {}", "{}. Actually, {}.", "{} / {}", "{}? {}?"]
)
@pytest.mark.parametrize("kind", ["number", "date", "name"])
def test_two_values_of_which_neither_is_chosen_are_not_right(kind, joint):
    question, truth, right, wrong = CLAIMS[kind]
    assert verdict_on(question, truth, joint.format(right, wrong)) is not True
    assert verdict_on(question, truth, joint.format(wrong, right)) is not True


@pytest.mark.parametrize(
    "answer",
    [
        "I searched all Observation resources but found nothing that matches, so there is no answer.",
        "No lactate was found. Absence from the record does not prove that it was never measured.",
        "I could not find any lactate.",
        "There is no lactate on record; therefore no value can be given.",
        '{"result": null, "note": "no lactate in 87 laboratory results"}',
        "I'm sorry, the chart shows no lactate.",
        "Nothing was recorded. Notes in free text may hold more.",
    ],
)
@pytest.mark.parametrize("truth", ["[]", "[[None]]", "no answer"])
def test_a_plain_denial_is_right_where_nothing_is_to_find_and_wrong_elsewhere(answer, truth):
    assert verdict_on(NONE, truth, answer) is True
    assert verdict_on(NONE, "[[2.1]]", answer) is not True


@pytest.mark.parametrize(
    ("truth", "right", "wrong"),
    [
        ("[[20.]\n [40.]]", "40 mg and 20 mg", "20 mg"),
        ("[[20.]\n [40.]]", "- first: 20\n- second: 40", "- first: 20\n- second: 30"),
        ("[[8.1]\n [8.6]\n [9.2]]", "8.1, 8.6, 9.2", "8.1, 8.6, 9.4"),
        ("[[8.1]\n [8.6]\n [9.2]]", "[8.1, 8.6, 9.2]", "[8.1, 8.6, 9.2, 9.9]"),
    ],
)
def test_a_list_of_numbers_is_complete_and_has_no_other(truth, right, wrong):
    question = "What were the values of patient 99910001?"
    assert verdict_on(question, truth, right) is True
    assert verdict_on(question, truth, wrong) is not True


@pytest.mark.parametrize(
    ("question", "truth", "answer"),
    [
        ("What was the last weight of patient 99910001?", "[[70.]]", "70 lb"),
        ("What was the last temperature of patient 99910001 in °F?", "[[99.1]]", "99.1 °C"),
        ("What doses (mcg) of levothyroxine did patient 99910001 get?", "[[50.]\n [75.]]", "50 mg and 75 mg"),
        ("What was the last creatinine of patient 99910001?", "[[2.2]]", "creatinine was 2.2 g/L"),
    ],
)
def test_a_value_in_another_unit_stays_open(question, truth, answer):
    assert verdict_on(question, truth, answer) is None


def test_a_value_in_the_unit_asked_for_is_right():
    assert verdict_on("What was the last weight of patient 99910001?", "[[70.]]", "70 kg") is True
    assert verdict_on("What was the last height (cm) of patient 99910001?", "[[170.]]", "170 cm") is True


def test_minus_one_is_neither_yes_nor_one():
    assert verdict_on(HAD, "[[1]]", "-1") is not True
    assert verdict_on("How many visits did patient 99910001 have?", "[[1]]", "-1") is not True


def test_having_never_left_a_place_does_not_mean_no():
    question = "Was patient 99910001 in the emergency room?"
    for truth in ("[[1]]", "[[0]]"):
        assert verdict_on(question, truth, "The patient never left the emergency room.") is None


@pytest.mark.parametrize(
    ("question", "truth", "answer"),
    [
        ("What is the gender of patient 99910001?", "[['M']]", "Masculino"),
        ("What is the gender of patient 99910001?", "[['F']]", "Weiblich."),
        (WHEN, "[['2138-07-03 10:00:00']]", "Am 3. Juli 2138."),
        (WHEN, "[['2138-07-03 10:00:00']]", "Le 3 juillet 2138"),
        (WHEN, "[['2138-07-03 10:00:00']]", "3 июля 2138"),
        (HAD, "[[1]]", "Sì"),
        (HAD, "[[1]]", "Sim"),
        (HAD, "[[1]]", "Oui."),
        (DRUG, "[['Aspirin']]", "Aspirina"),
        (DRUG, "[['Sodium Chloride']]", "Natriumchlorid"),
        ("What was the last specimen of patient 99910001?", "[['BLOOD CULTURE']]", "Blutkultur"),
        ("What is the marital status of patient 99910001?", "[['MARRIED']]", "Sposata"),
        ("How many visits did patient 99910001 have?", "[[3]]", "Tres"),
        ("How many visits did patient 99910001 have?", "[[0]]", "Nessuna"),
    ],
)
def test_a_short_answer_in_a_language_that_is_not_read_stays_open(question, truth, answer):
    assert verdict_on(question, truth, answer) is None


def test_numbers_and_dates_in_digits_are_of_every_language():
    assert verdict_on("How many visits did patient 99910001 have?", "[[3]]", "3") is True
    assert verdict_on(WHEN, "[['2138-07-03 10:00:00']]", "2138-07-03 10:00") is True
    assert verdict_on(WHEN, "[['2138-07-03 10:00:00']]", "2138-07-04 10:00") is False


@pytest.mark.parametrize(
    ("sentence", "role"),
    [
        ("I searched all Observation resources.", Role.METHOD),
        ("Step 1: list the encounters.", Role.METHOD),
        ("I left out Digoxin, because it is of another year.", Role.METHOD),
        ("I read 12 entries and found 3 visits.", Role.CLAIM),
        ("Source: Observation/7", Role.SOURCE),
        ("Please note that notes are not included.", Role.CAUTION),
        ("This is based only on the structured data.", Role.CAUTION),
        ("Free-text notes may hold more.", Role.CAUTION),
        ("Would you like the dates too?", Role.CAUTION),
        ("It was recorded at 10:00.", Role.EVIDENCE),
        ("The patient had 3 visits.", Role.CLAIM),
        ("Warfarin was prescribed last.", Role.CLAIM),
    ],
)
def test_a_sentence_has_the_role_that_its_words_say(sentence, role):
    assert role_of(sentence) is role


def test_the_readings_of_a_sentence_end_with_its_value():
    readings = readings_of(
        "Based on the records, I believe the last sodium was 141 mEq/L, as recorded on 2151-03-02.",
        is_side=False,
    )
    assert "the last sodium was 141 mEq/L" in readings
