"""The tasks that a file is checked against."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scoring.reading.messages import Phrase, phrase_n
from scoring.reading.problems import quote

# The address of the FHIR server to which the task files refer.
PUBLISHED_FHIR_BASE = "http://localhost:8080/fhir/"
# Tasks of each of the ten types in the published versions. Source: the official task files.
_PUBLISHED = {"v1": 10, "v2": 30}
_MAX_NAMED = 5  # missing tasks that a warning names
# Two numbers with anything around them, such as Task1_1, task1-1, task_1_01 or 1.1.
_NUMBERS = re.compile(r"[^0-9]*([0-9]{1,2})[^0-9]+([0-9]{1,6})[^0-9]*")


def published_task_ids(version: str) -> tuple[str, ...]:
    """Return the task ids of `v1` or `v2` in the order of the file. Raises KeyError for others."""
    return tuple(f"task{kind}_{n}" for kind in range(1, 11) for n in range(1, _PUBLISHED[version] + 1))


PUBLISHED = {version: frozenset(published_task_ids(version)) for version in _PUBLISHED}


@dataclass(frozen=True, kw_only=True)
class ExpectedTasks:
    """The tasks of a board, in the order of the file. version: the one that a file must state."""

    version: str
    task_ids: Sequence[str]

    @cached_property
    def known(self) -> frozenset[str]:
        return frozenset(self.task_ids)

    def near(self, task_id: str) -> str | None:
        """Return the id of the board that was probably meant, None if there is none."""
        numbers = _NUMBERS.fullmatch(task_id) if len(task_id) < 40 else None
        guess = f"task{int(numbers[1])}_{int(numbers[2])}" if numbers else ""
        return guess if guess in self.known else None

    @property
    def layout(self) -> str:
        """Return an outline of a result file for this board, for its sender."""
        return f'{{"version": "{quote(self.version)}", "results": [...]}}'

    def other_version_of(self, task_id: str, stated: Any = None) -> str | None:
        """Return another published version that has the task, None if there is none.

        It prefers `stated`, the version that the file states.
        """
        versions = [v for v, ids in PUBLISHED.items() if task_id in ids and v != self.version]
        return stated if stated in versions else next(iter(versions), None)

    def missing(self, answered: set[str]) -> Phrase | None:
        """Return a sentence on the tasks that are not in `answered`, None if all are."""
        missing = [task_id for task_id in self.task_ids if task_id not in answered]
        if not missing:
            return None
        named = ", ".join(missing[:_MAX_NAMED]) + (", …" if len(missing) > _MAX_NAMED else "")
        return phrase_n(
            "{n:,} of the {total:,} tasks has no result: {named}",
            "{n:,} of the {total:,} tasks have no result: {named}",
            len(missing),
            total=len(self.task_ids),
            named=named,
        )
