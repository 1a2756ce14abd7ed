"""Boards and their views as CSV: figures as they are, in full, for a spreadsheet or a script."""

import csv
import io
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from leaderboard.models import Benchmark
from leaderboard.services import feedback
from leaderboard.services.board import Row

# What begins a formula, and what a spreadsheet may part cells at.
_SIGNS, _BREAKS = frozenset("=+-@"), frozenset("\t\r\n")
_FACTS = ("organisation", "interaction", "retrieval", "reasoning", "open_weights")


def inert(value: Any) -> Any:
    """A spreadsheet would run a cell that begins like a formula; a figure is what it is.

    Some pass over spaces before it, and take the full-width signs of East Asian texts for the plain ones.
    """
    if not isinstance(value, str):
        return value
    first = unicodedata.normalize("NFKC", value.lstrip()[:1])[:1]
    return f"'{value}" if first in _SIGNS or value[:1] in _BREAKS else value


def as_csv(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of a CSV file with the keys of the first record as its head; nothing of none."""
    writer = None
    buffer = io.StringIO()
    for record in records:
        if writer is None:
            writer = csv.DictWriter(buffer, fieldnames=list(record))
            writer.writeheader()
        writer.writerow({key: inert(value) for key, value in record.items()})
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def board_csv(*, benchmark: Benchmark, rows: Iterable[Row]) -> Iterator[str]:
    """Yield the lines of the board's table: one a row, with all figures that may be seen of it."""
    score, *metrics = feedback.visible_metrics(benchmark)
    return as_csv(_record(row, score.key, [metric.key for metric in metrics]) for row in rows)


def _record(row: Row, score: str, metrics: list[str]) -> dict[str, Any]:
    standing, system = row.standing, row.system
    return {
        "rank": row.rank,
        "kind": standing.kind,
        "system": system.name,
        "models": ", ".join(system.model_names),
        "team": system.team.name if system.team else "",
        **{name: getattr(system, name) for name in _FACTS},
        "judge": standing.judge,
        "right": standing.right,
        "total": standing.total,
        score: standing.score,
        "low": standing.low,
        "high": standing.high,
        **{key: row.metrics.get(key) for key in metrics},
        "date": standing.since.date().isoformat(),
        "source": system.source,
    }
