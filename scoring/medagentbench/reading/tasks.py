"""The tasks that a file is checked against."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from wardboard.scoring.reading.formats.systems import listed
from wardboard.scoring.reading.limits import KIB
from wardboard.scoring.reading.messages import Phrase, phrase_n
from wardboard.scoring.reading.problems import quote

# The address of the FHIR server to which the task files refer.
PUBLISHED_FHIR_BASE = "http://localhost:8080/fhir/"
# Tasks of each of the ten types in the published versions. Source: the official task files.
_PUBLISHED = {"v1": 10, "v2": 30}
# Two numbers with anything around them, such as Task1_1, task1-1, task_1_01 or 1.1.
_NUMBERS = re.compile(r"[^0-9]*([0-9]{1,2})[^0-9]+([0-9]{1,6})[^0-9]*")


def published_task_ids(version: str) -> tuple[str, ...]:
    """Return the task ids of `v1` or `v2` in the order of the file. Raises KeyError for others."""
    return tuple(f"task{kind}_{n}" for kind in range(1, 11) for n in range(1, _PUBLISHED[version] + 1))


def are_published(version: str, references: Iterable[str]) -> bool:
    """Return whether these are the ids of the tasks of `v1` or `v2`, in the order of the file."""
    # A `runs.jsonl` counts tasks by their place.
    return version in PUBLISHED and (*references,) == published_task_ids(version)


_LONGEST_PROMPT = 64 * KIB  # characters of a prompt in which an instruction is looked for


def texts_of_tasks(tasks: Any) -> dict[str, str]:
    """Return task id -> the instruction of the tasks of a task file that have both."""
    rows = (task for task in tasks if isinstance(task, dict))
    return {
        task["id"]: task["instruction"]
        for task in rows
        if isinstance(task.get("id"), str) and isinstance(task.get("instruction"), str)
    }


def _plain(text: str) -> str:
    """Return the beginning of `text` with single spaces, since writers wrap lines in their own way."""
    return " ".join(text[:_LONGEST_PROMPT].split())


PUBLISHED = {version: frozenset(published_task_ids(version)) for version in _PUBLISHED}


@dataclass(frozen=True, kw_only=True)
class ExpectedTasks:
    """The tasks of a board, in the order of the file.

    version: the one that a file must state. texts: task id -> its instruction; {} where they are not known
    """

    version: str
    task_ids: Sequence[str]
    texts: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def known(self) -> frozenset[str]:
        return frozenset(self.task_ids)

    @cached_property
    def _plain_texts(self) -> dict[str, str]:
        texts = ((task, _plain(text)) for task, text in self.texts.items())
        return {task: text for task, text in texts if task in self.known and text}

    def has_text(self, task_id: str, prompt: str) -> bool:
        """Return whether `prompt` holds the instruction of the task; True where that is not known."""
        text = self._plain_texts.get(task_id)
        return text is None or text in _plain(prompt)

    def task_of_prompt(self, prompt: str) -> str | None:
        """Return the one task whose instruction `prompt` holds; None if it holds none, or several."""
        plain = _plain(prompt)
        found = {task: text for task, text in self._plain_texts.items() if text in plain}
        # The instruction of a task may be part of that of another, which is then the one that is meant.
        longest = max(found.values(), key=len, default="")
        whole = [task for task, text in found.items() if text not in longest or text == longest]
        return whole[0] if len(whole) == 1 else None

    def near(self, task_id: str) -> str | None:
        """Return the id of the board that was probably meant, None if there is none."""
        numbers = _NUMBERS.fullmatch(task_id) if len(task_id) < 40 else None
        guess = f"task{int(numbers[1])}_{int(numbers[2])}" if numbers else ""
        return guess if guess in self.known else None

    @property
    def layout(self) -> str:
        """Return an outline of a result file for this board, for its sender."""
        return f'{{"version": "{quote(self.version)}", "results": [...]}}'

    def missing(self, answered: set[str]) -> Phrase | None:
        """Return a sentence on the tasks that are not in `answered`, None if all are."""
        missing = [task_id for task_id in self.task_ids if task_id not in answered]
        if not missing:
            return None
        return phrase_n(
            "{n:,} of the {total:,} tasks has no result: {named}",
            "{n:,} of the {total:,} tasks have no result: {named}",
            len(missing),
            total=len(self.task_ids),
            named=listed(missing),
        )
