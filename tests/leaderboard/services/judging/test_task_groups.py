"""Clusters of tasks are stored with the revision, and are as hidden as its references."""

import numpy as np
import pytest

from leaderboard.models import TaskGroups
from leaderboard.services.judging import task_groups
from leaderboard.services.judging.references import references_of
from leaderboard.services.judging.task_groups import load_task_groups
from wardboard.scoring import registry

pytestmark = pytest.mark.both_databases


@pytest.fixture
def load(fhir_demo):
    def again():
        task_groups._load.cache_clear()
        return load_task_groups(board=fhir_demo, revision_id=fhir_demo.active_revision_id)

    return again


def test_questions_with_the_same_label_have_the_same_number(fhir_demo, load):
    benchmark = registry.get(fhir_demo.benchmark)
    revision = fhir_demo.ground_truth
    labels = benchmark.cluster_labels(references_of(revision))
    clusters = load().clusters
    assert list(clusters) == ["patients", "templates"]
    for key, numbers in clusters.items():
        names = np.array([labels[key][task] for task in revision.task_ids])
        np.testing.assert_array_equal(numbers[:, np.newaxis] == numbers, names[:, np.newaxis] == names)
        assert set(numbers.tolist()) == set(range(len(set(names))))


def test_stored_clusters_are_read_without_the_references(load, django_assert_max_num_queries):
    with django_assert_max_num_queries(2):
        groups = load()
    assert [labels.size for labels in groups.cluster_labels] == [60, 60]


def test_what_is_not_stored_is_computed(load):
    stored = load()
    TaskGroups.objects.all()._raw_delete("default")
    computed = load()
    assert computed.strata.tolist() == stored.strata.tolist()
    assert [*computed.clusters] == [*stored.clusters]
    np.testing.assert_array_equal(computed.cluster_labels, stored.cluster_labels)


def test_a_task_without_a_label_is_a_cluster_of_its_own():
    numbers = task_groups._number(["a", "b", "c", "d"], {"b": "x", "d": "x", "c": "a"})
    assert numbers.tolist() == [0, 1, 2, 1]


def test_tasks_of_a_benchmark_without_clusters_are_independent(demo):
    groups = load_task_groups(board=demo, revision_id=demo.active_revision_id)
    assert groups.clusters == {}
    assert groups.cluster_labels is None
