"""The outcome of a rule."""

from dataclasses import dataclass
from enum import StrEnum


class Rule(StrEnum):
    """Name the rule that decided. These words are stored, so their meanings never change."""

    SUSPECT = "suspect"
    NUMBER_EQUAL = "number-equal"
    NUMBER_DIFFERS = "number-differs"
    NUMBER_MISSING = "number-missing"
    SEVERAL_VALUES = "several-values"
    DATE_EQUAL = "date-equal"
    DATE_DIFFERS = "date-differs"
    DATE_MISSING = "date-missing"
    TIME_DIFFERS = "time-differs"
    NAME_EQUAL = "name-equal"
    NAME_DIFFERS = "name-differs"
    NAME_PART = "name-part"
    LIST_COMPLETE = "list-complete"
    LIST_SHORT = "list-short"
    LIST_EXTRA = "list-extra"
    SAME_SIDE = "same-side"
    OTHER_SIDE = "other-side"
    NO_SIDE = "no-side"
    NO_ANSWER_AS_EXPECTED = "no-answer-as-expected"
    NO_ANSWER = "no-answer"
    NO_DENIAL = "no-denial"
    VALUE_FOR_NOTHING = "value-for-nothing"
    CONTRADICTION = "contradiction"
    HEDGED = "hedged"
    RAW_DATA = "raw-data"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """Hold the decision of a rule. correct: None where the rule leaves the answer open."""

    correct: bool | None
    rule: Rule


def right(rule: Rule) -> RuleOutcome:
    return RuleOutcome(True, rule)


def wrong(rule: Rule) -> RuleOutcome:
    return RuleOutcome(False, rule)


def unsure(rule: Rule) -> RuleOutcome:
    """Return that the answer is left open because of `rule`."""
    return RuleOutcome(None, rule)
