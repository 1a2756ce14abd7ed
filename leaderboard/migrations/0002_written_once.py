"""Let the database itself refuse to change or delete rows of the record.

On SQLite, a later migration that makes one of these tables anew loses its triggers, and has to make them again:
`tests/leaderboard/models/test_written_once.py` fails until it does.
"""

from collections.abc import Iterator
from typing import Any

from django.db import migrations

TABLES = (
    "leaderboard_event",
    "leaderboard_paststanding",
    "leaderboard_signingkey",
)
_FUNCTION = """
CREATE FUNCTION leaderboard_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are written once', TG_TABLE_NAME USING ERRCODE = '23000';
END $$
"""


def create_triggers(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(_FUNCTION, params=None)
    for table in TABLES:
        for statement in _statements(schema_editor.connection.vendor, table):
            schema_editor.execute(statement, params=None)


def _statements(vendor: str, table: str) -> Iterator[str]:
    if vendor == "postgresql":
        does = "EXECUTE FUNCTION leaderboard_refuse_change()"
        yield f"CREATE TRIGGER {table}_once BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW {does}"
        yield f"CREATE TRIGGER {table}_kept BEFORE TRUNCATE ON {table} FOR EACH STATEMENT {does}"
        return
    does = f"BEGIN SELECT RAISE(ABORT, 'rows of {table} are written once'); END"
    yield f"CREATE TRIGGER {table}_once BEFORE UPDATE ON {table} {does}"
    yield f"CREATE TRIGGER {table}_kept BEFORE DELETE ON {table} {does}"


def drop_triggers(apps: Any, schema_editor: Any) -> None:
    for table in TABLES:
        for name in ("once", "kept"):
            on_table = f" ON {table}" if schema_editor.connection.vendor == "postgresql" else ""
            schema_editor.execute(f"DROP TRIGGER {table}_{name}{on_table}")
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP FUNCTION leaderboard_refuse_change()")


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0001_tables")]

    operations = [migrations.RunPython(create_triggers, drop_triggers)]
