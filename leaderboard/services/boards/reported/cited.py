"""Read what is stated of results that were published elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import msgspec

from leaderboard.models import ReportedResult, System
from leaderboard.services.record.recorded_board import RecordedBoard
from wardboard.scoring.reported import Confidence, Grader, SawTest


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """What is stated of a result beside its row.

    score: in 0..1. runs, published_on: None where not stated
    not_ranked: why it has no rank; "" for a ranked one
    """

    name: str
    score: float
    runs: int | None
    published_on: date | None
    source: str
    source_url: str
    grader: Grader
    scored_by: str
    saw_test: SawTest
    confidence: Confidence
    not_ranked: str
    note: str

    @property
    def link(self) -> str:
        """The address, if it is one of the web: a browser would run a `javascript:` address."""
        return self.source_url if self.source_url.startswith(("https://", "http://")) else ""


def _cited(result: ReportedResult) -> Cited:
    return msgspec.convert({**result.stated, "name": result.name, "source": result.source}, Cited)


def cited_rows(board_at: RecordedBoard) -> Mapping[int, Cited]:
    """Return system -> what is stated of its row, as it is today; empty for a past board."""
    if board_at.is_past:
        return {}
    results = ReportedResult.objects.filter(board=board_at.board, removed_at=None, is_ranked=True)
    return board_at.remember(
        "cited", lambda: {row.system_id: _cited(row) for row in results if row.system_id}
    )


def cited_of_system(system: System) -> Mapping[int, Cited]:
    """Return board -> what is stated of the system's row there."""
    results = ReportedResult.objects.filter(system=system, removed_at=None, is_ranked=True)
    return {result.board_id: _cited(result) for result in results}


def list_unranked(board_at: RecordedBoard) -> Sequence[Cited]:
    """Return the results that are not comparable with the rows of the board, those of a source together."""
    results = ReportedResult.objects.filter(board=board_at.board, removed_at=None, is_ranked=False)

    def read() -> list[Cited]:
        cited = [_cited(result) for result in results]
        best = dict(sorted((each.source, each.score) for each in cited))  # the last one counts
        return sorted(cited, key=lambda each: (-best[each.source], each.source, -each.score))

    return board_at.remember("unranked", read)
