"""The client of a stranger, for the pages of teams."""

import pytest
from django.test import Client

from tests.support.factories import client_of, make_user


@pytest.fixture
def eve(db) -> Client:
    """A client of someone who is not in the team."""
    return client_of(make_user("eve@example.org"))
