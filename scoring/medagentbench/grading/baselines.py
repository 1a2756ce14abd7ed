"""Baselines: agents that need no model."""

from collections.abc import Iterator, Sequence

from wardboard.scoring.about import Work
from wardboard.scoring.benchmark import Baseline
from wardboard.scoring.medagentbench.reading.records import TaskResult

DO_NOTHING = "Do-nothing agent"


def _nothing(task_ids: Sequence[str]) -> Iterator[TaskResult]:
    return (TaskResult(task_id=task_id, answer="[]", post_history=[]) for task_id in task_ids)


BASELINES = (
    Baseline(
        system=DO_NOTHING,
        explains="The do-nothing agent ends every task at once with an empty list, and sends no request. A "
        "task of types 5, 9 and 10 is then right if no order is due.",
        records=_nothing,
        published="In the literature, an agent that does nothing solves 5.3% of the 300 tasks.",
        source=Work(
            title="Rethinking MedAgentBench: A Framework for Fair Medical LLM Agent Evaluation (2026)",
            url="https://openreview.net/forum?id=j92gdh0VRH",
        ),
    ),
)
