"""The conditions under which a system was run, in words, as its submitter states them.

Pages and exports share these texts: `say` translates a word for a page, and leaves it as it is for an export.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext_noop

from leaderboard.models.evaluations import StandingFigures
from leaderboard.models.systems import Facts, System
from leaderboard.services.text import fold_case
from wardboard.scoring.facts import CONDITIONS as STATED
from wardboard.scoring.facts import IN_ROWS, LINKS, About, Fact, Kind, Unit
from wardboard.scoring.reading.messages import phrase

Say = Callable[[str], str]
_LEAST_DOLLARS, _LEAST_SECONDS = 0.0001, 0.1  # smaller amounts are printed as <


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A condition, as a column and as an entry of a list; its texts are English.

    words: returns the condition of a system; "" where it is not stated
    """

    label: str
    description: str
    words: Callable[[Facts, Say], str]
    is_best_lowest: bool = False


def print_dollars(value: float | None) -> str:
    """Print an amount, as $0.0420 or $1,234.50; "" for None."""
    if value is not None and value < _LEAST_DOLLARS:
        return f"<${_LEAST_DOLLARS}" if value else "$0"
    return "" if value is None else f"${value:,.2f}" if value >= 1 else f"${value:.4f}"


def print_seconds(value: float | None) -> str:
    """Print a time, as 12.5 s; "" for None."""
    if value is not None and 0 < value < _LEAST_SECONDS:
        return f"<{_LEAST_SECONDS} s"
    return "" if value is None else f"{value:,.1f} s"


def print_fact(fact: Fact, value: Any, say: Say, *, brief: bool = False) -> str:
    """Print the value of a fact; "" where it is not stated. brief: beside its label."""
    if value is None:
        return ""
    if fact.choices is not None:
        return say(fact.choices(value).label) if value in fact.choices else ""
    if isinstance(value, bool):
        answers = (brief and fact.brief_answers) or fact.answers
        return say(answers[0 if value else 1])
    if fact.kind is Kind.NUMBER:
        return _PRINTED[fact.unit](value)
    return date_format(value, "DATE_FORMAT") if isinstance(value, date) else str(value)


_PRINTED: Mapping[Unit, Callable[[float], str]] = {
    Unit.NONE: "{:,.12g}".format,
    Unit.DOLLARS: print_dollars,
    Unit.SECONDS: print_seconds,
}


def _print_all(facts_of_column: Sequence[Fact], stated: Facts, say: Say) -> str:
    texts = (print_fact(fact, getattr(stated, fact.field), say) for fact in facts_of_column)
    return " · ".join(filter(None, texts))


def _condition(fact: Fact) -> Condition:
    return Condition(
        label=fact.column_label or fact.label,
        description=phrase("{what} As stated by the submitter.", what=fact.help),
        words=partial(_print_all, [fact, *(other for other in STATED if other.shown_with == fact.key)]),
        is_best_lowest=fact.unit in (Unit.DOLLARS, Unit.SECONDS),
    )


# Column -> condition, in the order of the columns.
CONDITIONS: Mapping[str, Condition] = {fact.column: _condition(fact) for fact in STATED if fact.column}
# Column -> field of a row, of those by which a table can be sorted.
SORTED_BY: Mapping[str, str] = {fact.column: fact.field for fact in STATED if fact.is_sortable}


_OF_SYSTEM = [fact for fact in IN_ROWS if fact.about is About.SYSTEM and not fact.is_asked_first]


def describe_system(facts: Facts, say: Say) -> list[tuple[str, str]]:
    """Return label and words of each fact about the system itself that pages list; "" if it is not stated."""
    return [
        (say(fact.label), print_fact(fact, getattr(facts, fact.field), say, brief=True))
        for fact in _OF_SYSTEM
    ]


def traits_of(facts: Facts, say: Say) -> list[str]:
    """Return the words of each stated fact about the system itself, which need no label."""
    words = (print_fact(fact, getattr(facts, fact.field), say) for fact in _OF_SYSTEM)
    return [each for each in words if each]


def links_of(system: System, say: Say) -> list[tuple[str, str]]:
    """Return label and address of each link that a system can have; "" if it is not stated."""
    return [(say(fact.label), getattr(system, fact.field)) for fact in LINKS]


def sender_words(row: StandingFigures | System, say: Say) -> str:
    """Return the organisation of a row or a system, or its team; "" for neither.

    The team stands beside it, unless an organiser confirmed it, both have one name, or a source states it.
    """
    stated, team = row.organisation, row.team_name
    if not stated or row.source or row.organisation_confirmed or fold_case(stated) == fold_case(team):
        return stated or team
    words = {"organisation": stated, "team": team or say(gettext_noop("a deleted account"))}
    return say(gettext_noop("%(organisation)s, stated by %(team)s")) % words


def words_of(facts: Facts, say: Say) -> list[tuple[str, str]]:
    """Return label and words of each condition that is stated."""
    texts = ((condition.label, condition.words(facts, say)) for condition in CONDITIONS.values())
    return [(say(label), words) for label, words in texts if words]


def side_by_side(systems: Sequence[Facts], say: Say) -> list[tuple[str, list[str]]]:
    """Return label and words, one a system, of each condition that any of the systems states."""
    lines = (
        (say(condition.label), [condition.words(facts, say) for facts in systems])
        for condition in CONDITIONS.values()
    )
    return [(label, words) for label, words in lines if any(words)]
