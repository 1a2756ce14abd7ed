"""The do-nothing agent."""

from tests.support.factories import demo_references
from wardboard.scoring.medagentbench.benchmark import score
from wardboard.scoring.medagentbench.grading.baselines import BASELINES


def test_the_do_nothing_agent_is_right_only_where_no_order_is_due():
    references = demo_references()
    (baseline,) = BASELINES
    card = score(baseline.records(list(references)), references)
    # By hand: of task5 those without a magnesium level, or with one above 1.9; of task9 those of 3.5 or
    # more, or none; of task10 those with a recent enough value.
    due = {
        "task5": lambda ref: ref.value is not None and ref.value <= 1.9,
        "task9": lambda ref: ref.value is not None and ref.value < 3.5,
        "task10": lambda ref: ref.order_due,
    }
    right = {task for task, ref in references.items() if ref.task_type in due and not due[ref.task_type](ref)}
    assert {task for task, verdict in card.verdicts.items() if verdict.correct} == right != set()
    assert card.metrics["coverage"] == 1
