"""A reference answer in words: for readers who do not know that 1 means yes."""

import pytest

from wardboard.scoring.fhir_agentbench.grading.references import FhirReference
from wardboard.scoring.fhir_agentbench.judge.rules.in_words import answer_in_words

WHETHER = "Has patient 10014729 had a lab test?"
HOW_MANY = "How many times was patient 10014729 admitted?"


def in_words(question, true_answer, true_ids=None):
    known = FhirReference(task_id="0" * 24, question=question, true_answer=true_answer, true_ids=true_ids)
    return answer_in_words(known)


@pytest.mark.parametrize(("printed", "words"), [("[[1]]", "Yes"), ("[[0]]", "No"), ("[[True]]", "Yes")])
def test_a_question_whether_is_answered_with_yes_or_no(printed, words):
    assert in_words(WHETHER, printed) == words


def test_other_answers_lose_their_brackets():
    for printed, words in [
        ("[[1]]", "1"),
        ("[['heparin']]", "heparin"),
        ("[['2051-03-05 14:20:00']]", "2051-03-05 14:20:00"),
        ("[['aspirin'], ['heparin']]", "aspirin; heparin"),
        ("[]", "Nothing is found."),
        ("[[None]]", "Nothing is found."),
    ]:
        assert in_words(HOW_MANY, printed) == words, printed


def test_a_question_without_resources_has_nothing_to_find_whatever_is_printed():
    assert in_words(WHETHER, "[[1]]", true_ids={}) == "Nothing is found."


def test_a_long_list_stays_as_it_is_printed():
    assert in_words(HOW_MANY, str([[f"drug {number}"] for number in range(13)])) == ""
