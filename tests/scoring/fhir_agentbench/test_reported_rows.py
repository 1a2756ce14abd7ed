"""The published rows."""

import json
from datetime import date

import pytest

from tests.support.shared_data import PAPER_RESULTS, needs_shared
from wardboard.scoring.fhir_agentbench.grading.breakdowns import BREAKDOWNS, PUBLISHED_SIZES
from wardboard.scoring.fhir_agentbench.reported_rows import reported_rows as all_rows
from wardboard.scoring.verdicts import Rate, Share

BEST = "Multi-turn LLM + Retriever + Code, o4-mini"
# Its label for questions without gold resources is not ours.
LABELS_OF_TABLE_A3 = {**BREAKDOWNS[0].groups, "empty": "Empty"}


def reported_rows(version):
    """Return the rows that the paper printed."""
    return tuple(row for row in all_rows(version) if not (row.is_baseline or row.not_ranked))


def by_system():
    return {row.system: row for row in reported_rows("1")}


def test_there_are_twenty_rows_four_models_in_five_approaches():
    rows = reported_rows("1")
    assert len(by_system()) == len(rows) == 20
    traits = {(row.interaction, row.retrieval, row.reasoning) for row in rows}
    assert len(traits) == 5
    assert {row.model for row in rows} == {"o4-mini", "Gemini-2.5-flash", "Qwen3", "LLaMA-3.3"}


def test_a_rate_is_as_printed_and_has_no_count():
    rows = by_system()
    assert rows[BEST].overall == Share(rate=0.5004, total=2931)
    assert rows[BEST].overall.right is None
    assert rows[BEST].breakdowns["resource_type"]["empty"] == Share(rate=0.7368, total=701)
    assert all(row.overall.total == 2931 for row in rows.values())
    assert all(row.metrics["answer_correctness"] == row.overall.rate for row in rows.values())


def test_the_interval_of_a_printed_rate_comes_from_the_rate_and_the_number_of_questions():
    low, high = by_system()[BEST].overall.interval
    assert low < 0.5004 < high
    count = Rate(right=1467, total=2931).interval  # the nearest count there is
    assert (low, high) == pytest.approx(count, abs=0.0002)
    assert Share(rate=0.5, total=0).interval is None


def test_the_shares_of_the_groups_make_up_the_whole_but_for_one_row():
    rows = [row for row in reported_rows("1") if row.breakdowns and row.system != BEST]
    assert rows
    for row in rows:
        right = sum(rate.rate * rate.total for rate in row.breakdowns["resource_type"].values())
        assert right / 2931 == pytest.approx(row.overall.rate, abs=0.0001)


def test_a_row_says_where_it_comes_from_and_who_judged():
    assert reported_rows("1")
    for row in reported_rows("1"):
        of = "tables A2 and A3" if row.breakdowns else "table A2"
        assert row.source == f"FHIR-AgentBench paper, {of}"
        assert row.source_url.startswith("https://")
        assert row.published_on == date(2025, 9, 1)
        assert row.judge == "official: o4-mini"
        assert row.metrics["coverage"] is None


def test_unpublished_figures_are_none_and_f1_is_computed():
    row = by_system()["Single-turn LLM + Retriever, o4-mini"]
    assert row.metrics["f1"] == pytest.approx(2 * 0.4102 * 0.5786 / (0.4102 + 0.5786))
    figures = row.group_metrics["resource_type"]
    assert figures["location"] == {"precision": None, "recall": 0.0, "f1": None}
    damaged = by_system()["Single-turn LLM + FHIR Query Generator, o4-mini"]
    assert damaged.group_metrics["resource_type"]["observation"] == dict.fromkeys(
        ("precision", "recall", "f1")
    )


def test_another_version_has_no_published_rows():
    assert reported_rows("demo") == ()


def test_the_groups_have_the_paper_s_order_and_sizes():
    groups = dict(BREAKDOWNS[0].groups)
    assert list(groups)[:8] == list(PUBLISHED_SIZES)
    assert sum(PUBLISHED_SIZES.values()) == 2931
    groups_of_rows = [row.breakdowns["resource_type"] for row in reported_rows("1") if row.breakdowns]
    assert groups_of_rows
    for rates in groups_of_rows:
        assert {key: rate.total for key, rate in rates.items()} == PUBLISHED_SIZES


def published():
    return json.loads(PAPER_RESULTS.read_text(encoding="utf-8"))["fhir_agentbench"]


def system_of(row):
    return f"{row['approach'].replace('Multi-turn + ', 'Multi-turn LLM + ')}, {row['model']}"


@needs_shared
def test_every_row_prints_as_published_in_table_a2():
    rows = by_system()
    printed = {
        name: tuple(f"{row.metrics[key]:.2f}" for key in ("precision", "recall", "answer_correctness"))
        for name, row in rows.items()
    }
    expected = {
        system_of(row): tuple(f"{row[key]:.2f}" for key in ("precision", "recall", "answer_correctness"))
        for row in published()["table_A2"]["rows"]
    }
    assert printed == expected
    assert list(rows) == list(expected)


@needs_shared
def test_every_cell_of_table_a3_is_there_as_it_was_printed():
    rows, labels = by_system(), LABELS_OF_TABLE_A3
    assert published()["table_A3"]["rows"]
    for cell in published()["table_A3"]["rows"]:
        row = rows[system_of(cell)]
        if cell["resource_type"] == "Overall":
            rate, figures = row.overall, row.metrics
        else:
            key = next(key for key, label in labels.items() if label == cell["resource_type"])
            rate, figures = row.breakdowns["resource_type"][key], row.group_metrics["resource_type"][key]
        assert (figures["precision"], figures["recall"]) == (cell["precision"], cell["recall"])
        assert rate.rate == cell["answer_correctness"]


@needs_shared
def test_the_sizes_of_the_groups_are_those_computed_from_the_paper():
    sizes = {LABELS_OF_TABLE_A3[key]: size for key, size in PUBLISHED_SIZES.items()}
    assert sizes == published()["derived_group_sizes"]["sizes"]


def test_the_null_agent_is_listed_with_the_published_rows_as_a_baseline():
    (row,) = [row for row in all_rows("1") if row.is_baseline]
    assert {
        key: round(row.metrics[key], 3) for key in ("answer_correctness", "precision", "recall", "f1")
    } == {
        "answer_correctness": 0.239,
        "precision": 1.0,
        "recall": 0.239,
        "f1": 0.386,
    }
    assert row.breakdowns["resource_type"]["empty"].rate == 1
    assert row.judge == ""
    assert sum(rate.total for rate in row.breakdowns["resource_type"].values()) == row.overall.total == 2931
