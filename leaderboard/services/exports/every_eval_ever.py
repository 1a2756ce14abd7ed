"""A board in the schema of Every Eval Ever, so that other collections of results can take it over.

Source: every_eval_ever 0.3.0 (EvalEval, MIT licence), schemas/eval.schema.json. Each system has a record,
with its visible metrics, the interval of the ranked one, and the judge.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from leaderboard.models.systems import RELEASE
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.row import Row
from leaderboard.services.exports.rows import export_rows
from scoring import registry
from scoring.benchmark import Metric, Unit

SCHEMA_VERSION = "0.3.0"
_INTERVAL = (
    "Wilson score interval over the tasks, with the effective number of tasks where they share patients or "
    "templates"
)
_UNITS = {Unit.SHARE: "proportion", Unit.COUNT: "count", Unit.USD: "usd"}
_AVAILABILITY = {True: "open_weights", False: "closed_weights", None: "unknown"}
# Facts that the schema has no field for; all values there are texts.
_DETAILS = (
    *(
        "kind",
        "rank",
        "rank_to",
        "rank_low",
        "rank_high",
        "tied_for_first",
        "runs",
        "judge",
        "judge_name",
        "harness",
    ),
    *("harness_name", "interaction", "retrieval", "reasoning", "references", "source_url"),
    *RELEASE,
    *("provenance", "repository"),
)


def board_records(
    *, board_at: BoardAt, rows: Iterable[Row], address: str, organisation: str
) -> Iterator[dict[str, Any]]:
    """Yield a record for each system with a score, but none for baselines and removed rows.

    address: permanent URL of the table. organisation: who publishes the leaderboard.
    """
    shown = (row for row in rows if not (row.is_baseline or row.removal))
    for row in export_rows(board_at=board_at, rows=shown):
        if (record := _record(board_at, row, address, organisation)) is not None:
            yield record


def _record(
    board_at: BoardAt, row: Mapping[str, Any], address: str, organisation: str
) -> dict[str, Any] | None:
    board = board_at.board
    results = [
        _result(board_at, metric, row, is_ranked=number == 0)
        for number, metric in enumerate(visibility.visible_metrics(board))
        if row[metric.key] is not None
    ]
    if not results:
        return None
    is_rescored = row["kind"] == "rescored"
    changed = board_at.provenance.at
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{board.slug}/{row['system_id']}/{row['date']}",
        "evaluation_timestamp": row["date"],
        "retrieved_timestamp": str(int(changed.timestamp())) if changed else "0",
        "source_metadata": {
            "source_type": "evaluation_run" if is_rescored else "documentation",
            "source_name": "Wardboard",
            "source_organization_name": organisation,
            "evaluator_relationship": "third_party" if is_rescored else "other",
            "additional_details": {"url": address, "event": str(row["event"]), "source": row["source"] or ""},
        },
        "eval_library": {"name": "wardboard", "version": row["scorer_version"]}
        if is_rescored
        else {"name": "unknown", "version": "unknown"},
        "model_info": _model_info(row),
        "evaluation_results": results,
    }


def _model_info(row: Mapping[str, Any]) -> dict[str, Any]:
    models = row["models"]
    return {
        "name": row["system"],
        # A system of several models, or of none that was stated, is not one model.
        "id": models[0] if len(models) == 1 else row["system"],
        "additional_details": {
            "deployment_type": "unknown",
            "model_availability": _AVAILABILITY[row["open_weights"]],
            "system": row["system"],
            "models": json.dumps(models, ensure_ascii=False),
            "team": row["team"],
            "organisation": row["organisation"],
        },
    }


def _result(board_at: BoardAt, metric: Metric, row: Mapping[str, Any], *, is_ranked: bool) -> dict[str, Any]:
    board = board_at.board
    is_share = metric.unit == Unit.SHARE
    details = {key: _as_text(row[key]) for key in _DETAILS if row[key] not in (None, "")} if is_ranked else {}
    score: dict[str, Any] = {"score": row[metric.key], "details": details}
    if is_ranked and row["low"] is not None:
        score["uncertainty"] = {
            "confidence_interval": {
                "lower": row["low"],
                "upper": row["high"],
                "confidence_level": 0.95,
                "method": _INTERVAL,
            },
            **({"num_samples": row["total"] // (row["runs"] or 1)} if row["total"] else {}),
        }
    return {
        "evaluation_name": f"{board.slug}.{metric.key}",
        "source_data": _source_data(board_at),
        "metric_config": {
            "evaluation_description": metric.stands_for,
            "metric_id": f"{board.benchmark}.{metric.key}",
            "metric_name": metric.label,
            "metric_unit": _UNITS[metric.unit],
            "lower_is_better": not metric.higher_is_better,
            "score_type": "continuous",
            "min_score": 0,
            "max_score": 1 if is_share else "Infinity",
        },
        "score_details": score,
    }


def _source_data(board_at: BoardAt) -> dict[str, Any]:
    board = board_at.board
    works = [work.url for work in registry.get(board.benchmark).about.works if work.url]
    name = {"dataset_name": board.title, "additional_details": {"version": board.version}}
    return {**name, "source_type": "url", "url": works} if works else {**name, "source_type": "other"}


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
