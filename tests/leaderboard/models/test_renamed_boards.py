"""An upgrade renames the tables of boards and keeps what is in them, and can be taken back."""

import pytest
from django.contrib.auth.models import Permission
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from leaderboard.models import Board, Submission
from tests.support.factories import make_published

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]

BEFORE = ("leaderboard", "0004_event_data")


@pytest.fixture
def earlier_release(published):
    """Give the database the tables of the release before, with a published result in them."""
    executor = MigrationExecutor(connection)
    state = executor.migrate([BEFORE])
    yield state.apps
    call_command("migrate", verbosity=0)


@pytest.fixture
def published(demo, user, good_file):
    return make_published(user, demo, good_file)


def test_an_upgrade_keeps_results_keys_and_the_rights_of_staff(earlier_release, published, user):
    # One test: each way through the migrations takes half a minute.
    permission = Permission.objects.get(content_type__app_label="leaderboard", codename="change_benchmark")
    user.user_permissions.add(permission)
    before = earlier_release.get_model("leaderboard", "Submission").objects.get(pk=published.pk)
    assert (before.benchmark.slug, before.benchmark.family) == ("medagentbench-demo", "medagentbench")
    assert columns_of("board_event_number_once") == ["benchmark_id", "number"]

    call_command("migrate", verbosity=0)

    after = Submission.objects.get(pk=published.pk)
    assert (after.board.slug, after.board.benchmark) == ("medagentbench-demo", "medagentbench")
    assert Board.objects.get().standings.count() == 1
    assert columns_of("board_event_number_once") == ["board_id", "number"]
    assert type(user).objects.get(pk=user.pk).has_perm("leaderboard.change_board")
    assert not Permission.objects.filter(codename__endswith="_benchmark").exists()


def columns_of(constraint: str) -> list[str]:
    with connection.cursor() as cursor:
        return connection.introspection.get_constraints(cursor, "leaderboard_boardevent")[constraint][
            "columns"
        ]
