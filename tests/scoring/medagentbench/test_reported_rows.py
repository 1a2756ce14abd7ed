"""The published rows."""

import json
from datetime import date

import pytest

from scoring.medagentbench.reported_rows import rebuild_rate, reported_rows
from scoring.verdicts import Rate
from tests.support.shared_data import PAPER_RESULTS, needs_shared


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


def test_open_weights_and_size_are_stated():
    rows = {row.model: row for row in reported_rows("v2")}
    assert (rows["DeepSeek-V3"].open_weights, rows["DeepSeek-V3"].size) == (True, "685B")
    assert (rows["GPT-4o"].open_weights, rows["GPT-4o"].size) == (False, "")


@pytest.mark.parametrize("version", ["v1", "demo", ""])
def test_another_version_has_no_published_rows(version):
    assert reported_rows(version) == ()


def test_a_reported_rate_ties_with_the_same_count_rescored():
    assert rebuild_rate(69.67, 300).rate == Rate(right=209, total=300).rate


@pytest.mark.parametrize("percent", [69.66, 69.5, -0.33, 100.33])
def test_a_printed_rate_that_no_count_gives_is_refused(percent):
    with pytest.raises(ValueError, match="no count of 300 tasks"):
        rebuild_rate(percent, 300)


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
