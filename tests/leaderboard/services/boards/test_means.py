"""A mean over few tasks, or over none that the system did anything for, leads no column."""

import json

import pytest

from leaderboard.services.boards.query import read_query
from leaderboard.services.boards.read_rows import every_row
from tests.support.factories import make_fhir_demo, make_published, make_user
from tests.support.walk import text_of
from wardboard.scoring import registry
from wardboard.scoring.fhir_agentbench import demo as fhir_files

pytestmark = pytest.mark.both_databases


@pytest.fixture
def board(db):
    """A leaderboard with a whole file, one right record, and a file that retrieves nothing at a cost of 0."""
    board, user = make_fhir_demo(), make_user()
    records = json.loads(fhir_files.GOOD.read_bytes())
    nothing = [{**record, "agent_fhir_resources": None, "usage": {"cost": 0}} for record in records]
    for name, file in (("Nothing", nothing), ("One", records[5:6]), ("Whole", records)):
        make_published(user, board, json.dumps(file).encode(), system=name, allow_empty=True)
    return board


def rows_by(board, sort):
    # Without the baseline, which retrieves nothing either.
    return list(every_row(read_query({"sort": sort, "source": "rescored"}, board)))


@pytest.mark.parametrize("sign", ["-", ""])
def test_a_column_is_led_by_means_over_most_questions_and_ends_with_rows_that_show_none(board, sign):
    names = [row.standing.name for row in rows_by(board, f"{sign}precision")]
    assert names == ["Whole", "One", "Nothing"]
    # One has P = R = F1 = 1 over a single question. A mean cost over so few is not shown at all.
    assert [row.standing.name for row in rows_by(board, f"{sign}f1")] == names
    costs = rows_by(board, f"{sign}cost_per_question")
    assert [row.metrics["cost_per_question"] is None for row in costs] == [False, True, True]
    assert [row.metrics["cost_share"] for row in rows_by(board, "-cost_share")] == [1, 0.017, 0]


def test_what_a_page_shows_as_a_dash_is_null_in_the_api_and_empty_in_csv(board, client):
    rows = client.get(f"/api/v1/benchmarks/{board.slug}/leaderboard/").json()["rows"]
    by_name = {row["system"]["name"]: row["metrics"] for row in rows}
    assert by_name["Nothing"]["precision"] is by_name["Nothing"]["f1"] is None
    assert by_name["Nothing"]["cost_per_question"] is None
    assert by_name["One"]["precision"] == 1.0
    assert by_name["One"]["cost_per_question"] is by_name["One"]["tokens_per_question"] is None
    *_, one = text_of(client.get(f"/benchmarks/{board.slug}/board.csv")).splitlines()
    assert ",One," in one
    assert ",0.017,,0.017,,0.017,20" in one


def test_the_official_figure_stays_and_the_questions_that_it_is_over_stand_beside_it(board, client):
    whole, one, nothing = rows_by(board, "-precision")
    assert nothing.standing.metrics["precision"] == one.metrics["precision"] == 1.0
    by_key = {metric.key: metric for metric in registry.get(board.benchmark).metrics}
    precision, f1 = by_key["precision"], by_key["f1"]
    assert nothing.mean(precision).value is None
    assert nothing.mean(precision).note == "nothing retrieved, official figure: 100.0%, over 11 of 60 tasks"
    assert one.mean(precision)[:2] == (1.0, "over 1 of 60 tasks")
    assert whole.mean(precision).note == whole.mean(f1).note == "over 58 of 60 tasks"
    page = client.get(f"/benchmarks/{board.slug}/").content.decode()
    assert '<td class="n" title="over 1 of 60 tasks">100.0<small>1 of 60</small></td>' in page
    assert f'<td class="n" title="{nothing.mean(precision).note}">–</td>' in page
