"""Marks by which agents show their answer, and what stands beside an answer without being one."""

from tests.support.scoring.no_answers import BLANKS, ERRORS, REFUSALS
from wardboard.scoring.fhir_agentbench.judge import RulesJudge
from wardboard.scoring.reading.no_answers import says_nothing

RULES = RulesJudge(is_last=True)
SODIUM = "What was the last sodium of patient 99910001?"
CLAIMS = {
    "number": (SODIUM, "[[141]]", "141", "138"),
    "count": ("How many icu visits did patient 99910001 have?", "[[1]]", "1", "4"),
    "date": (
        "When was the last chest x-ray of patient 99910001?",
        "[['2151-03-02 10:00:00']]",
        "2151-03-02 10:00:00",
        "2151-03-05 10:00:00",
    ),
    "name": ("Which drug was last prescribed to patient 99910001?", "[['Warfarin']]", "Warfarin", "Heparin"),
    "list": (
        "Which drugs were prescribed to patient 99910001?",
        "[['Aspirin']\n ['Senna']]",
        "Aspirin, Senna",
        "Aspirin",
    ),
    "yes or no": ("Was senna prescribed to patient 99910001?", "[[1]]", "Yes", "No"),
}
MARKS = (
    "{}.",
    "{}. (Double-checked: same encounter.)",
    "{}. Note that only structured data was searched.",
    "<answer>{}</answer>",
    "<think>There are 17 entries; 4 match.</think>\n<answer>\n{}\n</answer>",
    "<p>The answer is <b>{}</b>.</p>",
    "\\boxed{{{}}}",
    "Therefore, the final answer is $\\boxed{{\\text{{{}}}}}$.",
    'FINISH(["{}"])',
    "{}【4†source】",
    "{} [1][2].",
    "**{}**",
    "**Final answer:** {}",
    "I looked at 17 entries, of which 4 match.\n\nFinal answer: {}",
    "### Answer\n\n{}",
    "I read 17 resources.\n\nOutput:\n```\n{}\n```",
    '```json\n{{"reasoning": "17 entries, 4 match", "final_answer": "{}", "confidence": 0.9}}\n```',
    '{{"answer": {{"value": "{}"}}}}',
    "{{'result': '{}'}}",
    "answer: {}\nconfidence: high",
    "| Answer |\n|---|\n| {} |",
    "| Question | Answer |\n|---|---|\n| asked | {} |",
    "<answer>\\boxed{{{}}}</answer>",
    "17 entries were found; 4 match.\nResult: **{}**",
    "17 entries. Step 2: 4 of them match.\nFinal answer: {}\n\nNote: the 4 others are left out.",
)


def verdict_on(question, truth, answer):
    return RULES.judge(question=question, assumption=None, true_answer=truth, agent_answer=answer)


def test_an_answer_is_read_in_every_mark():
    for question, truth, right, wrong in CLAIMS.values():
        for mark in MARKS:
            verdict = verdict_on(question, truth, mark.format(right))
            assert (verdict.correct, verdict.suspect) == (True, False), (mark, verdict.reason)
            assert verdict_on(question, truth, mark.format(wrong)).correct is not True, mark
            for beside in ("17", "4"):
                assert (
                    beside == wrong
                    or verdict_on(question, f"[[{beside}]]", mark.format(right)).correct is not True
                ), mark


def test_a_value_is_read_with_its_unit_however_it_is_printed():
    for answer in [
        "{'value': 141, 'unit': 'mEq/L', 'system': 'http://unitsofmeasure.org', 'code': 'meq/L'}",
        '{"value": 141, "unit": "mEq/L"}',
        "\uff11\uff14\uff11",
        "141\u00a0mEq/L",
        "The last sodium was 141 mEq/L.",
        "| Date | Sodium |\n|---|---|\n| 2151-03-02 | 141 |",
    ]:
        assert verdict_on(SODIUM, "[[141]]", answer).correct is True, answer


def test_a_concept_is_read_by_its_text():
    for answer in [
        "{'coding': [{'system': 'x', 'code': '11289', 'display': 'Warfarin'}], 'text': 'Warfarin'}",
        '{"coding": [{"code": "11289", "display": "Warfarin"}]}',
    ]:
        assert verdict_on(*CLAIMS["name"][:2], answer).correct is True, answer


def test_values_in_a_list_may_have_dates_as_names_or_stand_on_lines_of_their_own():
    question = "What were the sodium values of patient 99910001?"
    answer = '{"2151-03-02": 141, "2151-03-05": 138}'
    assert verdict_on(question, "[[141]\n [138]]", answer).correct is True
    assert verdict_on(question, "[[141]\n [137]]", answer).correct is not True
    listed = "I looked at Heparin first.\nFinal answer:\n- Aspirin\n- Senna"
    assert verdict_on(*CLAIMS["list"][:2], listed).correct is True
    assert verdict_on(CLAIMS["list"][0], "[['Aspirin']]", listed).correct is not True


def test_what_contradicts_a_mark_leaves_it_open():
    for answer in [
        "Final answer: 141\nFinal answer: 138",
        "Final answer: 141\n\nThe last sodium was 138.",
        '```json\n{"answer": 141}\n```\n```json\n{"answer": 138}\n```',
        "<answer>141 or 138</answer>",
        "<answer>141<br>138</answer>",
        "Final answer: 141. Or 138.",
        "141. Note that the correct value is 138.",
        "It was never **141**",
        "The sodium was **141** in 2150 and **138** in 2151.",
    ]:
        assert verdict_on(SODIUM, "[[141]]", answer).correct is None, answer


def test_no_answer_is_wrong_whatever_is_asked():
    for truth in ["[]", "[[None]]", "no answer", "[[0]]", "[[1]]", "[['Warfarin']]"]:
        questions = [question for question, *_ in CLAIMS.values()]
        for answer in (*BLANKS, *ERRORS, *REFUSALS):
            assert says_nothing(answer), answer
            for question in questions:
                assert verdict_on(question, truth, answer).correct is False, (question, answer)


def test_having_looked_and_found_none_is_no_refusal():
    for answer in [
        "No sodium was found.",
        "There isn't any sodium on record. I have no access to scanned documents.",
        "No sodium values are documented; I cannot answer this.",
        "None",
        '{"result": null}',
        "[]",
    ]:
        assert verdict_on(SODIUM, "[]", answer).correct is not False, answer


def test_what_only_declines_is_never_right_and_a_caveat_makes_nothing_wrong():
    for answer in ["Not my job.", "That would not be proper to hand out.", "Nope, can't."]:
        for truth in ["[]", "[[None]]", "no answer"]:
            assert verdict_on(SODIUM, truth, answer).correct is not True, answer
    for truth, answer in [
        ("[]", "No sodium was found, although one page timed out and was read again."),
        ("[]", "No sodium was found: the search returned 404 and then an empty bundle, not a server error."),
        ("[[141]]", "The sodium was 141, after one query timed out."),
        ("[[141]]", "141 (I could not access the scanned letters)"),
    ]:
        assert verdict_on(SODIUM, truth, answer).correct is not False, answer


def test_null_is_neither_a_no_nor_a_zero():
    for answer in ['{"answer": null}', '{"answer": []}', "FINISH([None])", "[]"]:
        for kind in ["count", "yes or no"]:
            assert verdict_on(CLAIMS[kind][0], "[[0]]", answer).correct is False, answer


def test_a_time_of_fhir_is_read_in_every_form():
    question, truth, *_ = CLAIMS["date"]
    for form in ["{}", "{}Z", "Final answer: {}", '{{"answer": "{}-05:00"}}']:
        assert verdict_on(question, truth, form.format("2151-03-02T10:00:00")).correct is True, form
        assert verdict_on(question, truth, form.format("2151-03-05T10:00:00")).correct is False, form


FOREIGN = """
una vez; Dos veces; Nunca; Jamais; einmal; Nein; Dwa razy.; en gång; kerran; hai lần; Δύο φορές;
Два раза; مرتين; दो बार; 兩次; 三; 두 번; Ja; Oui; 是; 3 veces; Am 3. Juli 2151.;
Der Patient hatte in diesem Jahr keine Operation, und Senna wurde nicht gegeben.;
El paciente no recibió senna durante su última visita al hospital en 2151.
"""


def test_an_answer_in_another_language_stays_open():
    for question, truth, *_ in CLAIMS.values():
        for answer in FOREIGN.replace("\n", " ").split(";"):
            assert verdict_on(question, truth, answer.strip()).correct is None, answer
