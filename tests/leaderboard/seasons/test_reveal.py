"""A season from its opening to its reveal, by a clock that the tests set."""

import pytest

from leaderboard.models import BoardEvent, Evaluation, SealedFile, Standing, Status
from tests.support import factories
from tests.support.seasons import CLOSED, DURING, REVEALED, make_season, send, work
from wardboard.scoring.medagentbench import demo as files

pytestmark = pytest.mark.django_db
GOOD, MIDDLING = files.GOOD.read_bytes(), files.MIDDLING.read_bytes()


@pytest.fixture
def season(demo):
    return make_season(demo)


def test_a_season_has_one_table_from_the_reveal_on(season, user):
    first = send(user, season, GOOD, system="One")
    second = send(user, season, MIDDLING, system="Two")
    assert {first.status, second.status} == {Status.SEALED}
    work(DURING)
    assert not Evaluation.objects.exists()
    assert {row.fault for row in SealedFile.objects.all()} == {""}
    work(CLOSED)
    assert not Standing.objects.exists()
    work(REVEALED)
    rows = Standing.objects.filter(board=season.board).order_by("-score")
    assert [row.name for row in rows] == ["One", "Two"]
    kinds = [
        event.data["kind"]
        for event in BoardEvent.objects.filter(board=season.board, action="season").order_by("number")
    ]
    assert kinds == ["season", "season-closed", "season-revealed"]
    assert work(REVEALED) == 0
    season.refresh_from_db()
    assert season.table_number == BoardEvent.objects.filter(board=season.board).latest("number").number
    page = factories.client_of(user).get(f"/benchmarks/{season.board.slug}/")
    assert b"One" in page.content
    assert b"One look" in page.content
