"""The linter of migrations finds what code of the earlier release cannot work with."""

import pytest
from django.db import migrations, models
from django.db.migrations.state import ModelState, ProjectState

from tools.migrations import _findings, _mixed, compare_releases, lint

TEXT = models.CharField(max_length=10)


def findings(*operations, stops_service=False) -> list[str]:
    migration = migrations.Migration("later", "leaderboard")
    migration.stops_service = stops_service
    migration.operations = list(operations)
    table = ModelState("leaderboard", "Row", [("id", models.BigAutoField(primary_key=True)), ("name", TEXT)])
    state = ProjectState({("leaderboard", "row"): table})
    return [*_findings(migration, state), *_mixed(migration)]


def test_the_migrations_can_be_applied_while_the_earlier_release_serves():
    assert lint() == []


BREAKING = [
    migrations.AddField("row", "colour", models.CharField(default="grey", max_length=9)),
    migrations.AddField("row", "colour", models.IntegerField(db_default=1, unique=True)),
    migrations.RemoveField("row", "name"),
    migrations.RenameField("row", "name", "title"),
    migrations.RenameModel("Row", "Line"),
    migrations.DeleteModel("Row"),
    migrations.AlterField("row", "name", models.CharField(max_length=9)),
    migrations.AlterField("row", "name", models.IntegerField()),
    migrations.AlterField("row", "name", models.CharField(max_length=10, unique=True)),
    migrations.AddConstraint("row", models.UniqueConstraint(fields=["name"], name="once")),
    migrations.AddConstraint("row", models.CheckConstraint(condition=models.Q(id=1), name="one")),
    migrations.RunSQL("DROP TABLE row"),
]


WIDENING = [
    migrations.AddField("row", "colour", models.CharField(db_default="grey", max_length=9)),
    migrations.AddField("row", "colour", models.IntegerField(null=True)),
    migrations.AddIndex("row", models.Index(fields=["name"], name="by_name")),
    migrations.AlterField("row", "name", models.CharField(max_length=20, null=True)),
    migrations.CreateModel("Other", [("id", models.BigAutoField(primary_key=True)), ("name", TEXT)]),
]


def test_what_the_earlier_release_cannot_work_with_is_named_and_what_only_widens_is_not():
    for operation in WIDENING:
        assert findings(operation) == [], operation.describe()
    for operation in BREAKING:
        (line,) = findings(operation)
        assert line.startswith(operation.describe())
        assert findings(operation, stops_service=True) == []


OLD, SQUASH = {"0001_a": "1", "0002_b": "2"}, {"0001_ab": "3"}


@pytest.mark.parametrize(
    ("released", "present", "named"),
    [
        (OLD, OLD | {"0003_c": "3"}, set()),
        (OLD, OLD | SQUASH, set()),
        (OLD | SQUASH, SQUASH, set()),
        (OLD, SQUASH, {"0001_a", "0002_b"}),
        (OLD, OLD | {"0002_b": "changed"}, {"0002_b"}),
    ],
)
def test_what_a_release_had_stays_as_it_was_until_a_squash_was_released(released, present, named):
    releases, squashes = {"0.1.0": {}, "0.2.0": released}, {"0001_ab": list(OLD)}
    lines = compare_releases(releases, present, squashes, "0.3.0.dev0")
    assert {line.partition(":")[0] for line in lines} == named
    [line] = compare_releases(releases, present, squashes, "0.3.0")[len(lines) :]
    assert "lacks migrations of 0.3.0" in line
