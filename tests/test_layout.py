"""The layout of the tests: where helpers are imported from, and which tests run on PostgreSQL."""

import ast
from pathlib import Path

from tests.support.paths import ROOT

MODULES = sorted((ROOT / "tests").rglob("*.py"))


def modules_imported_by(path: Path) -> set[str]:
    """Return the dotted names of all imports of a file, including those inside functions.

    `from tests.support import rows` gives both `tests.support` and `tests.support.rows`.
    """
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            # A relative import has no module name that could be checked.
            assert node.level == 0, f"{path}:{node.lineno}"
            names.add(node.module or "")
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def is_no_helper(name: str) -> bool:
    return name.startswith("tests.") and any(
        part == "conftest" or part.startswith("test_") for part in name.split(".")
    )


def test_helpers_come_from_support_and_never_from_a_test_file_or_a_conftest():
    assert is_no_helper("tests.leaderboard.conftest")
    wrong = {
        f"{path.relative_to(ROOT)} imports {name}"
        for path in MODULES
        for name in modules_imported_by(path)
        if is_no_helper(name)
    }
    assert wrong == set()


def test_what_needs_postgresql_is_run_there():
    """tests/run chooses by the mark. Elsewhere such a test would be skipped, and so never run."""
    texts = {path: path.read_text() for path in (ROOT / "tests/leaderboard").rglob("test_*.py")}
    needing = [path for path, text in texts.items() if 'vendor != "postgresql"' in text]
    assert len(needing) > 2
    assert [path for path in needing if "mark.both_databases" not in texts[path]] == []
