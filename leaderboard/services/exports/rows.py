"""Rows of a board as flat dictionaries, and the metadata of a table: the same in every export."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

from leaderboard.models import Board
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.provenance import describe_method, public_digest, revisions_of
from leaderboard.services.boards.query import Query
from leaderboard.services.boards.read_rows import describe_ranks
from leaderboard.services.boards.row import Row
from leaderboard.services.judging.names import english_judge_name
from leaderboard.services.judging.references import visible_digest
from leaderboard.services.record.past import Removal
from leaderboard.services.statistics.p_values import round_p
from leaderboard.services.statistics.rank_statistics import RankStatistics
from leaderboard.services.text import remove_hidden_characters
from wardboard.scoring.facts import IN_ROWS, RELEASE, as_json

_REMOVAL = ("gone", "gone_at", "gone_reason")
_CHOICE = ("chosen_before_score", "designation", "files_of_system", "files_of_team")
# The facts that follow the names of the system and its models.
_FACTS = tuple(fact for fact in IN_ROWS if fact.key not in ("system", "models"))


def export_rows(*, board_at: BoardAt, rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Yield each of `rows` as a dictionary with the keys of `field_names`."""
    make = _row_maker(board_at)
    return (make(row) for row in rows)


def field_names(board: Board) -> list[str]:
    """Return the keys of an exported row, in order."""
    score, *metrics = [metric.key for metric in visibility.visible_metrics(board)]
    ranking = ["rank", "rank_to", "rank_low", "rank_high", "tied_for_first", "p_next", "not_tested"]
    ranking += ["unmet_rules", "kind"]
    names = ["system_id", "system", "models", "canonical_models", "team"]
    facts = [fact.key for fact in (*_FACTS, *RELEASE)]
    origin = ["organisation_confirmed", "provenance", "repository", "trace"]
    identity = [*names, *facts, *origin, "judge", "judge_name"]
    figures = ["runs", "right", "total", score, "low", "high", *metrics]
    return [
        *ranking,
        *identity,
        *figures,
        "date",
        *_CHOICE,
        "source",
        "source_url",
        "references",
        "scorer_version",
        *_REMOVAL,
        "event",
    ]


def _row_maker(board_at: BoardAt) -> Callable[[Row], dict[str, Any]]:
    board, event = board_at.board, board_at.provenance.event
    score, *metrics = [metric.key for metric in visibility.visible_metrics(board)]
    revisions = revisions_of(board)

    def as_dict(row: Row) -> dict[str, Any]:
        standing = row.standing
        evaluation = standing.evaluation if standing.evaluation_id else None
        return {
            "rank": row.rank,
            "rank_to": row.rank_to,
            "rank_low": row.place.low,
            "rank_high": row.place.high,
            "tied_for_first": row.place.is_tied_for_first,
            "p_next": round_p(row.p_next),
            "not_tested": row.place.why_not.value if row.place.why_not else None,
            "unmet_rules": [rule.value for rule in row.unmet_rules],
            "kind": standing.kind,
            "system_id": standing.system_id,
            "system": standing.name,
            "models": standing.model_names,
            "canonical_models": [*row.models],
            "team": remove_hidden_characters(standing.team_name),
            **{fact.key: as_json(getattr(standing, fact.field)) for fact in _FACTS},
            **{fact.key: getattr(standing, fact.field) or "" for fact in RELEASE},
            "organisation_confirmed": standing.organisation_confirmed,
            "provenance": standing.provenance,
            "repository": standing.repository or "",
            "trace": standing.trace or None,
            "judge": standing.judge,
            "judge_name": english_judge_name(standing.judge),
            "runs": row.runs,
            "right": standing.right,
            "total": standing.total,
            score: visibility.visible_score(standing.score, standing.kind),
            "low": visibility.round_figure(standing.low),
            "high": visibility.round_figure(standing.high),
            **{key: row.metrics.get(key) for key in metrics},
            "date": standing.since.date().isoformat(),
            **{name: getattr(standing, name) for name in _CHOICE},
            "source": standing.source,
            "source_url": standing.source_url,
            "references": revisions[evaluation.revision_id][0] if evaluation else None,
            "scorer_version": evaluation.scorer_version if evaluation else None,
            **removal_fields(row.removal),
            "event": event,
        }

    return as_dict


def removal_fields(removal: Removal | None) -> dict[str, str | None]:
    """Return the fields on the removal of a row, all None if there was none."""
    if removal is None:
        return dict.fromkeys(_REMOVAL)
    return dict(zip(_REMOVAL, (removal.action.value, format_time(removal.at), removal.reason), strict=True))


def metadata_of(*, query: Query, address: str) -> dict[str, Any]:
    """Return the metadata of a table of the board. address: a permanent link to the same table."""
    board_at = query.board_at
    board, provenance = board_at.board, board_at.provenance
    revision = provenance.revision
    return {
        "benchmark": board.slug,
        "title": board.title,
        "question": board.question,
        "version": board.version,
        "url": address,
        "event": provenance.event,
        "as_of": format_time(board_at.as_of.at if board_at.as_of else provenance.at),
        "is_past": board_at.is_past,
        "references": revision
        and {
            "revision": revision.number,
            "commitment": revision.commitment,
            "digest": visible_digest(board, revision),
        },
        "scorer_version": provenance.scorer_version,
        "feedback": board.feedback,
        "mixes_judges": board_at.mixes_judges,
        "ranks": describe_ranks(board_at),
        "metrics": [
            {"key": metric.key, "label": metric.label, "unit": metric.unit.value}
            for metric in visibility.visible_metrics(board)
        ],
        "stated_by_submitters": [fact.key for fact in (*_FACTS, *RELEASE)],
        # Where `repository` is not empty, an issuer signed these; the submitter did not state them.
        "signed_by_ci": ["repository", "commit", "run_url"],
        "filters": query.filters,
        "sort": ("-" if query.descending else "") + query.sort,
        "statistics": statistics_metadata(board_at),
    }


def statistics_metadata(board_at: BoardAt) -> dict[str, Any]:
    """Return the method of the rank intervals, and what it used for the rows of each judge."""
    statistics = board_at.statistics.values()
    return {
        "method": describe_method(statistics),
        "by_judge": [_statistics_of(each) for each in statistics],
    }


def _statistics_of(statistics: RankStatistics) -> dict[str, Any]:
    stored = statistics.stored
    return {
        "judge": statistics.judge,
        "method_version": statistics.method,
        "is_clustered": stored.is_clustered,
        "has_open": stored.has_open,
        "tasks": stored.tasks,
        "systems": statistics.count,
        "left_out": stored.left_out,
        "computed_at": format_time(statistics.computed_at),
        "digest": public_digest(statistics),
    }


def format_time(at: datetime | None) -> str | None:
    """Format a UTC time as in RFC 3339; None for None."""
    return at.isoformat().replace("+00:00", "Z") if at else None
