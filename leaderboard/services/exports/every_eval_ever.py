"""A board as records of Every Eval Ever, each in a file of its own, at its place in that datastore.

The ZIP archive is to be unpacked into a checkout of the datastore (evaleval/EEE_datastore on Hugging Face):
`data/<collection>/<developer>/<model>/<UUID>.json`. Each system has a record, with its visible metrics, the
uncertainty of the ranked one, the conditions of its runs, and what they cost. A record keeps its UUID as
long as its result stands, so that later exports replace it.

Source: every_eval_ever 0.3.0 (EvalEval, MIT licence): schemas/eval.schema.json for records,
validator/validation_core.py for places, helpers/developer.py for developers.
"""

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import tee
from math import sqrt
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID

from leaderboard.models import Board
from leaderboard.models.systems import RELEASE
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.row import Row
from leaderboard.services.exports.rows import export_rows
from leaderboard.services.text import remove_hidden_characters
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Metric
from wardboard.scoring.benchmark import Unit as MetricUnit
from wardboard.scoring.facts import IN_ROWS, About, Unit

SCHEMA_VERSION = "0.3.0"
_UNITS = {MetricUnit.SHARE: "proportion", MetricUnit.COUNT: "count", MetricUnit.USD: "usd"}
_AVAILABILITY = {True: "open_weights", False: "closed_weights", None: "unknown"}
# Facts about the ranked figure that the schema has no field for; all values there are texts.
_DETAILS = (
    *("kind", "rank", "rank_to", "rank_low", "rank_high", "tied_for_first", "right", "total", "runs"),
    *("judge", "judge_name", "references", *RELEASE, "provenance", "repository"),
)
_OF_AGENT = ("harness", "harness_name", "tools")
_OTHER_CONDITIONS = tuple(
    fact
    for fact in IN_ROWS
    if (fact.about is About.CONDITIONS or fact.choices is not None) and fact.key not in _OF_AGENT
)
_NAMES = ("system", "models", "team", "organisation", "organisation_confirmed")
_NOT_PORTABLE = re.compile(r'[\s<>:"/\\|?*\x00-\x1f]+')
_RESERVED = re.compile(r"(?:|data|unknown|(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\..*)?)\Z", re.IGNORECASE)
_LONGEST_NAME = 60  # characters of a folder; one may take four bytes, and file systems allow 255


def board_archive(
    *, board_at: BoardAt, rows: Iterable[Row], organisation: str, address: str
) -> Iterator[bytes]:
    """Yield the parts of a ZIP archive with a record for each row that has a score.

    Baselines and removed rows have none. The same table has the same bytes.

    organisation: who publishes the board. address: permanent URL of the table
    """
    archive = _Parts()
    changed = board_at.provenance.at or datetime.fromtimestamp(0, UTC)
    # ZIP knows no earlier year.
    at = max(changed, datetime(1980, 1, 1, tzinfo=UTC)).timetuple()[:6]
    shown, others = tee(row for row in rows if not (row.is_baseline or row.removal))
    with zipfile.ZipFile(archive, "w") as target:
        for row, exported in zip(shown, export_rows(board_at=board_at, rows=others), strict=True):
            if record := _record(_Result(board_at, organisation, address, row, exported)):
                text = json.dumps(record, ensure_ascii=False, allow_nan=False)
                info = zipfile.ZipInfo(_path(board_at.board, record), at)
                target.writestr(info, f"{text}\n", zipfile.ZIP_DEFLATED)
                yield archive.take()
    yield archive.take()


class _Parts(io.BytesIO):
    """A file that is read while it is written, so nothing in it can be changed later."""

    def tell(self) -> int:
        raise io.UnsupportedOperation

    def take(self) -> bytes:
        """Return what was written since the last call."""
        taken = self.getvalue()
        self.seek(0)
        self.truncate()
        return taken


class _Result(NamedTuple):
    """A row, and the same as exports have it."""

    board_at: BoardAt
    organisation: str
    address: str
    row: Row
    exported: Mapping[str, Any]


def _record(result: _Result) -> dict[str, Any] | None:
    board, row = result.board_at.board, result.exported
    results = [
        _figure(result, metric, is_ranked=number == 0)
        for number, metric in enumerate(visibility.visible_metrics(board))
        if row[metric.key] is not None
    ]
    if not results:
        return None
    is_rescored = row["kind"] == "rescored"
    changed = result.board_at.provenance.at
    model = _model_info(row)
    source = {"url": result.address, "event": row["event"]}
    source |= {name: row[name] for name in ("source", "source_url")}
    # What the team that ran the system, and this service, which scored it, are to the developer.
    is_own = _own_name(row).casefold() == model["developer"].casefold()
    relationship = "collaborative" if is_own else "third_party"
    # The host: other services have the same boards, and systems of the same numbers.
    service = urlsplit(result.address).netloc
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{service}/{board.slug}/{row['system_id']}/{row['date']}",
        "evaluation_timestamp": row["run_on"] or row["date"],
        "retrieved_timestamp": str(int(changed.timestamp())) if changed else "0",
        "source_metadata": {
            "source_type": "evaluation_run" if is_rescored else "documentation",
            "source_name": "Wardboard",
            "source_organization_name": result.organisation,
            "evaluator_relationship": relationship if is_rescored else "other",
            "additional_details": _texts(source),
        },
        "eval_library": {"name": "wardboard", "version": row["scorer_version"]}
        if is_rescored
        else {"name": "unknown", "version": "unknown"},
        "model_info": model,
        "evaluation_results": results,
    }


def _path(board: Board, record: Mapping[str, Any]) -> str:
    # The datastore takes UUIDs of version 4 alone; a digest has as many bits as a random number.
    name = UUID(bytes=hashlib.sha256(record["evaluation_id"].encode()).digest()[:16], version=4)
    return f"data/wardboard-{board.slug}/{record['model_info']['id']}/{name}.json"


def _model_info(row: Mapping[str, Any]) -> dict[str, Any]:
    # Both are names of folders, which the id of a record has too. A system stands for itself, but one of a
    # single model whose name has its developer, as `openai/gpt-4o`.
    developer, model = _own_name(row), _folder(row["system"])
    if len(row["models"]) == 1 and "/" in row["models"][0]:
        developer, model = map(_folder, row["models"][0].split("/", 1))
    return {
        "name": row["system"],
        "id": f"{developer}/{model}",
        "developer": developer,
        "additional_details": {
            "deployment_type": "unknown",
            "model_availability": _AVAILABILITY[row["open_weights"]],
            **_texts({name: row[name] for name in _NAMES}),
        },
    }


def _own_name(row: Mapping[str, Any]) -> str:
    organisation = row["organisation"] if row["source"] or row["organisation_confirmed"] else ""
    return _folder(organisation or row["team"] or row["source"] or "")


def _folder(name: str) -> str:
    """Return `name` as the name of a folder that the datastore takes on every file system."""
    text = _NOT_PORTABLE.sub("-", remove_hidden_characters(name)).strip("-. ")
    text = text[:_LONGEST_NAME].rstrip("-. ")
    return f"named-{text}".rstrip("-") if _RESERVED.match(text) else text


def _figure(result: _Result, metric: Metric, *, is_ranked: bool) -> dict[str, Any]:
    board, row = result.board_at.board, result.exported
    # The questions of a demonstration are invented, so no paper describes them.
    works = (
        [] if board.is_demo else [work.url for work in registry.get(board.benchmark).about.works if work.url]
    )
    score: dict[str, Any] = {"score": row[metric.key]}
    if is_ranked:
        score["details"] = _texts({key: row[key] for key in _DETAILS})
        if uncertainty := _uncertainty(result):
            score["uncertainty"] = uncertainty
    elif metric.over_key:
        score["details"] = _texts({metric.over_key: row[metric.over_key]})
    # The conditions of the runs, as their submitter states them.
    units = {Unit.DOLLARS: "_usd", Unit.SECONDS: "", Unit.NONE: ""}
    others = {f"{fact.key}{units[fact.unit]}": row[fact.key] for fact in _OTHER_CONDITIONS}
    others["runs"] = row["runs"]
    arguments: dict[str, Any] = {}
    if of_agent := _texts({key: row[key] for key in _OF_AGENT}):
        arguments["agentic_eval_config"] = {"additional_details": of_agent}
    return {
        "evaluation_name": f"{board.slug}.{metric.key}",
        "source_data": {
            "dataset_name": board.title,
            "source_type": "url",
            "url": works or [result.address],
            "additional_details": {"version": board.version},
        },
        "metric_config": {
            "evaluation_description": metric.stands_for,
            "metric_id": f"{board.family}.{metric.key}",
            "metric_name": metric.label,
            "metric_unit": _UNITS[metric.unit],
            "lower_is_better": not metric.higher_is_better,
            "score_type": "continuous",
            "min_score": 0,
            "max_score": 1 if metric.unit == MetricUnit.SHARE else "Infinity",
        },
        "score_details": score,
        "generation_config": {"generation_args": arguments, "additional_details": _texts(others)},
    }


def _uncertainty(result: _Result) -> dict[str, Any]:
    """Return the uncertainty of the ranked rate, as far as it is known. The samples are tasks.

    The standard deviation is that of scores of 0 and 1, so of one run, whose mean is the visible rate, and so
    says no more than the rate.
    """
    row, tasks = result.exported, result.row.tasks
    rate = row[visibility.ranked_metric(result.board_at.board).key]
    uncertainty: dict[str, Any] = {"num_samples": tasks} if tasks else {}
    if tasks and row["runs"] == 1:
        uncertainty["standard_deviation"] = visibility.round_figure(sqrt(rate * (1 - rate)))
    if row["low"] is not None:
        ends = {"lower": row["low"], "upper": row["high"], "confidence_level": 0.95}
        uncertainty["confidence_interval"] = ends
    return uncertainty


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Return what is known of `values` as texts: the schema has no other details."""
    return {
        key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for key, value in values.items()
        if value not in (None, "", [])
    }
