"""The data migration that renames teams whose names cannot be read."""

from importlib import import_module

import pytest
from django.apps import apps

from leaderboard.models import BoardEvent, BoardState, PastStanding, Standing, Team
from leaderboard.services.publishing.standing_facts import facts_for_standing
from tests.support.factories import make_published

migration = import_module("leaderboard.migrations.0002_readable_team_names")


@pytest.fixture
def unreadable(user, demo, good_file):
    """A standing of a team whose name turns the text around it."""
    submission = make_published(user, demo, good_file)
    Team.objects.update(name="\x1b\u202eevil")
    Standing.objects.update(team_name="\x1b\u202eevil", search="\u202eevil")
    return submission


def test_an_unreadable_team_is_renamed_on_its_standings_and_others_are_not(unreadable):
    other = Team.objects.create(name="Ward  Ω")
    for _ in range(2):
        migration.rename_unreadable_teams(apps, None)
    assert [team.name for team in Team.objects.order_by("pk")] == ["evil", other.name]
    row = Standing.objects.get()
    assert row.team_name == "evil"
    assert row.search == facts_for_standing(row.system)["search"]


def test_the_log_has_one_entry_for_the_renamed_team_and_keeps_the_past_row(unreadable, demo):
    before = BoardState.objects.get(benchmark=demo)
    for _ in range(2):
        migration.rename_unreadable_teams(apps, None)
    [event] = BoardEvent.objects.filter(benchmark=demo, action="facts")
    assert (event.reason, event.system_id) == ("team", unreadable.system_id)
    after = BoardState.objects.get(benchmark=demo)
    assert (after.number, after.revision) == (event.number, before.revision + 1)
    assert (after.rows_number, event.rows_number) == (before.rows_number, before.rows_number)
    past = PastStanding.objects.get(event=event)
    assert (past.number, past.team_name, past.score) == (event.number, "evil", Standing.objects.get().score)


@pytest.mark.parametrize(
    ("name", "renamed"),
    [
        ("\u202eevil\u2028\x1b[31m\u200b", "evil [31m"),
        ("\u3164", "Unnamed team"),
        ("\u200b Foo\u200b \u200bBar ", "Foo Bar"),
        ("", "Unnamed team"),
        ("新實驗室", "新實驗室"),
    ],
)
def test_a_team_keeps_the_readable_part_of_its_name(db, name, renamed):
    Team.objects.create(name=name)
    migration.rename_unreadable_teams(apps, None)
    assert Team.objects.get().name == renamed
