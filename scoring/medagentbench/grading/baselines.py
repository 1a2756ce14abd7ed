"""Baselines: agents that need no model."""

from wardboard.scoring.about import Work
from wardboard.scoring.benchmark import Baseline
from wardboard.scoring.medagentbench.reading.records import TaskResult

BASELINES = (
    Baseline(
        system="Do-nothing agent",
        explains="The do-nothing agent ends every task at once with an empty list, and sends no request. A "
        "task of types 5, 9 and 10 is then right if no order is due.",
        records=lambda ids: (TaskResult(task_id=each, answer="[]", post_history=[]) for each in ids),
        published="In the literature, an agent that does nothing solves 5.3% of the 300 tasks.",
        source=Work(
            title="Rethinking MedAgentBench: A Framework for Fair Medical LLM Agent Evaluation (2026)",
            url="https://openreview.net/forum?id=j92gdh0VRH",
        ),
    ),
)
