"""The published rows."""

import json
from datetime import date

import pytest

from tests.support.shared_data import PAPER_RESULTS, needs_shared
from wardboard.scoring.medagentbench.reported_rows import reported_rows as all_rows
from wardboard.scoring.reported import Confidence, Grader, SawTest
from wardboard.scoring.verdicts import Rate


def reported_rows(version):
    """Return the rows of the benchmark's own paper."""
    return tuple(row for row in all_rows(version) if row.harness_name == "baseline agent, at most 8 rounds")


def test_the_twelve_published_rows_are_there_best_first():
    rows = reported_rows("v2")
    assert len(rows) == 12
    assert (rows[0].model, rows[0].overall) == ("Claude 3.5 Sonnet v2", Rate(right=209, total=300))
    assert [row.overall.right for row in rows] == sorted((row.overall.right for row in rows), reverse=True)


def test_the_right_queries_and_actions_make_up_the_whole():
    assert reported_rows("v2")
    for row in reported_rows("v2"):
        parts = row.metrics["query_success_rate"] * 150 + row.metrics["action_success_rate"] * 150
        assert round(parts) == row.overall.right


def test_a_row_says_where_it_comes_from():
    assert reported_rows("v2")
    for row in reported_rows("v2"):
        assert row.source in {"project page", "third-party notes on the paper"}
        assert row.source_url.startswith("https://")
        assert row.published_on == date(2025, 1, 24)
        assert row.metrics["success_rate"] == row.overall.rate
        assert row.metrics["coverage"] is None


def test_the_paper_ran_every_model_with_its_own_harness():
    assert {row.harness for row in reported_rows("v2")} == {"official"}


def test_open_weights_are_stated():
    rows = {row.model: row for row in reported_rows("v2")}
    assert (rows["DeepSeek-V3"].open_weights, rows["GPT-4o"].open_weights) == (True, False)


@pytest.mark.parametrize("version", ["demo", ""])
def test_another_version_has_no_published_rows(version):
    assert all_rows(version) == ()


def ranked(version):
    return [row for row in all_rows(version) if not row.not_ranked]


@pytest.mark.parametrize(("version", "tasks", "count"), [("v2", 300, 40), ("v1", 100, 9)])
def test_ranked_rows_are_over_all_tasks_by_the_official_grader_and_not_of_low_confidence(
    version, tasks, count
):
    rows = ranked(version)
    assert len(rows) == count
    assert {(row.overall.total, row.grader) for row in rows} == {(tasks, Grader.OFFICIAL)}
    assert all(row.published_on for row in rows)
    assert Confidence.LOW not in {row.confidence for row in all_rows(version)}
    # The four figures from notes on the paper have been listed since the first release.
    medium = [row for row in rows if row.confidence == Confidence.MEDIUM]
    assert {row.source for row in medium} <= {"third-party notes on the paper"}


def test_no_ranked_row_is_of_a_system_that_saw_the_test_or_may_have():
    assert not {SawTest.YES, SawTest.POSSIBLY} & {row.saw_test for row in (*ranked("v2"), *ranked("v1"))}
    developed = {row.system: row.not_ranked for row in all_rows("v2")}
    assert developed["GPT-4.1, PSB 2026 agent"] == "Its agent was developed on these 300 tasks."
    assert any("memory was written from the grader" in row.not_ranked for row in all_rows("v2"))


@pytest.mark.parametrize("version", ["v2", "v1"])
def test_every_row_links_its_source_and_has_a_name_of_its_own(version):
    rows = all_rows(version)
    assert all(row.source_url.startswith("https://") for row in rows)
    assert len({(row.source, row.system.lower()) for row in rows}) == len(rows)


def test_one_model_ranges_over_more_than_30_points_between_harnesses():
    rates = [row.overall.rate for row in all_rows("v2") if row.system.startswith("GPT-4.1,")]
    assert {175 / 300, 232 / 300, 273 / 300} < set(rates)


def test_a_task_that_was_not_run_counts_as_wrong():
    [gemini] = [row for row in ranked("v2") if row.system == "Gemini 3 Flash, Sara script"]
    assert gemini.overall == Rate(right=269, total=300)
    assert "of 299 tasks" in gemini.note


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
