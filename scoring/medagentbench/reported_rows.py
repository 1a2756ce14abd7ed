"""The results that the MedAgentBench paper published, which nobody rescored."""

import json
from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from scoring.benchmark import ReportedRow
from scoring.verdicts import Rate


@cache
def reported_rows(version: str) -> tuple[ReportedRow, ...]:
    """Return the published rows of `version`, best first; none for a version without any.

    Raises ValueError if a figure of reported_rows.json is not one that its number of tasks can give.
    """
    document = json.loads(Path(__file__).with_name("reported_rows.json").read_text(encoding="utf-8"))
    if version != document["version"]:
        return ()
    return tuple(_row(row, document) for row in document["rows"])


def rebuild_rate(percent: float, total: int) -> Rate:
    """Return the right/total that was published as `percent`, rounded to two decimals.

    So 69.67 ties with a rescored 209 of 300. Raises ValueError if no count gives that figure.
    """
    right = round(percent * total / 100)
    if not 0 <= right <= total or f"{100 * right / total:.2f}" != f"{percent:.2f}":
        raise ValueError(f"no count of {total} tasks is published as {percent:.2f}%")
    return Rate(right=right, total=total)


def _row(row: Mapping[str, Any], document: Mapping[str, Any]) -> ReportedRow:
    tasks: Mapping[str, int] = document["tasks"]
    rates = {key: rebuild_rate(row[key], total) for key, total in tasks.items()}
    return ReportedRow(
        system=row["model"],
        model=row["model"],
        open_weights=row["form"] == "Open",
        size=row["size"],
        overall=rates["success_rate"],
        # Coverage was not published.
        metrics={key: rate.rate for key, rate in rates.items()} | {"coverage": None},
        source=row["source"],
        source_url=document["source_url"],
        published_on=date.fromisoformat(document["published_on"]),
        harness=document["harness"],
        harness_name=document["harness_name"],
    )
