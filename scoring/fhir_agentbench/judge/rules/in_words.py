"""Say a reference answer in words: the authors print the rows of a query, where 1 means yes."""

from wardboard.scoring.fhir_agentbench.grading.references import FhirReference
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import QuestionKind, read_question
from wardboard.scoring.fhir_agentbench.judge.rules.text.references import ReferenceKind, read_reference
from wardboard.scoring.reading.messages import phrase

_MOST_VALUES = 12  # a longer list is no easier to read in words


def answer_in_words(reference: FhirReference) -> str:
    """Return the expected answer as people read it; "" where it cannot be read, or is a long list."""
    answer = read_reference(reference.expected_answer)
    question = read_question(reference.question, reference.assumption)
    match answer.kind:
        case ReferenceKind.NO_ANSWER | ReferenceKind.NOTHING | ReferenceKind.NULL:
            return phrase("Nothing is found.")
        case ReferenceKind.BIT if question.kind is QuestionKind.YES_NO:
            return phrase("Yes") if answer.values[0].number == 1 else phrase("No")
        case _:
            texts = [value.text for value in answer.values]
            return "; ".join(texts) if len(texts) <= _MOST_VALUES else ""
