"""Scores of which a judge left answers open: their range is shown wherever the score is."""

import json

import pytest

from leaderboard.models import Board
from leaderboard.services.publishing import publish
from tests.support.databases import shared_rows
from tests.support.factories import make_fhir_demo, make_published, make_user
from tests.support.pages.visible_text import text_of
from wardboard.scoring.fhir_agentbench import demo

OPEN = 18
UNREADABLE = "Nein, vielleicht doch."


@shared_rows
def keys() -> dict[str, int]:
    """Publish a result of which 18 answers are open, and one without; return the keys of their systems."""
    board, user = make_fhir_demo(), make_user()
    records = json.loads(demo.GOOD.read_bytes())
    for record in records[:OPEN]:
        record["agent_answer"] = UNREADABLE
    files = {"Open": json.dumps(records).encode(), "Decided": demo.GOOD.read_bytes()}
    return {name: make_published(user, board, file, system=name).system_id for name, file in files.items()}


@pytest.fixture
def board(keys, fhir_demo) -> Board:
    return fhir_demo


@pytest.fixture
def words(board, keys) -> str:
    row = board.standings.get(system=keys["Open"])
    return f"{100 * row.score:.1f}–{100 * row.metrics['answer_correctness_upper']:.1f}%"


def read(client, path: str) -> str:
    return text_of(client.get(path))


def test_every_place_shows_the_range_of_a_score_after_its_removal_too(client, board, keys, words):
    changes, system = f"/benchmarks/{board.slug}/changes/", f"/systems/{keys['Open']}/"
    assert f"Open · {words}" in read(client, changes)
    assert words in read(client, system).partition("Published results")[2]
    for path in ("", "compare/", "views/forest/"):
        assert words[:-1] in read(client, f"/benchmarks/{board.slug}/{path}")
    assert f"Open: {words}" in client.get(f"/benchmarks/{board.slug}/records.atom").content.decode()
    chart = read(client, f"/benchmarks/{board.slug}/views/progress/")
    assert words in chart
    assert "A dashed line leads to the score with all answers correct that the judge left undecided" in chart
    submission = board.standings.get(system=keys["Open"]).evaluation.submission
    client.force_login(submission.submitted_by)
    for own in (f"/submissions/{submission.pk}/", "/submissions/"):
        assert words in read(client, own)
    publish.withdraw(
        submission_id=submission.pk, team=submission.team, by=submission.submitted_by, reason="a mistake"
    )
    for page in (system, changes):
        assert words in read(client, page)
