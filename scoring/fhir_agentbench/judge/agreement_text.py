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
    """Return what was measured for the rules `judge`: counts of wordings, and shares of 0..1.

    `first` is from before anyone had read the answers, `now` from after the rules were corrected on them.
    """
    document: dict[str, Any] = json.loads(MEASURED.read_text())
    return document


def agreement_sentence(judge: str) -> str:
    """Return the sentence about the judge with the identity `judge`.

    "" for a judge without rules, or with rules of another version than measured.
    """
    measured = measured_agreement()
    if judge != measured["judge"] and not _ends_with_rules(judge, measured["judge"]):
        return ""
    first, now = measured["first"], measured["now"]
    low, high = first["decided_right_95"]
    return phrase(
        "On {wordings} answers in {styles} styles by writers who had not read the rules, they decided "
        "{first} of the "
        "right answers right at the first measurement (95% interval {low} to {high}) and accepted "
        "{first_accepted} "
        "of {wrong} wrong ones. Since they were corrected on these answers, they decide {now} right and "
        "accept "
        "{now_accepted}.",
        wordings=measured["wordings"],
        styles=measured["styles"],
        wrong=measured["wrong"],
        first=_percent(first["decided_right"]),
        low=_percent(low),
        high=_percent(high),
        first_accepted=first["wrong_accepted"],
        now=_percent(now["decided_right"]),
        now_accepted=now["wrong_accepted"],
    )


def _ends_with_rules(judge: str, rules: str) -> bool:
    return judge.startswith("hybrid ") and judge.endswith(f" {rules}")


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"
