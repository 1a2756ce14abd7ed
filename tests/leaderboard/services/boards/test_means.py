"""A mean over few tasks, or over none that the system did anything for, leads no column."""

import json

import pytest

from leaderboard.services.boards.query import read_query
from leaderboard.services.boards.read_rows import every_row
from tests.support.factories import make_fhir_demo, make_published, make_user
from wardboard.scoring import registry
from wardboard.scoring.fhir_agentbench import demo as fhir_files

pytestmark = pytest.mark.both_databases


@pytest.fixture
def board(db):
    """A leaderboard with a whole file, one right record, and one record without anything."""
    board, user = make_fhir_demo(), make_user()
    records = json.loads(fhir_files.GOOD.read_bytes())
    nothing = [{"question_id": records[0]["question_id"], "agent_answer": None, "agent_fhir_resources": None}]
    for name, file in (("Nothing", nothing), ("One", records[5:6]), ("Whole", records)):
        make_published(user, board, json.dumps(file).encode(), system=name, allow_empty=True)
    return board


def rows_by(board, sort):
    # Without the baseline, which retrieves nothing either.
    return list(every_row(read_query({"sort": sort, "source": "rescored"}, board)))


@pytest.mark.parametrize("sign", ["-", ""])
def test_the_column_of_precision_is_led_by_a_mean_over_most_questions(board, sign):
    names = [row.standing.name for row in rows_by(board, f"{sign}precision")]
    assert names == ["Whole", "One", "Nothing"]


def test_the_official_figure_stays_and_the_questions_that_it_is_over_stand_beside_it(board, client):
    whole, one, nothing = rows_by(board, "-precision")
    assert nothing.metrics["precision"] == one.metrics["precision"] == 1.0
    precision = next(m for m in registry.get(board.benchmark).metrics if m.key == "precision")
    assert nothing.mean(precision).value is None
    assert nothing.mean(precision).note == "nothing retrieved, official figure: 100.0%, over 11 of 60 tasks"
    assert one.mean(precision)[:2] == (1.0, "over 12 of 60 tasks")
    assert whole.mean(precision).note == "over 58 of 60 tasks"
    page = client.get(f"/benchmarks/{board.slug}/").content.decode()
    assert '<td class="n" title="over 12 of 60 tasks">100.0<small>12 of 60</small></td>' in page
    assert f'<td class="n" title="{nothing.mean(precision).note}">–</td>' in page
