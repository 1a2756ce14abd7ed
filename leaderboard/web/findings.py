"""The sentence at the head of a board: what single intervals allow to say, and no more."""

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.services.overview import Contender
from leaderboard.web.templatetags.figures import percent

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_CAUTION = "Intervals that overlap leave the order open; they do not show that systems are equal."


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A sentence, and what has to be said beside it."""

    sentence: str
    rest: str = ""


def finding(rows: Sequence[Contender]) -> Finding | None:
    """Return what the intervals of `rows` (best first) say; None where there is no row."""
    if not rows:
        return None
    leader = rows[0]
    first = f"{leader.name}, at {percent(leader.score)}"
    if len(rows) == 1:
        return Finding(
            sentence="One system is ranked so far.",
            rest=f"It is {first} (95% interval {percent(leader.low)} to {percent(leader.high)}); "
            "there is nothing yet to compare it with.",
        )
    others = rows[1:]
    near = sum(1 for row in others if row.high >= leader.low)
    # The order is by score, and boards may hold intervals of unequal width, so count, then ask if in a row.
    together = all(row.high >= leader.low for row in others[:near])
    if not near:
        return Finding(
            sentence=f"{leader.name} leads: its 95% interval lies above that of every other system.",
            rest=f"It stands at {percent(leader.score)} ({percent(leader.low)} to {percent(leader.high)}).",
        )
    tied = sum(1 for row in rows if row.score == leader.score)
    lead = f"{_word(tied).capitalize()} systems share the first rank. " if tied > 1 else ""
    # A count that reaches past a gap is said as a count, not as "the next".
    if near == len(others):
        whom = "that of the other system" if near == 1 else f"those of all {_word(near)} other systems"
    elif together:
        whom = "that of the next system" if near == 1 else f"those of the next {_word(near)} systems"
    else:
        whom = "that of one other system" if near == 1 else f"those of {_word(near)} other systems"
    return Finding(sentence=f"{lead}The 95% interval of {first}, overlaps {whom}.", rest=_CAUTION)


def _word(number: int) -> str:
    return _WORDS[number] if number < len(_WORDS) else str(number)
