"""Past tables of boards."""

from datetime import UTC, datetime, time, timedelta

import pytest
from django.utils import timezone

from leaderboard.models import Board, BoardAction, BoardEvent, Feedback, Standing, System
from leaderboard.services.accounts import personal_team
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.publishing import standings
from leaderboard.services.publishing.disqualify import disqualify, reinstate
from leaderboard.services.publishing.publish import publish, withdraw
from leaderboard.services.publishing.standings import update_standings
from leaderboard.services.record import events, past
from leaderboard.services.record.as_of import find_as_of
from leaderboard.services.record.past import Removal, removals_of
from leaderboard.services.submissions.rescore import rescore
from tests.support.factories import correct, correct_references, make_scored, make_user, with_wrong
from tests.support.rows import SINCE, make_reported_row, put_reported, put_row, state_of

pytestmark = pytest.mark.both_databases

_FIELDS = [field.attname for field in Standing._meta.concrete_fields if field.attname != "id"]


def values_of(rows):
    """Return all fields of the rows, in the order of the board."""
    return list(rows.best_first().values(*_FIELDS))


def table(board, as_of):
    moment = find_as_of(board=board, text=as_of)
    return values_of(BoardAt(board, moment).rows)


class Owner:
    """Publish and withdraw as a user with a personal team."""

    def __init__(self, name):
        self.user = make_user(f"{name}@example.org")
        self.team = personal_team(self.user)

    def publish(self, board, raw, **facts):
        submission = make_scored(self.user, board, raw, **facts)
        return publish(submission_id=submission.pk, team=self.team, by=self.user)

    def withdraw(self, submission, reason=""):
        return withdraw(submission_id=submission.pk, team=self.team, by=self.user, reason=reason)


@pytest.fixture
def ada(db):
    return Owner("ada.l")


@pytest.fixture
def bob(db):
    return Owner("bob")


def paper(demo, name, right):
    system, _ = System.objects.get_or_create(name=name, source="a paper")
    put_reported(board=demo, system=system, row=make_reported_row((right, 50)), since=SINCE)
    return system


def test_a_past_board_is_reproduced_after_changes_of_all_kinds(demo, ada, bob, good_file):
    best = ada.publish(demo, good_file)
    fallback = ada.publish(demo, with_wrong(good_file, 5))
    other = bob.publish(demo, with_wrong(good_file, 3), system="Other")
    disqualified = bob.publish(demo, with_wrong(good_file, 4), system="Cheat")
    first, second = paper(demo, "Paper", 20), paper(demo, "Second paper", 21)
    frozen, tables = values_of(Standing.objects.filter(board=demo)), {}
    number = state_of(demo).number
    assert len(frozen) == 5

    def note_and_check():
        state = state_of(demo)
        tables[state.number] = values_of(Standing.objects.filter(board=demo))
        assert table(demo, str(number)) == frozen

    correct_references(demo)
    note_and_check()
    rescore(board=demo)
    note_and_check()
    ada.withdraw(best, "wrong model")
    note_and_check()
    disqualify(submission_id=disqualified.pk, by=ada.user, reason="trained on the tasks")
    note_and_check()
    correct(bob.user, system="Other", organisation="New")
    note_and_check()
    bob.team.name = "Renamed"
    bob.team.save()
    update_standings(team=bob.team)
    note_and_check()
    Board.objects.filter(pk=demo.pk).update(mixes_judges=True, feedback=Feedback.OVERALL)
    events.record_settings(board=demo, changed=["mixes_judges", "feedback"])
    note_and_check()
    paper(demo, "Paper", 30)
    note_and_check()
    standings.take_off(rows=Standing.objects.filter(system=second))
    note_and_check()
    bob.publish(demo, with_wrong(good_file, 1), system="Other")
    note_and_check()
    ada.publish(demo, with_wrong(good_file, 2), system="New one")
    note_and_check()
    bob.withdraw(other)
    note_and_check()
    reinstate(submission_id=disqualified.pk, by=ada.user)
    note_and_check()
    ada.withdraw(fallback)
    note_and_check()
    for number_then, table_then in tables.items():
        assert table(demo, str(number_then)) == table_then
    last = BoardEvent.objects.order_by("-number").first()
    assert find_as_of(board=demo, text=str(last.number)).is_past is False
    assert not find_as_of(board=demo, text=str(number)).event.mixes_judges
    assert last.mixes_judges
    assert first.standings.get().right == 30


class TestMoments:
    @pytest.fixture
    def board(self, db):
        """Create three events: on 1 November 2025 at noon, a second before midnight, and at midnight."""
        board = Board.objects.create(slug="b", benchmark="medagentbench", version="v2", title="B")
        day = datetime(2025, 11, 1, tzinfo=UTC)
        for number, at in enumerate((time(12), time(23, 59, 59)), 1):
            self.event(board, number, datetime.combine(day, at, tzinfo=UTC))
        self.event(board, 3, day + timedelta(days=1))
        return board

    def event(self, board, number, at):
        BoardEvent.objects.create(
            board=board, number=number, rows_number=1, at=at, action="settings", feedback="overall"
        )

    def test_a_date_or_a_number_names_a_moment(self, board):
        for text, number in {
            "2025-11-01": 2,
            "2025-11-02": 3,
            "2025-10-31": 0,
            " 2025-11-01 ": 2,
            "1": 1,
            "3": 3,
            "0001-01-01": 0,
        }.items():
            moment = find_as_of(board=board, text=text)
            assert (moment.number, moment.event.number) == (number, number), text
            assert moment.is_past == (number < 3), text

    def test_a_value_that_names_no_moment_gives_none(self, board, demo):
        for text in (
            *("", "0", "4", "999999999", "9" * 400, "-1", "+1", "1.0", "²", "١", "yesterday", "💥"),
            *("9999-12-31", "2025-02-30", "2025-13-01", "0000-01-01", "2025-11-01T25:00:00Z"),
            *("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"),
            *("2025-11-01\x00", "20251101T120000Z; drop table"),
        ):
            assert find_as_of(board=board, text=text) is None, text
        assert find_as_of(board=demo, text="3") is None, "the number of an event of another board"

    def test_today_is_no_past_moment(self, board):
        assert find_as_of(board=board, text=f"{timezone.now().astimezone(UTC):%Y-%m-%d}") is None

    def test_before_the_record_begins_there_are_no_rows_and_settings_of_today(self, demo):
        paper(demo, "Paper", 20)
        assert BoardAt(demo).rows.exists()
        moment = find_as_of(board=demo, text="2020-01-01")
        assert (moment.number, moment.event.pk, moment.event.feedback) == (0, None, demo.feedback)
        assert not BoardAt(demo, moment).rows.exists()


def test_a_removed_row_names_the_reason(demo, ada, bob, good_file):
    withdrawn = ada.publish(demo, good_file)
    cheat = bob.publish(demo, with_wrong(good_file, 1), system="Cheat")
    back = bob.publish(demo, with_wrong(good_file, 2), system="Back again")
    ada.publish(demo, with_wrong(good_file, 3), system="Stays")
    system = paper(demo, "Paper", 20)
    moment = find_as_of(board=demo, text=str(state_of(demo).number))
    assert removals_of(board=demo, rows=BoardAt(demo, moment).rows) == {}
    withdrawn = ada.withdraw(withdrawn, "wrong model")
    cheat = disqualify(submission_id=cheat.pk, by=ada.user, reason="trained on the tasks")
    disqualify(submission_id=back.pk, by=ada.user, reason="a slip")
    reinstate(submission_id=back.pk, by=ada.user)
    standings.take_off(rows=Standing.objects.filter(system=system))
    off = BoardEvent.objects.get(action=BoardAction.UNLISTED)
    removals = {
        withdrawn.system_id: Removal(
            action=BoardAction.WITHDRAWN, at=withdrawn.withdrawn_at, reason="wrong model"
        ),
        cheat.system_id: Removal(
            action=BoardAction.DISQUALIFIED, at=cheat.disqualified_at, reason="trained on the tasks"
        ),
        system.pk: Removal(action=BoardAction.UNLISTED, at=off.at, reason=""),
    }
    assert removals_of(board=demo, rows=BoardAt(demo, moment).rows) == removals


def test_a_system_is_public_from_the_first_time_on_a_board(demo, ada, good_file):
    submission = make_scored(ada.user, demo, good_file)
    assert not past.is_public(submission.system_id)
    publish(submission_id=submission.pk, team=ada.team, by=ada.user)
    assert past.is_public(submission.system_id)
    ada.withdraw(submission)
    assert past.is_public(submission.system_id)
    assert past.is_public(put_row(demo, "Row", 0.5).system_id)
    assert not past.is_public(0)
