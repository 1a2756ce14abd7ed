"""Scoring a whole submission: the denominator, the metrics, the groups, and the do-nothing agent."""

from functools import partial

from hypothesis import strategies as st

from tests.support.examples import given
from tests.support.factories import demo_references
from tests.support.quirks.orders import BLOOD_PRESSURE, MRN, posted
from wardboard.scoring.medagentbench import Reason, Reference
from wardboard.scoring.medagentbench.benchmark import score
from wardboard.scoring.medagentbench.grading.baselines import BASELINES
from wardboard.scoring.medagentbench.reading.records import TaskResult
from wardboard.scoring.registry import get
from wardboard.scoring.verdicts import Rate

Record = partial(TaskResult, post_history=[])

# One task of each type. [-1] is right for every type except task3 and task8, which need a POST.
REFERENCES = {
    f"task{n}_1": Reference(task_id=f"task{n}_1", mrn=MRN, value=None, order_due=False) for n in range(3, 11)
} | {
    "task1_1": Reference(task_id="task1_1", value=[-1]),
    "task2_1": Reference(task_id="task2_1", value=-1),
}


def records(answer="[-1]", tasks=REFERENCES):
    return [Record(task_id=task_id, answer=answer) for task_id in tasks]


def test_a_null_answer_is_wrong_even_where_the_grader_does_not_read_it():
    history = posted(BLOOD_PRESSURE)
    given_up = Record(task_id="task3_1", answer=None, post_history=history)
    finished = Record(task_id="task3_1", answer="", post_history=history)
    assert score([given_up], REFERENCES).verdicts["task3_1"].reason == Reason.NO_ANSWER
    assert score([finished], REFERENCES).verdicts["task3_1"].reason == Reason.CORRECT


def test_each_type_is_in_its_kind_and_difficulty():
    card = score(records(), REFERENCES)
    # Of the ten, task3 and task8 want a POST and are wrong.
    assert card.metrics == {
        "success_rate": 0.8,
        "query_success_rate": 1.0,
        "action_success_rate": 0.6,
        "coverage": 1.0,
    }
    assert card.breakdowns["kind"] == {"query": Rate(right=5, total=5), "action": Rate(right=3, total=5)}
    assert card.breakdowns["difficulty"] == {
        "easy": Rate(right=4, total=4),
        "medium": Rate(right=1, total=3),
        "hard": Rate(right=3, total=3),
    }
    assert [group for group, rate in card.breakdowns["task_type"].items() if not rate.right] == [
        "task3",
        "task8",
    ]


@given(
    st.lists(
        st.builds(
            Record,
            task_id=st.sampled_from([*REFERENCES, "task1_99"]),
            answer=st.none() | st.text() | st.just("[-1]"),
        ),
        unique_by=lambda record: record.task_id,
    )
)
def test_the_denominator_is_the_task_list_whatever_is_submitted(submitted):
    card = score(submitted, REFERENCES)
    assert list(card.verdicts) == list(REFERENCES)
    missing = {task for task, verdict in card.verdicts.items() if verdict.reason == Reason.MISSING}
    assert missing == REFERENCES.keys() - {record.task_id for record in submitted}
    assert card.overall.total == len(REFERENCES)
    assert card.overall.right == sum(verdict.correct for verdict in card.verdicts.values())
    for groups in card.breakdowns.values():
        assert sum(rate.total for rate in groups.values()) == len(REFERENCES)
        assert sum(rate.right for rate in groups.values()) == card.overall.right
    answered = {r.task_id for r in submitted if r.fingerprint is not None} & REFERENCES.keys()
    assert card.metrics["coverage"] == len(answered) / len(REFERENCES)


def test_the_benchmark_names_every_metric_and_group_that_a_scorecard_has():
    benchmark = get("medagentbench")
    card = benchmark.score(records(), REFERENCES)
    assert [metric.key for metric in benchmark.metrics] == list(card.metrics)
    named = {breakdown.key: list(breakdown.groups) for breakdown in benchmark.breakdowns}
    assert named == {key: list(groups) for key, groups in card.breakdowns.items()}
    assert [metric.key for metric in benchmark.metrics if metric.public] == ["success_rate", "coverage"]


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
