"""Find results of another set of tasks, whose lines name their tasks by position alone."""

from typing import Any

from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.tasks import ExpectedTasks
from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.values import value_at
from wardboard.scoring.reading.messages import phrase, phrase_n

# Prompts without the text of their tasks that are enough to take a file for one of another set of tasks.
_ENOUGH = 5


class Prompts:
    """The prompts of lines whose position alone names their task, to find results of another set of tasks."""

    def __init__(self, expected: ExpectedTasks) -> None:
        self._expected = expected
        self._line_count = self._fitting = 0
        self._has_prompts = False
        # The places of the first lines whose prompt lacks the text of its task, the tasks, and the prompts.
        self._others: list[tuple[Findings, str, str]] = []

    def add(self, task_id: str, index: Any, history: Any, here: Findings) -> None:
        """Look at the line of a task. index, history: as the line has them."""
        if isinstance(index, str):
            return
        self._line_count += 1
        prompt = value_at(history, 0, "content") if value_at(history, 0, "role") == "user" else None
        if not isinstance(prompt, str):
            return
        self._has_prompts = True
        if task_id not in self._expected.texts:
            return
        if self._expected.has_text(task_id, prompt):
            self._fitting += 1
        elif len(self._others) < _ENOUGH:
            self._others.append((here, task_id, prompt))

    def report(self, findings: Findings) -> None:
        """Report prompts of other tasks; where nothing shows which tasks a file is of, ask."""
        for here, task_id, prompt in self._others:
            if other := self._expected.task_of_prompt(prompt):
                message = phrase(
                    "the index is that of {task}, and the prompt that of {other}", task=task_id, other=other
                )
                here.problem(Code.INDEX_OTHER_TASK, ["index"], message)
                return
        if self._fitting:
            return
        if len(self._others) == _ENOUGH:
            message = phrase("no prompt in the file is that of its task on this leaderboard")
            self._others[0][0].problem(Code.INDEX_OTHER_TASK, ["output", "history", 0], message)
        elif not self._has_prompts and 0 < self._line_count < len(self._expected.task_ids):
            message = phrase_n(
                "{n:,} line names its task by `index` alone, and the leaderboard has {total:,} tasks",
                "{n:,} lines name their tasks by `index` alone, and the leaderboard has {total:,} tasks",
                self._line_count,
                total=len(self._expected.task_ids),
            )
            findings.warning_first(Code.TASKS_BY_INDEX, (), message)
