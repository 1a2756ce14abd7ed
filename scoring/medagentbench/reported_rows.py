"""The results on MedAgentBench that were published elsewhere, which nobody rescored."""

import json
from decimal import Decimal
from functools import cache
from pathlib import Path

from wardboard.scoring.reported import ReportedRow, read_groups

# Coverage was not published anywhere.
_METRICS = ("success_rate", "query_success_rate", "action_success_rate", "coverage")


@cache
def reported_rows(version: str) -> tuple[ReportedRow, ...]:
    """Return the published rows of `version`, those with a rank first; none for a version without any.

    Raises ValueError if a count of reported_rows.json is not printed as its score.
    """
    text = Path(__file__).with_name("reported_rows.json").read_text(encoding="utf-8")
    versions = json.loads(text, parse_float=Decimal)["versions"]
    return read_groups(versions.get(version, ()), ranked=_METRICS[0], metrics=_METRICS)
