"""Reported rows whose source printed rates without counts: every output has the printed figures."""

import pytest
from django.urls import reverse

from leaderboard.models import Board
from leaderboard.services.publishing.import_references import load_reported
from tests.support.databases import shared_rows

BEST = "Multi-turn LLM + Retriever + Code, o4-mini"


@shared_rows
def key() -> int:
    board = Board.objects.create(
        slug="words", benchmark="fhir-agentbench", version="1", title="Words", question="In words."
    )
    load_reported(board=board)
    return board.pk


@pytest.fixture
def board(key, db) -> Board:
    return Board.objects.get(pk=key)


def test_the_api_has_the_printed_score_and_null_for_the_count(board, client):
    rows = client.get(reverse("api:leaderboard", args=["words"])).json()["rows"]
    (row,) = [row for row in rows if row["system"]["name"] == BEST]
    assert (row["right"], row["total"], row["score"]) == (None, 2931, 0.5004)
    assert row["metrics"]["answer_correctness"] == 0.5004
    assert row["breakdowns"]["resource_type"]["empty"] == {"right": None, "total": 701, "rate": 0.7368}
