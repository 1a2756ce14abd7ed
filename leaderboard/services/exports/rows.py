"""Rows of a board as flat dictionaries, and the metadata of a table: the same in every export."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import cache, partial
from operator import attrgetter
from typing import Any

from leaderboard.models import Evaluation
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
# The facts that follow the names of the system and its models, each under the name of its column.
_FACTS = tuple(fact.key for fact in IN_ROWS if fact.key not in ("system", "models"))
_RELEASE = tuple(fact.key for fact in RELEASE)


def export_rows(*, board_at: BoardAt, rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Yield each of `rows` as a dictionary, with the keys of `fields_of`."""
    fields = fields_of(board_at)
    return ({key: value_of(row) for key, value_of in fields.items()} for row in rows)


def fields_of(board_at: BoardAt) -> dict[str, Callable[[Row], Any]]:
    """Return the keys of an exported row, in order, each with the function that reads its value."""
    board, event = board_at.board, board_at.provenance.event
    score, *metrics = [metric.key for metric in visibility.visible_metrics(board)]
    # Not asked for where the keys alone are wanted.
    revisions = cache(lambda: revisions_of(board))

    def evaluation_of(row: Row) -> Evaluation | None:
        return row.standing.evaluation if row.standing.evaluation_id else None

    def references_of(row: Row) -> int | None:
        evaluation = evaluation_of(row)
        return revisions()[evaluation.revision_id][0] if evaluation else None

    def each(keys: Iterable[str], read: Callable[[str, Row], Any]) -> dict[str, Callable[[Row], Any]]:
        return {key: partial(read, key) for key in keys}

    def of_standing(*names: str) -> dict[str, Callable[[Row], Any]]:
        return each(names, lambda name, row: getattr(row.standing, name))

    return {
        "rank": attrgetter("rank"),
        "rank_to": attrgetter("rank_to"),
        "rank_low": attrgetter("place.low"),
        "rank_high": attrgetter("place.high"),
        "tied_for_first": attrgetter("place.is_tied_for_first"),
        "p_next": lambda row: round_p(row.p_next),
        "not_tested": lambda row: row.place.why_not.value if row.place.why_not else None,
        "unmet_rules": lambda row: [rule.value for rule in row.unmet_rules],
        **of_standing("kind", "system_id"),
        "system": attrgetter("standing.name"),
        "models": attrgetter("standing.model_names"),
        "canonical_models": lambda row: [*row.models],
        "team": lambda row: remove_hidden_characters(row.standing.team_name),
        **each(_FACTS, lambda key, row: as_json(getattr(row.standing, key))),
        **each(_RELEASE, lambda key, row: getattr(row.standing, key) or ""),
        **of_standing("organisation_confirmed", "provenance"),
        "repository": lambda row: row.standing.repository or "",
        "trace": lambda row: row.standing.trace or None,
        **of_standing("judge"),
        "judge_name": lambda row: english_judge_name(row.standing.judge),
        "runs": attrgetter("runs"),
        **of_standing("right", "total"),
        score: lambda row: visibility.visible_score(row.standing.score, row.standing.kind),
        "low": lambda row: visibility.round_figure(row.standing.low),
        "high": lambda row: visibility.round_figure(row.standing.high),
        **each(metrics, lambda key, row: row.metrics.get(key)),
        "date": lambda row: row.standing.since.date().isoformat(),
        **of_standing(*_CHOICE, "source", "source_url"),
        "references": references_of,
        "scorer_version": lambda row: (
            evaluation.scorer_version if (evaluation := evaluation_of(row)) else None
        ),
        **each(_REMOVAL, lambda key, row: removal_fields(row.removal)[key]),
        "event": lambda row: event,
    }


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
        "stated_by_submitters": [*_FACTS, *_RELEASE],
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
