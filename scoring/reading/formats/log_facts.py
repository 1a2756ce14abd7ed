"""Sum up what files state of their runs beside the answers: tokens, cost, time, model and harness."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import msgspec

from wardboard.scoring.reading.formats.attempts import Facts

# Quantities of an attempt, of which a file has a mean; and what is the same in all attempts of most files.
_QUANTITIES = ("input_tokens", "cached_tokens", "output_tokens", "cost_usd", "seconds", "rounds")
_NAMES = ("model", "harness", "harness_version", "temperature", "began_on", "commit", "is_dirty")
_MOST_VALUES = 5  # different models, and so on, that are kept
_MOST = 1e12  # of a quantity of one attempt
LEAST_SHARE = 0.9  # of the attempts that state a quantity, below which its mean is not shown
_LONGEST = 120  # characters of a name that are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """The mean of a quantity over the `count` attempts that state it; `of` is the number of all attempts."""

    value: float
    count: int
    of: int


class LogFacts(msgspec.Struct):
    """What the attempts of one file, or of the files of several runs, state together.

    - counts: of the attempts that state each quantity
    - first, last: the earliest and the latest time that they state, in milliseconds since 1970 (UTC)
    - highest_rounds: of the attempts that state rounds; None without any
    """

    attempts: int = 0
    sums: dict[str, float] = msgspec.field(default_factory=dict)
    counts: dict[str, int] = msgspec.field(default_factory=dict)
    names: dict[str, list[Any]] = msgspec.field(default_factory=dict)
    first: int | None = None
    last: int | None = None
    highest_rounds: int | None = None

    def add(self, facts: Facts) -> None:
        """Add what one attempt states."""
        self.attempts += 1
        for key in _QUANTITIES:
            # A file can state any number, of which NaN is less than none.
            if (value := getattr(facts, key)) is not None and 0 <= value <= _MOST:
                self.sums[key] = self.sums.get(key, 0) + value
                self.counts[key] = self.counts.get(key, 0) + 1
                if key == "rounds":
                    self.highest_rounds = max(value, self.highest_rounds or 0)
        for key in _NAMES:
            self.add_name(key, getattr(facts, key))
        for at in (facts.started, facts.finished):
            self.add_time(at or None)

    def add_name(self, key: str, name: Any) -> None:
        """Add a name that is stated, unless it is known or there are many."""
        known = self.names.get(key, [])
        name = name[:_LONGEST] if isinstance(name, str) else name
        if name not in (None, "", *known) and len(known) < _MOST_VALUES:
            self.names[key] = [*known, name]

    def add_time(self, at: int | None) -> None:
        """Add a time that is stated, in milliseconds since 1970."""
        if at is not None:
            self.first = at if self.first is None else min(self.first, at)
            self.last = at if self.last is None else max(self.last, at)

    def mean(self, key: str) -> Mean | None:
        """Return the mean of a quantity; None where fewer than 90% of attempts state it, or all state 0."""
        count = self.counts.get(key, 0)
        if not self.sums.get(key) or count < LEAST_SHARE * self.attempts:
            return None
        return Mean(value=self.sums[key] / count, count=count, of=self.attempts)

    @property
    def most_rounds(self) -> int | None:
        """The rounds of the longest attempt; None unless all attempts state theirs."""
        return self.highest_rounds if self.counts.get("rounds", 0) == self.attempts else None

    @property
    def run_on(self) -> date | None:
        """The day on which the first attempt began, or its log, in UTC; None where neither states a time."""
        if self.first is not None:
            return datetime.fromtimestamp(self.first / 1000, UTC).date()
        return min(map(date.fromisoformat, self.names.get("began_on", ())), default=None)

    def as_json(self) -> dict[str, Any]:
        """Return all of it as JSON, {} where nothing is stated; `log_facts_of` reads it."""
        if not self.sums and not self.names and self.first is None:
            return {}
        stored: dict[str, Any] = msgspec.to_builtins(self)
        return stored


def log_facts_of(stored: Mapping[str, Any]) -> LogFacts:
    """Return what `as_json` was called of."""
    return msgspec.convert(stored, LogFacts)


def joined(parts: Iterable[LogFacts]) -> LogFacts:
    """Return what the files of several runs state together."""
    whole = LogFacts()
    for part in parts:
        whole.attempts += part.attempts
        for key, value in part.sums.items():
            whole.sums[key] = whole.sums.get(key, 0) + value
            whole.counts[key] = whole.counts.get(key, 0) + part.counts[key]
        for key, names in part.names.items():
            for name in names:
                whole.add_name(key, name)
        for at in (part.first, part.last):
            whole.add_time(at)
        if part.highest_rounds is not None:
            whole.highest_rounds = max(part.highest_rounds, whole.highest_rounds or 0)
    return whole
