"""Results as an organiser's table states them."""

from leaderboard.models import ReportedResult
from leaderboard.services.publishing.reported.results import put_table
from leaderboard.services.publishing.reported.table import cells_of, columns_of, name_of, read_table, tasks_of
from tests.support.scoring.fhir_submissions import table as as_csv

TEXTS = {
    "system": "GPT-9, own script",
    "model": "GPT-9",
    "score": "82",
    "correct": "41",
    "tasks": "50",
    "runs": "1",
    "published_on": "2026-05-04",
    "source": "A paper",
    "source_url": "https://example.org/paper",
    "harness": "own-tools",
    "harness_name": "own script",
    "grader": "official",
    "scored_by": "the authors",
    "saw_test": "no",
    "confidence": "high",
    "note": "One run.",
    "query_success_rate": "88",
}
NOT_RANKED = {
    **TEXTS,
    "system": "GPT-9, other tasks",
    "tasks": "30",
    "correct": "",
    "grader": "other",
    "not_ranked": "30 other tasks.",
}


def table_with(board, **texts):
    """Return the table of the listed results with one more, or with one of them corrected."""
    own = {"tasks": str(tasks_of(board) or 50)}
    own |= {} if own["tasks"] == "50" else {"correct": ""}
    stated = {**TEXTS, **own, **texts}
    columns = columns_of(board)
    rows = {
        name_of(result.source, result.name): cells_of(result)
        for result in ReportedResult.objects.filter(board=board, removed_at=None)
    }
    rows[name_of(stated["source"], stated["system"])] = {name: stated.get(name, "") for name in columns}
    return as_csv(*rows.values())


def state(board, user, **texts):
    """Add or correct a result on a board, and return it."""
    put_table(board=board, rows=read_table(table_with(board, **texts), board=board), by=user)
    stated = {**TEXTS, **texts}
    return ReportedResult.objects.get(board=board, name=stated["system"], source=stated["source"])


def remove(board, user, result, reason="A mistake."):
    """Load the table of a board without one of its results, and at least with one other."""
    others = ReportedResult.objects.filter(board=board, removed_at=None).exclude(pk=result.pk)
    rows = read_table(as_csv(*map(cells_of, others)), board=board)
    put_table(board=board, rows=rows, reason=reason, by=user)
