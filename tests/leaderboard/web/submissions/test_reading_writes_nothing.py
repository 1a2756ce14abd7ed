"""GET requests change nothing in the database."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Team

pytestmark = pytest.mark.both_databases

_WRITE = re.compile(r"\s*(INSERT|UPDATE|DELETE)\b(?!.*django_session)", re.IGNORECASE)


def test_a_page_read_by_someone_without_a_team_makes_none(ada, demo):
    for address in (
        "/submissions/",
        "/submit/",
        "/benchmarks/medagentbench-demo/submit/",
        "/benchmarks/medagentbench-demo/submit/?system=1",
        "/account/tokens/",
        "/account/emails/",
        "/api/v1/submissions/",
    ):
        with CaptureQueriesContext(connection) as queries:
            response = ada.get(address)
        assert response.status_code in (200, 302), address
        assert [query["sql"] for query in queries if _WRITE.match(query["sql"])] == [], address
    assert not Team.objects.exists()
    # A write would be seen.
    with CaptureQueriesContext(connection) as queries:
        Team.objects.create(name="A team")
    assert any(_WRITE.match(query["sql"]) for query in queries)
