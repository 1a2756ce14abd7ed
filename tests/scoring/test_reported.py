"""Rates as they were published, and the published rows of each benchmark."""

import json
from decimal import Decimal

import pytest

from tests.support.shared_data import PAPER_RESULTS, needs_shared
from wardboard.scoring.fhir_agentbench import reported_rows as of_questions
from wardboard.scoring.medagentbench.reported_rows import reported_rows
from wardboard.scoring.reported import Confidence, Grader, SawTest, rate_of, read_groups
from wardboard.scoring.verdicts import Rate, Share

BEST = "Multi-turn LLM + Retriever + Code, o4-mini"


def test_a_rate_is_of_its_count_or_as_printed_and_a_count_has_to_fit():
    assert rate_of(percent=Decimal("69.67"), correct=209, tasks=300) == Rate(right=209, total=300)
    assert rate_of(percent=Decimal("50.04"), correct=None, tasks=2931) == Share(rate=0.5004, total=2931)
    for percent in ("70", "69.7"):
        assert rate_of(percent=Decimal(percent), correct=209, tasks=300).right == 209
    for percent in ("69.66", "69.5", "100"):
        with pytest.raises(ValueError, match="is not printed as"):
            rate_of(percent=Decimal(percent), correct=209, tasks=300)
    for correct, tasks in ((301, 300), (-1, 300), (0, 0)):
        with pytest.raises(ValueError, match="is no count"):
            rate_of(percent=None, correct=correct, tasks=tasks)


def test_a_row_has_what_its_group_states_unless_it_states_something_else():
    group = {
        "source": "S",
        "source_url": "https://example.org/",
        "tasks": 10,
        "note": "of all",
        "rows": [
            {"system": "a", "correct": 5, "metrics": {"m": [1, 4]}},
            {"system": "b", "score": Decimal("12.5"), "note": "of this", "not_ranked": "why"},
        ],
    }
    first, second = read_groups([group], ranked="rate", metrics=("rate", "m"))
    assert (first.overall, first.metrics, first.note) == (
        Rate(right=5, total=10),
        {"rate": 0.5, "m": 0.25},
        "of all",
    )
    assert (second.metrics, second.note, second.not_ranked) == ({"rate": 0.125, "m": None}, "of this", "why")


@pytest.mark.parametrize(("version", "tasks", "count"), [("v2", 300, 40), ("v1", 100, 9)])
def test_ranked_rows_are_over_all_tasks_by_the_official_grader_and_not_of_low_confidence(
    version, tasks, count
):
    rows = [row for row in reported_rows(version) if not row.not_ranked]
    assert len(rows) == count
    assert {(row.overall.total, row.grader) for row in rows} == {(tasks, Grader.OFFICIAL)}
    assert all(row.published_on for row in rows)
    assert Confidence.LOW not in {row.confidence for row in reported_rows(version)}
    assert not {SawTest.YES, SawTest.POSSIBLY} & {row.saw_test for row in rows}
    # The four figures from notes on the paper have been listed since the first release.
    medium = [row for row in rows if row.confidence == Confidence.MEDIUM]
    assert {row.source for row in medium} <= {"third-party notes on the paper"}


@needs_shared
def test_every_row_of_tasks_prints_as_published():
    # Those of the benchmark's own paper.
    rows = [row for row in reported_rows("v2") if row.harness_name == "baseline agent, at most 8 rounds"]
    published = json.loads(PAPER_RESULTS.read_text(encoding="utf-8"))["medagentbench"]["rows"]
    printed = [
        tuple(
            f"{100 * row.metrics[key]:.2f}"
            for key in ("success_rate", "query_success_rate", "action_success_rate")
        )
        for row in rows
    ]
    assert printed == [
        tuple(f"{row[key]:.2f}" for key in ("overall_sr", "query_sr", "action_sr")) for row in published
    ]
    assert [row.model for row in rows] == [row["model"] for row in published]


def by_system():
    """Return the rows that the paper of FHIR-AgentBench printed."""
    rows = of_questions.reported_rows("1")
    return {row.system: row for row in rows if not (row.is_baseline or row.not_ranked)}


def test_a_rate_is_as_printed_and_has_no_count():
    rows = by_system()
    assert rows[BEST].overall == Share(rate=0.5004, total=2931)
    assert rows[BEST].overall.right is None
    assert rows[BEST].breakdowns["resource_type"]["empty"] == Share(rate=0.7368, total=701)
    assert all(row.overall.total == 2931 for row in rows.values())
    assert all(row.metrics["answer_correctness"] == row.overall.rate for row in rows.values())
    for row in rows.values():
        for of in (row.metrics, *row.group_metrics.get("resource_type", {}).values()):
            assert (of["f1"] is None) == (None in (of["precision"], of["recall"]))


@needs_shared
def test_every_row_of_questions_prints_as_published_in_table_a2():
    published = json.loads(PAPER_RESULTS.read_text(encoding="utf-8"))["fhir_agentbench"]
    rows = by_system()
    printed = {
        name: tuple(f"{row.metrics[key]:.2f}" for key in ("precision", "recall", "answer_correctness"))
        for name, row in rows.items()
    }
    expected = {
        f"{row['approach'].replace('Multi-turn + ', 'Multi-turn LLM + ')}, {row['model']}": tuple(
            f"{row[key]:.2f}" for key in ("precision", "recall", "answer_correctness")
        )
        for row in published["table_A2"]["rows"]
    }
    assert printed == expected
    assert list(rows) == list(expected)
