"""The do-nothing agent."""

import json

from wardboard.scoring.fhir import RecordedFhir
from wardboard.scoring.medagentbench import build_references, demo
from wardboard.scoring.medagentbench.benchmark import MedAgentBench
from wardboard.scoring.medagentbench.grading.baselines import BASELINES, DO_NOTHING
from wardboard.scoring.medagentbench.grading.references import TaskType

BENCHMARK = MedAgentBench()


def test_the_do_nothing_agent_is_right_only_where_no_order_is_due():
    references = build_references(json.loads(demo.TASKS.read_bytes()), RecordedFhir(demo.RECORDING))
    (baseline,) = BASELINES
    card = BENCHMARK.score(baseline.records(list(references)), references)
    solved = {references[task_id].task_type for task_id, verdict in card.verdicts.items() if verdict.correct}
    assert baseline.system == DO_NOTHING
    assert card.metrics["coverage"] == 1
    assert 0 < card.overall.right < card.overall.total
    assert solved == {TaskType.TASK5, TaskType.TASK9, TaskType.TASK10}
    # By hand: of task5 those without a magnesium level, or with one above 1.9; of task9 those of 3.5 or
    # more, or none; of task10 those with a recent enough value.
    due = {
        TaskType.TASK5: lambda ref: ref.value is not None and ref.value <= 1.9,
        TaskType.TASK9: lambda ref: ref.value is not None and ref.value < 3.5,
        TaskType.TASK10: lambda ref: ref.order_due,
    }
    expected = sum(ref.task_type in due and not due[ref.task_type](ref) for ref in references.values())
    assert card.overall.right == expected
