"""A season until its close: its plan, which file of a system is its entry, and what becomes of others."""

import pytest

from leaderboard.models import SealedFile, Season, Status, Submission
from leaderboard.services.delete_account import delete_account
from leaderboard.services.errors import BoardClosed, QuotaSpent, WrongState
from leaderboard.services.publishing.change_settings import change_settings
from leaderboard.services.seasons import change
from tests.support import factories, seasons
from tests.support.seasons import CLOSED, DURING, LAST_SECOND, REVEALED, at, later, send, table_of, work
from wardboard.scoring.medagentbench import demo as files

pytestmark = pytest.mark.django_db
GOOD, MALFORMED = files.GOOD.read_bytes(), files.MALFORMED.read_bytes()
WRONG = [factories.with_wrong(GOOD, count) for count in (1, 2)]


def test_a_moment_is_that_of_its_zone():
    assert seasons.in_utc("2027-03-31", "Etc/GMT+12") == "04-01 11:59:59"
    assert seasons.in_utc("2027-03-27 18:00", "Europe/Berlin") == "03-27 17:00:00"
    assert seasons.in_utc("2027-03-28", "Europe/Berlin") == "03-28 21:59:59"
    # An hour that comes twice is the first.
    assert seasons.in_utc("2027-10-31 02:30", "Europe/Berlin") == "10-31 00:30:00"


def test_all_problems_of_a_plan_come_at_once(demo, season):
    moments = {"opens_at": "2027-03-28 02:30", "closes_at": "2027-01-01", "reveals_at": "2027-03-01T10:00Z"}
    others = {"suffix": "no slug", "zone": "Europe/Berlin", "files_of_system": 0}
    found = seasons.problems_of(demo, **others, **moments)
    assert found == {"/opens_at", "/closes_at", "/reveals_at", "/suffix", "/name", "/files_of_system"}
    assert seasons.problems_of(season.board, zone="Mars/Base") == {"/zone"}
    for beyond in ("9999-12-31", "2027-02-30", "soon"):
        assert seasons.problems_of(season.board, reveals_at=beyond) == {"/reveals_at"}
    assert seasons.problems_of(season.board, reveals_at="2027-03-30") == {""}
    assert seasons.problems_of(season.board, closes_at="2027-03-05") == {"/closes_at"}
    assert seasons.problems_of(season.board, opens_at="2027-03-20") == {"/opens_at"}


def test_a_change_is_previewed_logged_and_emailed(season, user, boss, settings):
    settings.NOTIFIES, settings.SITE_URL = True, "https://board.example.org"
    send(factories.verify(user), season, GOOD)
    plan = seasons.plan(season, closes_at="2027-04-02", least_runs=3)
    closes, runs, concerned = change.preview(plan)
    assert "close: 2027-04-01 11:59:59 UTC → 2027-04-03 11:59:59 UTC" in closes
    assert (runs[-7:], concerned[:22]) == (": 1 → 3", "1 team with sealed fil")
    with at(DURING):
        change.carry_out(plan, by=boss)
        emails = seasons.emails_after(DURING)
    data = seasons.told_of(season)[-1]
    assert ([name for name, *_ in data["changes"]], data["conditions"]["least_runs"]) == (
        ["closes_at", "least_runs"],
        3,
    )
    assert [one.to for one in emails if data["changes"][0][2] in one.body] == [[user.email]]


@pytest.mark.parametrize("is_logged", [True, False])
def test_after_the_close_only_the_reveal_changes_and_after_that_nothing(season, boss, is_logged):
    late = seasons.plan(season, now=LAST_SECOND, reveals_at="2027-04-09")
    rules = seasons.plan(season, now=LAST_SECOND, files_of_system=2)
    if is_logged:
        work(CLOSED)
    with at(CLOSED):
        with pytest.raises(WrongState, match="only the reveal can change"):
            change.carry_out(rules, by=boss)
        change.carry_out(late, by=boss)
        with pytest.raises(WrongState, match="The conditions of a season"):
            change_settings(board=season.board, values={"least_runs": 2}, by=boss)
    # What was read before the close does not take it back.
    assert (Season.objects.get().closed_at is not None) == is_logged
    work(later(REVEALED, days=9))
    with at(CLOSED), pytest.raises(WrongState):
        change.carry_out(late, by=boss)


def test_only_the_last_file_of_a_system_in_the_season_enters_its_table(demo, season, user):
    factories.publish_each(user, demo, **{"Open": 0, "Careful agent": 1})
    first = send(user, season, GOOD)
    work(DURING)
    # The same bytes are on the open leaderboard.
    send(user, season, WRONG[0], now=LAST_SECOND)
    work(REVEALED)
    first.refresh_from_db()
    assert (first.status, first.sealed.result) == (Status.CANCELLED, "")
    assert (table_of(season), demo.standings.count()) == ({"Careful agent": 46}, 2)


@pytest.mark.parametrize(("last", "right"), [(WRONG[1], 45), (MALFORMED, 47)])
def test_a_file_of_the_last_second_is_the_entry_unless_it_is_invalid(season, user, deferred, last, right):
    send(user, season, GOOD)
    seasons.check_waiting(DURING)
    assert send(user, season, last, now=LAST_SECOND).status == Status.RECEIVED
    # The close waits for the check: its digest is that of all entries.
    assert work(REVEALED) == 0
    seasons.check_waiting(CLOSED)
    work(CLOSED)
    [closed] = seasons.told_of(season, "closed")
    assert (closed["entries"], closed["digest"]) == (1, seasons.digest_shown(season))
    work(REVEALED)
    assert table_of(season) == {"Careful agent": right}


def test_a_file_that_comes_a_second_late_or_too_early_is_refused_and_costs_nothing(season, user):
    with pytest.raises(BoardClosed, match="opens at 2027-03-01 12:00 UTC"):
        send(user, season, GOOD, now=seasons.BEFORE)
    with pytest.raises(
        BoardClosed, match=r"closed at 2027-04-01 11:59 UTC\. A late file belongs to the next"
    ):
        send(user, season, GOOD, now=later(LAST_SECOND, seconds=1))
    assert not Submission.objects.exists()


def test_a_system_is_withdrawn_with_its_earlier_files_and_may_come_again(season, user, deferred):
    send(user, season, GOOD)
    last = send(user, season, WRONG[0], now=later(DURING, hours=1))
    Submission.objects.filter(pk=last.pk).update(status=Status.SEALED)
    seasons.withdraw(last)
    assert {*Submission.objects.values_list("status", flat=True)} == {Status.CANCELLED}
    send(user, season, WRONG[0], now=LAST_SECOND)
    seasons.check_waiting(LAST_SECOND)
    with pytest.raises(WrongState, match="closed at"):
        seasons.withdraw(last, now=CLOSED)
    work(REVEALED)
    assert table_of(season) == {"Careful agent": 46}


def test_a_system_has_so_many_files_and_no_more(demo, user):
    season = seasons.make_season(demo, files_of_system=1)
    send(user, season, GOOD)
    assert send(user, season, MALFORMED).status == Status.REJECTED
    with pytest.raises(QuotaSpent, match="Careful agent has as many files in this season"):
        send(user, season, WRONG[0])
    assert send(user, season, WRONG[0], system="Other").status == Status.SEALED


def test_a_season_pauses_its_leaderboard_until_the_reveal_where_references_are_hidden(demo, user):
    board = factories.make_hidden(access="anyone")
    for of in (demo, board):
        seasons.make_season(of)
    for now in (DURING, CLOSED):
        with at(now), pytest.raises(BoardClosed, match=r"takes no files until .+ is revealed"):
            factories.send(user, board, GOOD)
    with at(DURING):
        factories.make_scored(user, demo, GOOD)
    work(REVEALED)
    factories.make_scored(user, board, GOOD)


def test_a_statement_and_an_embargo_outlast_the_file_that_they_came_with(blind, user):
    first = send(user, blind, GOOD)
    seasons.lodge(first, until=seasons.UNTIL)
    second = send(user, blind, WRONG[0], now=later(DURING, hours=1))
    assert (second.sealed.statement, second.sealed.embargo_until) == ("It wins.", seasons.UNTIL)
    seasons.lodge(first, "It may win.")
    assert {*SealedFile.objects.values_list("statement", "embargo_until")} == {("It may win.", None)}
    with pytest.raises(WrongState, match="two years"):
        seasons.lodge(first, until=seasons.UNTIL.replace(year=2030))
    with pytest.raises(WrongState, match="closed at"):
        seasons.lodge(second, "It won.", now=CLOSED)


def test_an_account_takes_its_sealed_files_with_it(season, user, other_user):
    send(user, season, GOOD, system="Gone")
    send(other_user, season, GOOD, system="Stays")
    work(DURING)
    delete_account(user)
    assert [row.submission.system.name for row in SealedFile.objects.all()] == ["Stays"]
    work(REVEALED)
    assert table_of(season) == {"Stays": 47}
