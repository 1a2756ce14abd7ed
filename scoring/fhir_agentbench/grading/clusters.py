"""The questions that depend on each other: those about one patient, and those of one template."""

from collections.abc import Mapping

from wardboard.scoring.benchmark import Clusters, PublishedClusters
from wardboard.scoring.fhir_agentbench.grading.references import FhirReference

CLUSTERS: tuple[Clusters, ...] = (
    Clusters(key="patients", label="patients", singular="patient"),
    Clusters(key="templates", label="question templates", singular="question template"),
)

# Of one run of a public agent (rate .288): its standard error by the 94 patients, which are as good as 64 of
# one size, is 1.93 times that of independent questions. The other run gives .12.
PUBLISHED_CLUSTERS = PublishedClusters(
    correlation=0.137,
    clusters=64,
    kind="patients",
    evidence="a public agent's answers to 1,335 questions about 94 patients",
)


def cluster_labels(references: Mapping[str, FhirReference]) -> Mapping[str, Mapping[str, str]]:
    """Return key of CLUSTERS -> task id -> patient or template, of the questions that state one.

    A key is left out if no question states one, as where the reference file has no column for it.
    """
    stated = {
        "patients": {task: reference.patient_fhir_id for task, reference in references.items()},
        "templates": {task: reference.template for task, reference in references.items()},
    }
    labels = {
        key: {task: label.strip() for task, label in of_tasks.items() if label and label.strip()}
        for key, of_tasks in stated.items()
    }
    return {key: of_tasks for key, of_tasks in labels.items() if of_tasks}
