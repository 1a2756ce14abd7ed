"""Questions that depend on each other: about one patient, or of one template."""

from dataclasses import replace

from tests.support.scoring.fhir_questions import reference
from wardboard.scoring.fhir_agentbench.grading.clusters import CLUSTERS, cluster_labels


def labels(*stated):
    questions = {
        str(number): replace(reference(str(number)), patient_fhir_id=patient, template=template)
        for number, (patient, template) in enumerate(stated)
    }
    return cluster_labels(questions)


def test_questions_are_clustered_by_what_they_state_of_patient_and_template():
    found = labels(("p1", "age"), ("p2", "age"), ("p1", "sex "))
    assert found == {
        "patients": {"0": "p1", "1": "p2", "2": "p1"},
        "templates": {"0": "age", "1": "age", "2": "sex"},
    }
    assert list(found) == [clusters.key for clusters in CLUSTERS]
    assert labels(("p1", None), (None, " ")) == {"patients": {"0": "p1"}}
