"""Call a leaderboard a board, and the benchmark that it is a version of a benchmark."""

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import Migration as DjangoMigration
from django.db.migrations.operations import RenameModel
from django.db.migrations.state import ModelState, ProjectState

_APP, _OLD, _NEW = "leaderboard", "benchmark", "board"
_PARTS = {"constraints": "constraint", "indexes": "index"}


class RenameBenchmark(RenameModel):
    """Rename the model, its field `family` and every `benchmark` that points to it.

    Names alone change. Django's own operations would copy most tables on SQLite, where a copy loses its
    triggers, and they leave the old names of fields in indexes and constraints.
    """

    def __init__(self) -> None:
        super().__init__("Benchmark", "Board")

    def deconstruct(self) -> Any:
        return type(self).__name__, [], {}

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        tables = _tables_with_board(state)
        super().state_forwards(app_label, state)
        state.rename_field(_APP, _NEW, "family", "benchmark")
        for table in tables:
            state.rename_field(_APP, table, _OLD, _NEW)
            model = state.models[_APP, table]
            for parts, part in _PARTS.items():
                for old in list(model.options.get(parts, ())):
                    _, args, kwargs = old.deconstruct()
                    if "fields" not in kwargs:
                        continue
                    new = type(old)(
                        *args, **kwargs | {"fields": [_renamed(name) for name in kwargs["fields"]]}
                    )
                    getattr(state, f"remove_{part}")(_APP, table, old.name)
                    getattr(state, f"add_{part}")(_APP, table, new)
            if order := model.options.get("ordering"):
                model.options["ordering"] = [_renamed(name) for name in order]
        state.reload_models([(_APP, table) for table in tables], delay=False)

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        for table in _tables_with_board(from_state):
            _rename_column(schema_editor, f"{_APP}_{table}", f"{_OLD}_id", f"{_NEW}_id")
        _rename_column(schema_editor, f"{_APP}_{_OLD}", "family", "benchmark")
        schema_editor.alter_db_table(
            to_state.apps.get_model(_APP, "Board"), f"{_APP}_{_OLD}", f"{_APP}_{_NEW}"
        )

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        # Django gives the states in the direction of the way back: `to_state` is that before this migration.
        schema_editor.alter_db_table(
            to_state.apps.get_model(_APP, "Benchmark"), f"{_APP}_{_NEW}", f"{_APP}_{_OLD}"
        )
        _rename_column(schema_editor, f"{_APP}_{_OLD}", "benchmark", "family")
        for table in _tables_with_board(to_state):
            _rename_column(schema_editor, f"{_APP}_{table}", f"{_NEW}_id", f"{_OLD}_id")


def _tables_with_board(before: ProjectState) -> list[str]:
    """Return the models that have a field `benchmark` in the state before this migration."""
    return [name for (app, name), model in before.models.items() if app == _APP and _has_benchmark(model)]


def _has_benchmark(model: ModelState) -> bool:
    return not model.options.get("proxy") and _OLD in model.fields


def _renamed(name: str) -> str:
    return name.replace(_OLD, _NEW) if name in {_OLD, f"-{_OLD}"} else name


def _rename_column(schema_editor: BaseDatabaseSchemaEditor, table: str, old: str, new: str) -> None:
    quote = schema_editor.quote_name
    schema_editor.execute(f"ALTER TABLE {quote(table)} RENAME COLUMN {quote(old)} TO {quote(new)}")


class Migration(DjangoMigration):
    code_level = 2
    dependencies = [("leaderboard", "0004_event_data")]
    operations = [RenameBenchmark()]
