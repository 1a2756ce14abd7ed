"""Choose the tests that `make test` runs on one database alone.

A test that runs no SQL statement of its own checks nothing new on the second database. `run_once.txt` beside
this file names such tests, with the database on which each is run: on the other one, the remaining tests run
each of its statements. A test that the file does not name is run on both, and so is one that is marked
`both_databases`: on locks, order, limits, search and hostile values databases differ. To write the file anew:

    STATEMENTS=/tmp/statements/sqlite .venv/bin/pytest -n auto -p tests.support.statements tests/leaderboard
    STATEMENTS=/tmp/statements/postgresql DATABASE_URL=postgres://... \\
        .venv/bin/pytest -n auto -p tests.support.statements tests/leaderboard
    .venv/bin/python -m tests.support.statements /tmp/statements

Two statements count as the same if they differ in numbers, in how many values a list has, and in values of
the same types.
"""

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

RUN_ONCE = Path(__file__).parent / "run_once.txt"
DATABASES = ("sqlite", "postgresql")


@dataclass
class Traced:
    """What a test function did, in all of its cases: its statements, and its seconds of the processor."""

    statements: set[str] = field(default_factory=set)
    seconds: float = 0.0
    needs_both: bool = False


_traced: dict[str, Traced] = {}
_current: set[str] = set()


def name_of(item: pytest.Item) -> str:
    """Return the name of a test without its parameters."""
    return item.nodeid.partition("[")[0]


def read_run_once() -> dict[str, str]:
    """Return test -> the database on which alone it is run."""
    lines = RUN_ONCE.read_text().splitlines()
    return {name: database for database, _, name in (line.partition(" ") for line in lines)}


def choose(traces: Mapping[str, Mapping[str, Traced]]) -> dict[str, str]:
    """Return test -> the database on which alone it need be run.

    Each statement of a database is still run there. Costly tests come first, and leave the longer run.

    traces: database -> test -> what it did there
    """
    times_run = {database: Counter[str]() for database in traces}
    seconds = dict.fromkeys(traces, 0.0)
    for database, tests in traces.items():
        for traced in tests.values():
            times_run[database].update(traced.statements)
            seconds[database] += traced.seconds
    in_both = set.intersection(*map(set, traces.values()))
    costs = {test: max(tests[test].seconds for tests in traces.values()) for test in in_both}
    once = {}
    for test in sorted(in_both, key=lambda test: (-costs[test], test)):
        if any(tests[test].needs_both for tests in traces.values()):
            continue
        for database in sorted(traces, key=lambda name: -seconds[name]):
            traced = traces[database][test]
            if all(times_run[database][statement] > 1 for statement in traced.statements):
                times_run[database].subtract(traced.statements)
                seconds[database] -= traced.seconds
                (once[test],) = set(traces) - {database}
                break
    return once


def pytest_configure() -> None:
    from django.db.backends.utils import CursorWrapper

    execute, execute_many = CursorWrapper._execute, CursorWrapper._executemany

    def note(self, sql, parameters, *others):
        _current.add(_written(sql, parameters))
        return execute(self, sql, parameters, *others)

    def note_many(self, sql, parameters, *others):
        rows = list(parameters)
        _current.add(_written(sql, rows[0] if rows else None))
        return execute_many(self, sql, rows, *others)

    CursorWrapper._execute, CursorWrapper._executemany = note, note_many


def _written(sql: object, parameters: Iterable | None) -> str:
    """Return a statement without what may differ, and the types of its parameters."""
    text = re.sub(r"(SAVEPOINT) \S+", r"\1 x", sql.decode() if isinstance(sql, bytes) else str(sql))
    text = re.sub(r"\(%s(, ?%s)+\)", "(%s ...)", text)
    text = re.sub(r"(\(%s(?: \.\.\.)?\), )+(\(%s)", r"\2", text)
    # Django writes the values of a set, whose order differs from process to process.
    text = re.sub(
        r"\('\w+'(?:, ?'\w+')+\)", lambda values: ",".join(sorted(re.findall(r"'\w+'", values[0]))), text
    )
    types = sorted({type(value).__name__ for value in parameters or ()})
    return f"{re.sub(r'[0-9]+', 'N', text)} | {', '.join(types)}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    _current.clear()
    began = sum(os.times()[:4])
    result = yield
    traced = _traced.setdefault(name_of(item), Traced())
    traced.statements |= _current
    traced.seconds += sum(os.times()[:4]) - began
    traced.needs_both |= item.get_closest_marker("both_databases") is not None
    return result


def pytest_sessionfinish() -> None:
    folder = Path(os.environ["STATEMENTS"])
    folder.mkdir(parents=True, exist_ok=True)
    rows = {name: [sorted(one.statements), one.seconds, one.needs_both] for name, one in _traced.items()}
    (folder / f"{os.environ.get('PYTEST_XDIST_WORKER', 'main')}.json").write_text(json.dumps(rows))


def read_trace(folder: Path) -> dict[str, Traced]:
    """Return test -> what it did, from the files of all processes of a run."""
    tests: dict[str, Traced] = {}
    for file in folder.glob("*.json"):
        for name, (statements, seconds, needs_both) in json.loads(file.read_text()).items():
            test = tests.setdefault(name, Traced())
            test.statements |= set(statements)
            test.seconds += seconds
            test.needs_both |= needs_both
    return tests


def main(folder: Path) -> None:
    """Write `run_once.txt`, and print what it saves."""
    traces = {database: read_trace(folder / database) for database in DATABASES}
    once = choose(traces)
    RUN_ONCE.write_text("".join(f"{database} {name}\n" for name, database in sorted(once.items())))
    for database, tests in traces.items():
        left_out = [test for name, test in tests.items() if once.get(name, database) != database]
        less, every = (sum(test.seconds for test in some) for some in (left_out, tests.values()))
        print(
            f"{database}: left out {len(left_out)} of {len(tests)} tests, {less:.0f} of {every:.0f} seconds"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
