"""Lint migrations: can the code of the earlier release still work while, and after, they are applied?

And can each release upgrade from the one before by `migrate` alone? Migrations of the last release are there,
unchanged, unless a squash that it had replaces them.

As a program: print what it cannot, and exit with 1; with --record, note the migrations of this version.
Each operation is looked at with the tables before it, so no database is needed, and SQLite and PostgreSQL are
judged alike. django-migration-linter reads the SQL: on SQLite it regards every table that Django copies as
broken, and on PostgreSQL it does not see constraints.
"""

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import django
from django.db.migrations import Migration, operations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.db.models import CheckConstraint, ManyToManyField, Q

from wardboard.version import __version__

APP = "leaderboard"
# As leaderboard/services/schema.py reads it.
RELEASES = Path(__file__).resolve().parent.parent / APP / "migrations" / "releases.json"


def lint(app: str = APP) -> list[str]:
    """Return what is wrong with the migrations of an app, a line for each."""
    loader = MigrationLoader(None)
    names = sorted(name for of, name in loader.disk_migrations or {} if of == app)
    migrations = [loader.get_migration(app, name) for name in names]
    lines: list[str] = []
    for migration in migrations:
        before = loader.project_state((app, migration.name), at_end=False)
        lines += [f"{migration.name}: {line}" for line in _findings(migration, before)]
        lines += [f"{migration.name}: {line}" for line in _mixed(migration)]
    return lines


def _findings(migration: Migration, state: ProjectState) -> Iterator[str]:
    """Yield what code that knows only the tables before `migration` cannot work with.

    Where the migration says that the service is stopped before, no such code runs.
    """
    if getattr(migration, "stops_service", False):
        return
    created: set[str] = set()
    new_columns: set[tuple[str, str]] = set()
    removed: dict[str, Any] = {}
    for operation in migration.operations:
        if isinstance(operation, operations.CreateModel):
            created.add(operation.name_lower)
        elif isinstance(operation, operations.RemoveConstraint):
            table = state.models[migration.app_label, operation.model_name_lower]
            removed[operation.name] = table.get_constraint_by_name(operation.name)
        elif isinstance(operation, operations.AddConstraint) and (
            _allows_more(operation.constraint, removed.get(operation.constraint.name))
            or _is_of_new_columns(operation, new_columns)
        ):
            pass
        else:
            names = (getattr(operation, "model_name_lower", ""), getattr(operation, "name_lower", ""))
            if not created.intersection(names) and (finding := _finding(operation, migration, state)):
                yield f"{operation.describe()}: {finding}"
            if isinstance(operation, operations.AddField):
                new_columns.add((operation.model_name_lower, operation.name))
        operation.state_forwards(migration.app_label, state)


def _finding(operation: Any, migration: Migration, state: ProjectState) -> str:
    text = ""
    match operation:
        case operations.RemoveField() | operations.DeleteModel():
            text = "the earlier release still reads it"
        case operations.RenameField() | operations.RenameModel() | operations.AlterModelTable():
            text = "the earlier release knows it by the old name"
        case operations.AddField():
            text = _finding_of_new(operation.field)
        case operations.AlterField():
            fields = state.models[migration.app_label, operation.model_name_lower].fields
            text = _finding_of_changed(fields[operation.name], operation.field)
        case operations.AddConstraint() | operations.AlterUniqueTogether():
            text = "the earlier release may write rows that it forbids"
        case operations.RunSQL() | operations.SeparateDatabaseAndState():
            text = "what it does cannot be seen here"
    return text


def _allows_more(new: Any, old: Any) -> bool:
    """Return whether a new check allows all that the old one does.

    Both check that a field is in a list, and the new list has all of the old one; or the new check has every
    alternative of the old one.
    """
    conditions = [getattr(constraint, "condition", None) for constraint in (old, new)]
    checks = [each for each in conditions if isinstance(each, Q)]
    if len(checks) == 2 and all(each.connector == Q.OR and not each.negated for each in checks):
        return set(checks[0].children) <= set(checks[1].children)
    lists = []
    for constraint in (old, new):
        match getattr(getattr(constraint, "condition", None), "children", None):
            case [(str(lookup), values)] if lookup.endswith("__in"):
                lists.append((lookup, set(values)))
    return len(lists) == 2 and lists[0][0] == lists[1][0] and lists[0][1] <= lists[1][1]


def _is_of_new_columns(operation: operations.AddConstraint, new_columns: set[tuple[str, str]]) -> bool:
    """Return whether a check is of columns alone that this migration adds.

    The earlier release writes their defaults, as all rows have them that the database checks now.
    """
    check = operation.constraint
    if not isinstance(check, CheckConstraint) or not isinstance(check.condition, Q):
        return False
    names = check.condition.referenced_base_fields
    return all((operation.model_name_lower, name) in new_columns for name in names)


def _finding_of_new(field: Any) -> str:
    if isinstance(field, ManyToManyField) or field.null:
        return ""
    if not field.has_db_default():
        return "the earlier release writes no value: null=True or db_default"
    return "all rows would have the same value" if field.unique else ""


def _finding_of_changed(old: Any, new: Any) -> str:
    is_shorter = new.max_length is not None and (old.max_length is None or new.max_length < old.max_length)
    lacks_default = old.has_db_default() and not new.has_db_default()
    findings = {
        "the earlier release may write no value": not new.null and (old.null or lacks_default),
        "the earlier release may write a value twice": new.unique and not old.unique,
        "the earlier release knows it by the old name": old.db_column != new.db_column,
        "the earlier release has another type": old.get_internal_type() != new.get_internal_type(),
        "the earlier release may write longer values": is_shorter,
    }
    return next((text for text, is_so in findings.items() if is_so), "")


def _mixed(migration: Migration) -> list[str]:
    writes_rows = [isinstance(operation, operations.RunPython) for operation in migration.operations]
    if any(writes_rows) and not all(writes_rows):
        return ["rows and tables are changed in one transaction: make two migrations of it"]
    return []


def compare_releases(
    releases: Mapping[str, Mapping[str, str]],
    digests: Mapping[str, str],
    squashes: Mapping[str, Sequence[str]],
    version: str,
) -> list[str]:
    """Return why the last of the releases could not be upgraded by `migrate` alone, a line for each reason.

    releases: by version, in their order, the digests of their migrations by name
    digests, squashes: of the present migrations by name, and what some of them replace
    version: the present one, which is a release unless it ends with `.dev` and a number
    """
    last, names = list(releases.items())[-1]
    replaced = {old for squash in squashes.keys() & names.keys() for old in squashes[squash]}
    lines = [
        f"{name}: {last} has it, so it has to stay for one release more, beside the squash that replaces it"
        for name in names
        if name not in digests and name not in replaced
    ]
    lines += [
        f"{name}: {last} has it, and it was changed since"
        for name, digest in names.items()
        if digests.get(name, digest) != digest
    ]
    if ".dev" not in version and (version != last or digests.keys() != names.keys()):
        lines.append(f"releases.json lacks migrations of {version}: record them, or make it the next .dev0")
    return lines


def record(path: Path = RELEASES) -> list[str]:
    """Note the present migrations as those of this version; return why not, where one of them was changed."""
    releases = json.loads(path.read_text())
    digests = _digests()
    changed = compare_releases(releases, digests, _squashes(), f"{__version__}.dev0")
    if not changed:
        path.write_text(json.dumps({**releases, __version__: digests}, indent=1) + "\n")
    return changed


def _digests() -> dict[str, str]:
    paths = sorted(RELEASES.parent.glob("[0-9]*.py"))
    return {path.stem: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def _squashes() -> dict[str, list[str]]:
    disk = MigrationLoader(None).disk_migrations or {}
    return {name: [old for _, old in each.replaces] for (app, name), each in disk.items() if app == APP}


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    django.setup()
    if "--record" in sys.argv:
        lines = record()
    else:
        releases = json.loads(RELEASES.read_text())
        lines = [*lint(), *compare_releases(releases, _digests(), _squashes(), __version__)]
    for line in lines:
        print(line)
    if lines:
        print("docs/development.md says how to widen tables first and tighten them later.", file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
