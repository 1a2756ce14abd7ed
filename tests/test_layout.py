"""The layout of the tests: helpers are imported only from tests/support, and each test is in a run."""

import ast
from pathlib import Path

import pytest

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
    assert len(MODULES) > 200
    wrong = {
        f"{path.relative_to(ROOT)} imports {name}"
        for path in MODULES
        for name in modules_imported_by(path)
        if is_no_helper(name)
    }
    assert wrong == set()


@pytest.mark.parametrize(
    "line",
    [
        "from tests.scoring.test_cli import wardboard",
        "from tests.leaderboard import test_pages",
        "def f():\n    import tests.leaderboard.conftest",
    ],
)
def test_an_import_from_a_test_file_is_seen(tmp_path, line):
    path = tmp_path / "module.py"
    path.write_text(line)
    assert [name for name in modules_imported_by(path) if is_no_helper(name)]


# tests/run gives these folders to the run on PostgreSQL alone, which leaves out what is marked so.
@pytest.mark.parametrize("folder", ["scoring", "conformance"])
def test_no_test_without_a_database_is_marked_any_database(folder):
    texts = {path: path.read_text() for path in (ROOT / "tests" / folder).rglob("*.py")}
    assert any("def test_" in text for text in texts.values())
    assert [path for path, text in texts.items() if "any_database" in text] == []
