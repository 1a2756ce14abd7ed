"""The published rows."""

import json

from tests.support.shared_data import PAPER_RESULTS, needs_shared
from wardboard.scoring.fhir_agentbench.reported_rows import reported_rows as all_rows
from wardboard.scoring.verdicts import Share

BEST = "Multi-turn LLM + Retriever + Code, o4-mini"


def reported_rows(version):
    """Return the rows that the paper printed."""
    return tuple(row for row in all_rows(version) if not (row.is_baseline or row.not_ranked))


def by_system():
    return {row.system: row for row in reported_rows("1")}


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
def test_every_row_prints_as_published_in_table_a2():
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
