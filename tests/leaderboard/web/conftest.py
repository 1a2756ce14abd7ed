"""People at the pages."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.models import Benchmark


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
    return Benchmark.objects.create(
        slug="words", family="fhir-agentbench", version="1", title="Words", question="In words."
    )
