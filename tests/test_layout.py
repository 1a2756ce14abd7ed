"""The layout of the tests: helpers are imported only from tests/support, and each test is in a run."""

import ast
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.paths import ROOT
from tests.support.statements import DATABASES, Traced, choose, read_run_once

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
def test_no_test_without_a_database_is_marked_sqlite_alone(folder):
    texts = {path: path.read_text() for path in (ROOT / "tests" / folder).rglob("*.py")}
    assert any("def test_" in text for text in texts.values())
    assert [path for path, text in texts.items() if "sqlite_alone" in text] == []


def test_each_test_that_is_run_on_one_database_alone_exists_and_names_it():
    run_once = read_run_once()
    assert set(run_once.values()) == set(DATABASES)
    by_path = defaultdict(set)
    for name in run_once:
        path, *_, function = name.split("::")
        by_path[path].add(function)
    missing = {
        f"{path}::{function}"
        for path, functions in by_path.items()
        for function in functions
        if not (ROOT / path).is_file() or f"def {function}(" not in (ROOT / path).read_text()
    }
    assert missing == set(), "remove their lines from tests/support/run_once.txt"


traced = st.builds(
    Traced, st.sets(st.sampled_from("1234")), st.floats(0, 9, allow_nan=False), needs_both=st.booleans()
)


@given(
    traces=st.fixed_dictionaries(
        {name: st.dictionaries(st.sampled_from("abcdef"), traced) for name in DATABASES}
    )
)
def test_each_statement_is_still_run_on_each_database_and_each_test_on_one(traces):
    once = choose(traces)
    for database, tests in traces.items():
        left = {name: test for name, test in tests.items() if once.get(name, database) == database}
        assert set().union(*(test.statements for test in left.values())) == set().union(
            *(test.statements for test in tests.values())
        )
        assert set(tests) - set(left) <= set.intersection(*map(set, traces.values()))
        assert not any(test.needs_both for name, test in tests.items() if name not in left)


def test_tests_without_a_statement_of_their_own_are_shared_out_among_the_runs():
    tests = {name: Traced({"select 1"}, seconds=1) for name in "abcde"}
    once = choose(dict.fromkeys(DATABASES, tests))
    assert sorted(Counter(once.values()).values()) == [2, 3]
