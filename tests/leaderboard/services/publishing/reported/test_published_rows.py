"""The collected published results, as an organiser would load them on two boards."""

import csv
import re

import pytest

from leaderboard.models import Board, Standing
from leaderboard.services.publishing.reported.results import changes_of, digest_of, put_table
from leaderboard.services.publishing.reported.table import TableInvalid, read_table
from tests.support.reported import as_csv
from tests.support.shared_data import PUBLISHED_ROWS, needs_shared

COMPARABLE = ("MedAgentBench, the 300 tasks (test_data_v2)", "300", "official", "high")
# No agents, and systems that saw the tasks or may have. Source: README.md of the collection.
OTHERS = re.compile("do-nothing|no tools|copilot|evolved|hand-written|Prism harness|Sara 1.5|fine-tun")
GRADERS = {"official grader (": "official", "own (": "ported", "not seen": "unknown"}
METRICS = {
    "medagentbench": {"query_success_rate": "query_percent", "action_success_rate": "action_percent"},
    "fhir-agentbench": {"precision": "precision", "recall": "recall"},
}


def stated(row: dict[str, str], benchmark: str) -> dict[str, str]:
    """Return a collected result as a row of the organiser's table."""
    address = re.search(r"https://\S+|arXiv:[\d.]+", row["source_url_or_id"])
    grader = next((key for start, key in GRADERS.items() if row["scored_by"].startswith(start)), "other")
    facts = (row["benchmark_and_task_set"], row["n_tasks"], grader, row["confidence"])
    day = row["date"] if row["date"].count("-") == 2 else ""
    is_ranked = facts == COMPARABLE and day and not OTHERS.search(row["system"])
    return {
        "system": f"{row['system']}, {row['models']}, {row['value_percent']}",
        "score": row["value_percent"] + "%",
        "tasks": re.sub(r"\D.*", "", row["n_tasks"]),
        "runs": re.sub(r"\D.*", "", row["n_runs"]),
        "published_on": day,
        "source": row["source_title"],
        "source_url": address[0].replace("arXiv:", "https://arxiv.org/abs/") if address else "",
        "harness": "official" if row["harness"].startswith("official") else "own-tools",
        "harness_name": row["harness"].removeprefix("own: ")[:80],
        "grader": grader,
        "saw_test": {"yes": "yes", "no": "no"}.get(row["trained_on_benchmark"], "unknown"),
        "not_ranked": "" if is_ranked else "It is not comparable, or its day is not known.",
        **{key: row[key] for key in ("organisation", "scored_by", "confidence", "note")},
        **{key: row[name] and f"{row[name]}%" for key, name in METRICS[benchmark].items()},
    }


@needs_shared
@pytest.mark.parametrize(
    ("benchmark", "version", "refused", "listed", "ranked"),
    [("medagentbench", "v2", 7, 74, 24), ("fhir-agentbench", "1", 1, 2, 0)],
)
def test_collected_results_are_previewed_and_loaded_in_full_and_each_refused_row_has_its_reason(
    db, user, benchmark, version, refused, listed, ranked
):
    board = Board.objects.create(slug="whole", benchmark=benchmark, version=version, title="T", question="?")
    with (PUBLISHED_ROWS / f"{benchmark.replace('-', '_')}.csv").open(newline="") as file:
        table = [stated(row, benchmark) for row in csv.DictReader(file)]
    with pytest.raises(TableInvalid) as invalid:
        read_table(as_csv(*table), board=board)
    reasons = {error.line: (error.column, error.message) for error in invalid.value.errors}
    # No address of the web is stated for the source.
    assert [*reasons.values()] == [("source_url", "This field is required.")] * refused
    taken = [row for line, row in enumerate(table, 2) if line not in reasons]
    rows = read_table(as_csv(*taken), board=board)
    previewed = changes_of(board=board, rows=rows)
    changed = put_table(board=board, rows=rows, previewed=digest_of(previewed), by=user)
    assert changed == len(previewed) == listed
    assert Standing.objects.filter(board=board).count() == ranked
