"""The sentence on a leaderboard about how reliable the rules of its judge are."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from wardboard.scoring.reading.messages import phrase

MEASURED = Path(__file__).with_name("agreement.json")


@cache
def measured_agreement() -> Mapping[str, Any]:
    """Return what was measured for the rules `judge`: counts of wordings, and an interval of shares, 0..1."""
    return dict(json.loads(MEASURED.read_text()))


def agreement_sentence(judge: str) -> str:
    """Return the sentence about the judge with the identity `judge`.

    "" for a judge without rules, or with rules of another version than measured.
    """
    measured = measured_agreement()
    # What the provider served says nothing about the rules.
    judge = judge.partition(" as ")[0]
    is_hybrid = judge.startswith("hybrid ") and judge.endswith(f" {measured['judge']}")
    if judge != measured["judge"] and not is_hybrid:
        return ""
    (low, high), (least, most) = measured["decided_right_95"], measured["by_writer"]
    return phrase(
        "On {wordings} answers in {styles} styles by a writer who had not read the rules (17 of these "
        "answers were looked at for rules 6), the rules decide {share} of the right answers right (95% "
        "interval {low} to {high}; {least} to {most} by writer), call {called_wrong} of {right} wrong, "
        "accept {accepted} of {wrong} wrong ones, and leave the others open.",
        wordings=measured["wordings"],
        styles=measured["styles"],
        right=measured["right"],
        wrong=measured["wrong"],
        share=f"{measured['decided_right'] / measured['right']:.1%}",
        low=f"{low:.1%}",
        high=f"{high:.1%}",
        least=f"{least:.1%}",
        most=f"{most:.1%}",
        called_wrong=measured["called_wrong"],
        accepted=measured["wrong_accepted"],
    )
