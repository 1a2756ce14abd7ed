"""Questions that depend on each other: about one patient, or of one template."""

from wardboard.scoring.fhir_agentbench import FhirReference
from wardboard.scoring.fhir_agentbench.grading.clusters import cluster_labels


def questions(*stated):
    return {
        f"{number:024x}": FhirReference(
            task_id=f"{number:024x}",
            question="Which?",
            true_answer="[[1]]",
            patient_fhir_id=patient,
            template=template,
        )
        for number, (patient, template) in enumerate(stated)
    }


def labels(*stated):
    return {key: list(of.values()) for key, of in cluster_labels(questions(*stated)).items()}


def test_questions_are_clustered_by_patient_and_by_template():
    stated = [("p1", "age"), ("p2", "age"), ("p1", "sex ")]
    assert labels(*stated) == {"patients": ["p1", "p2", "p1"], "templates": ["age", "age", "sex"]}


def test_what_no_question_states_is_left_out():
    assert labels(("p1", None), ("p1", " ")) == {"patients": ["p1", "p1"]}
    assert labels((None, None)) == {}
    found = cluster_labels(questions(("p1", "age"), (None, "age")))
    assert list(found["patients"]) == [f"{0:024x}"]
    assert len(found["templates"]) == 2
