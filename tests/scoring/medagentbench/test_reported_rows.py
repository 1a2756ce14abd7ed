"""The published rows."""

import json

import pytest

from tests.support.shared_data import PAPER_RESULTS, needs_shared
from wardboard.scoring.medagentbench.reported_rows import reported_rows as all_rows
from wardboard.scoring.reported import Confidence, Grader, SawTest


def reported_rows(version):
    """Return the rows of the benchmark's own paper."""
    return tuple(row for row in all_rows(version) if row.harness_name == "baseline agent, at most 8 rounds")


@pytest.mark.parametrize(("version", "tasks", "count"), [("v2", 300, 40), ("v1", 100, 9)])
def test_ranked_rows_are_over_all_tasks_by_the_official_grader_and_not_of_low_confidence(
    version, tasks, count
):
    rows = [row for row in all_rows(version) if not row.not_ranked]
    assert len(rows) == count
    assert {(row.overall.total, row.grader) for row in rows} == {(tasks, Grader.OFFICIAL)}
    assert all(row.published_on for row in rows)
    assert Confidence.LOW not in {row.confidence for row in all_rows(version)}
    assert not {SawTest.YES, SawTest.POSSIBLY} & {row.saw_test for row in rows}
    # The four figures from notes on the paper have been listed since the first release.
    medium = [row for row in rows if row.confidence == Confidence.MEDIUM]
    assert {row.source for row in medium} <= {"third-party notes on the paper"}


@needs_shared
def test_every_row_prints_as_published():
    published = json.loads(PAPER_RESULTS.read_text(encoding="utf-8"))["medagentbench"]["rows"]
    printed = [
        tuple(
            f"{100 * row.metrics[key]:.2f}"
            for key in ("success_rate", "query_success_rate", "action_success_rate")
        )
        for row in reported_rows("v2")
    ]
    assert printed == [
        tuple(f"{row[key]:.2f}" for key in ("overall_sr", "query_sr", "action_sr")) for row in published
    ]
    assert [row.model for row in reported_rows("v2")] == [row["model"] for row in published]
