"""Groups and clusters of tasks follow from the references."""

import numpy as np
import pytest

from leaderboard.services.judging import task_groups
from leaderboard.services.judging.references import references_of
from leaderboard.services.judging.task_groups import load_task_groups
from wardboard.scoring import registry

pytestmark = pytest.mark.both_databases


def test_questions_with_the_same_label_have_the_same_number(fhir_demo):
    benchmark = registry.get(fhir_demo.benchmark)
    revision = fhir_demo.ground_truth
    labels = benchmark.cluster_labels(references_of(revision))
    clusters = load_task_groups(board=fhir_demo, revision_id=revision.pk).clusters
    assert list(clusters) == ["patients", "templates"]
    for key, numbers in clusters.items():
        names = np.array([labels[key][task] for task in revision.task_ids])
        np.testing.assert_array_equal(numbers[:, np.newaxis] == numbers, names[:, np.newaxis] == names)
        assert set(numbers.tolist()) == set(range(len(set(names))))


def test_a_task_without_a_label_is_a_cluster_of_its_own():
    numbers = task_groups._number(["a", "b", "c", "d"], {"b": "x", "d": "x", "c": "a"})
    assert numbers.tolist() == [0, 1, 2, 1]


def test_tasks_of_a_benchmark_without_clusters_are_independent(demo):
    groups = load_task_groups(board=demo, revision_id=demo.active_revision_id)
    assert groups.clusters == {}
    assert groups.cluster_labels is None
