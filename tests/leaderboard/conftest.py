"""What holds for every test of the service."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client


@pytest.fixture(autouse=True)
def nothing_kept():
    """A test's database is thrown away and its primary keys are used again, so nothing that a process keeps
    by them may reach the next test."""
    from django.core.cache import caches

    from leaderboard.services.boards import board
    from leaderboard.services.judging import task_groups
    from leaderboard.services.statistics import known, pair_tests

    for cache in caches.all():
        cache.clear()
    for kept in (board.task_count, pair_tests._weights, known._load, task_groups._load):
        kept.cache_clear()


@pytest.fixture
def visitor() -> Client:
    return Client()


@pytest.fixture
def ada(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def grace(other_user) -> Client:
    client = Client()
    client.force_login(other_user)
    return client


@pytest.fixture
def upload():
    """Makes the form field of a file."""
    return lambda raw, name="results.json": SimpleUploadedFile(name, raw)


@pytest.fixture
def words(db):
    """A board of answers in words, judged by rules, without a file yet."""
    from leaderboard.models import Benchmark

    return Benchmark.objects.create(
        slug="words", family="fhir-agentbench", version="1", title="Words", question="In words."
    )
