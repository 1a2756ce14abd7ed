"""The migration that gives boards their limits."""

from importlib import import_module

from django.apps import apps

from leaderboard.models import UNLIMITED, Benchmark
from tests.support.factories import make_demo

migration = import_module("leaderboard.migrations.0004_information_budget")


def test_a_demonstration_gets_no_limits_and_a_hidden_board_gets_the_strictest(db):
    strict = {name: Benchmark._meta.get_field(name).default for name in UNLIMITED}
    demo = make_demo(**strict)
    hidden = make_demo(slug="hidden", is_demo=False, **strict)
    migration.open_demonstrations(apps, None)
    for board, expected in ((demo, UNLIMITED), (hidden, strict)):
        board.refresh_from_db()
        assert {name: getattr(board, name) for name in UNLIMITED} == expected
