"""The linter of migrations finds what code of the earlier release cannot work with."""

from functools import reduce
from operator import or_

from django.db import migrations, models
from django.db.migrations.state import ModelState, ProjectState

from tools.migrations import _findings, _mixed, lint

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


def test_a_list_of_allowed_values_and_the_alternatives_of_a_check_may_grow_and_not_shrink():
    def values(*names: str) -> models.Q:
        return models.Q(name__in=names)

    def alternatives(*ids: int) -> models.Q:
        return reduce(or_, [models.Q(id=number, name="a") for number in ids])

    def add(condition: models.Q) -> migrations.AddConstraint:
        return migrations.AddConstraint("row", models.CheckConstraint(condition=condition, name="known"))

    remove = migrations.RemoveConstraint("row", "known")
    for given, grown, shrunk in (
        (values("a", "b"), values("b", "c", "a"), values("a")),
        (alternatives(1, 2), alternatives(2, 1, 3), alternatives(2, 3)),
    ):
        (given_alone,) = findings(add(given))
        assert findings(add(given), remove, add(grown)) == [given_alone]
        assert len(findings(add(given), remove, add(shrunk))) == 2


def test_a_check_of_new_columns_alone_is_fine_and_one_of_an_old_column_too_is_not():
    colour = migrations.AddField("row", "colour", models.CharField(db_default="grey", max_length=9))
    size = migrations.AddField("row", "size", models.IntegerField(null=True))
    grey = models.Q(colour="grey", size__isnull=True) | ~models.Q(colour="grey")
    alone = migrations.AddConstraint("row", models.CheckConstraint(condition=grey, name="grey"))
    named = models.CheckConstraint(condition=grey & models.Q(name="a"), name="grey_is_named")
    assert findings(colour, size, alone) == []
    assert len(findings(colour, size, migrations.AddConstraint("row", named))) == 1
    once = migrations.AddConstraint("row", models.UniqueConstraint(fields=["colour"], name="once"))
    assert len(findings(colour, size, once)) == 1


def test_a_new_table_may_have_anything_and_rows_are_changed_apart():
    create = migrations.CreateModel("Other", [("id", models.BigAutoField(primary_key=True)), ("name", TEXT)])
    once = migrations.AddConstraint("other", models.UniqueConstraint(fields=["name"], name="once"))
    assert findings(create, once) == []
    rows = migrations.RunPython(migrations.RunPython.noop)
    assert findings(rows) == []
    assert findings(create, rows) == [
        "rows and tables are changed in one transaction: make two migrations of it"
    ]
