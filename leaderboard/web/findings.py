"""The sentence at the head of a board: what single intervals allow to say, and no more."""

from dataclasses import dataclass

from leaderboard.services.overview import Lead
from leaderboard.web.templatetags.figures import percent

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_CAUTION = "Intervals that overlap leave the order open; they do not show that systems are equal."


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A sentence, and what has to be said beside it."""

    sentence: str
    rest: str = ""


def finding(lead: Lead | None, *, judges: int = 1) -> Finding | None:
    """Return what the intervals say of the row that is ranked first; None where there is none.

    judges: how many have decided on the rows of the board; the sentence is about one of them, and says so.
    """
    if lead is None:
        return None
    said = _said(lead)
    if judges < 2 or lead.judge is None:
        return said
    return Finding(
        sentence=said.sentence, rest=f"{said.rest} Compared are systems judged by “{lead.judge}” only."
    )


def _said(lead: Lead) -> Finding:
    first = f"{lead.name}, at {percent(lead.score)}"
    if not lead.others:
        return Finding(
            sentence="One system is ranked so far.",
            rest=f"It is {first} (95% interval {percent(lead.low)} to {percent(lead.high)}); "
            "there is nothing yet to compare it with.",
        )
    if not lead.near:
        return Finding(
            sentence=f"{lead.name} leads: its 95% interval lies above that of every other system.",
            rest=f"It stands at {percent(lead.score)} ({percent(lead.low)} to {percent(lead.high)}).",
        )
    tied = f"{_word(lead.tied).capitalize()} systems share the first rank. " if lead.tied > 1 else ""
    return Finding(
        sentence=f"{tied}The 95% interval of {first}, overlaps {_whom(lead)}.",
        rest=_CAUTION,
    )


def _whom(lead: Lead) -> str:
    near = lead.near
    # A count that reaches past a gap is said as a count, not as "the next".
    if near == lead.others:
        return "that of the other system" if near == 1 else f"those of all {_word(near)} other systems"
    if lead.in_a_row:
        return "that of the next system" if near == 1 else f"those of the next {_word(near)} systems"
    return "that of one other system" if near == 1 else f"those of {_word(near)} other systems"


def _word(number: int) -> str:
    return _WORDS[number] if number < len(_WORDS) else f"{number:,}"
