"""A reference answer in words: for readers who do not know that 1 means yes."""

from wardboard.scoring.fhir_agentbench.grading.references import FhirReference
from wardboard.scoring.fhir_agentbench.judge.rules.in_words import answer_in_words

WHETHER = "Has patient 10014729 had a lab test?"
HOW_MANY = "How many times was patient 10014729 admitted?"


def in_words(question, true_answer, true_ids=None):
    known = FhirReference(task_id="0" * 24, question=question, true_answer=true_answer, true_ids=true_ids)
    return answer_in_words(known)


def test_a_question_whether_is_answered_with_yes_or_no_and_others_without_brackets():
    for question, printed, words in [
        (WHETHER, "[[1]]", "Yes"),
        (WHETHER, "[[0]]", "No"),
        (WHETHER, "[[True]]", "Yes"),
        (HOW_MANY, "[[1]]", "1"),
        (HOW_MANY, "[['heparin']]", "heparin"),
        (HOW_MANY, "[['2051-03-05 14:20:00']]", "2051-03-05 14:20:00"),
        (HOW_MANY, "[['aspirin'], ['heparin']]", "aspirin; heparin"),
        (HOW_MANY, "[]", "Nothing is found."),
        (HOW_MANY, "[[None]]", "Nothing is found."),
    ]:
        assert in_words(question, printed) == words, printed
    # A question without resources has nothing to find, whatever is printed.
    assert in_words(WHETHER, "[[1]]", true_ids={}) == "Nothing is found."
