"""Results as an organiser states them."""

import csv
import io

from leaderboard.models import ReportedResult
from leaderboard.services.publishing.reported.fields import fields_of
from leaderboard.services.publishing.reported.read import read_result
from leaderboard.services.publishing.reported.results import put_results

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


def as_csv(*rows):
    """Return rows of texts as a CSV file with the columns of the first."""
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0], extrasaction="raise")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def state(board, user, result=None, *, board_tasks=50, **texts):
    """Add or correct a result on a board of so many tasks, and return it."""
    known = {field.key for field in fields_of(board)}
    stated_texts = {key: text for key, text in {**TEXTS, **texts}.items() if key in known}
    stated = read_result(stated_texts, board=board, tasks=board_tasks, result=result)
    put_results(board=board, results=[stated], by=user)
    return ReportedResult.objects.get(board=board, name=stated.row.system, source=stated.row.source)
