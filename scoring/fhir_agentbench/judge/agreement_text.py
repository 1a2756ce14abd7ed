"""The sentence on a leaderboard about how reliable the rules of its judge are."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from scoring.reading.messages import phrase

MEASURED = Path(__file__).with_name("agreement.json")


@cache
def measured_agreement() -> Mapping[str, Any]:
    """Return what `source` measured for the rules `judge`: numbers, and shares of 0..1."""
    document: dict[str, Any] = json.loads(MEASURED.read_text())
    return document


def agreement_sentence(judge: str) -> str:
    """Return the sentence about the judge with the identity `judge`.

    The figures are of answers with wordings that the rules were not written with. "" for a judge without
    rules, or with rules of another version than measured.
    """
    measured = measured_agreement()
    if judge != measured["judge"] and not _ends_with_rules(judge, measured["judge"]):
        return ""
    low, high = measured["accuracy_95"]
    return phrase(
        "Of {pairs:,} answers in {forms} forms, worded in ways that the rules were not written for, they "
        "decide {decided}, and {accuracy} of these rightly (95% interval {low} to {high}).",
        pairs=measured["pairs"],
        forms=measured["forms"],
        decided=_percent(measured["share_decided"]),
        accuracy=_percent(measured["accuracy"]),
        low=_percent(low),
        high=_percent(high),
    )


def _ends_with_rules(judge: str, rules: str) -> bool:
    return judge.startswith("hybrid ") and judge.endswith(f" {rules}")


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"
