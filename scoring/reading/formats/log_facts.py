"""Sum up what files state of their runs beside the answers: tokens, cost, time, model and harness."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from wardboard.scoring.reading.formats.attempts import NO_FACTS, Facts

# Quantities of an attempt, of which a file has a mean; and what is the same in all attempts of most files.
_QUANTITIES = ("input_tokens", "cached_tokens", "output_tokens", "cost_usd", "seconds", "rounds")
_NAMES = ("model", "harness", "harness_version", "temperature")
_MOST_VALUES = 5  # different models, and so on, that are kept
_MOST = 1e12  # of a quantity of one attempt
_LONGEST = 120  # characters of a name that are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """The mean of a quantity over the `count` attempts that state it; `of` is the number of all attempts."""

    value: float
    count: int
    of: int


@dataclass(slots=True)
class LogFacts:
    """What the attempts of one file, or of the files of several runs, state together.

    - first, last: the earliest and the latest time that they state, in milliseconds since 1970 (UTC)
    - highest_rounds: of the attempts that state rounds; None without any
    """

    attempts: int = 0
    sums: dict[str, float] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    names: dict[str, dict[Any, None]] = field(default_factory=dict)
    first: int | None = None
    last: int | None = None
    highest_rounds: int | None = None

    def add(self, facts: Facts) -> None:
        """Add what one attempt states."""
        self.attempts += 1
        if facts is NO_FACTS:
            return
        for key in _QUANTITIES:
            # A file can state any number, of which NaN is less than none.
            if (value := getattr(facts, key)) is not None and 0 <= value <= _MOST:
                self.sums[key] = self.sums.get(key, 0) + value
                self.counts[key] += 1
                if key == "rounds":
                    self.highest_rounds = max(value, self.highest_rounds or 0)
        for key in _NAMES:
            if (name := getattr(facts, key)) not in (None, ""):
                self._add_name(key, name)
        for at in filter(None, (facts.started, facts.finished)):
            self.first = at if self.first is None else min(self.first, at)
            self.last = at if self.last is None else max(self.last, at)

    def _add_name(self, key: str, name: Any) -> None:
        known = self.names.setdefault(key, {})
        if len(known) < _MOST_VALUES:
            known.setdefault(name[:_LONGEST] if isinstance(name, str) else name)

    def mean(self, key: str) -> Mean | None:
        """Return the mean of a quantity; None where no attempt states it."""
        if not self.counts[key]:
            return None
        return Mean(value=self.sums[key] / self.counts[key], count=self.counts[key], of=self.attempts)

    @property
    def most_rounds(self) -> int | None:
        """The rounds of the longest attempt; None unless all attempts state theirs."""
        return self.highest_rounds if self.counts["rounds"] == self.attempts else None

    @property
    def run_on(self) -> date | None:
        """The day on which the first attempt began, in UTC; None where no attempt states a time."""
        return datetime.fromtimestamp(self.first / 1000, UTC).date() if self.first is not None else None

    def as_json(self) -> dict[str, Any]:
        """Return all of it as JSON, {} where nothing is stated; `log_facts_of` reads it."""
        if not self.sums and not self.names and self.first is None:
            return {}
        return {
            "attempts": self.attempts,
            "sums": self.sums,
            "counts": dict(self.counts),
            "names": {key: list(values) for key, values in self.names.items()},
            "first": self.first,
            "last": self.last,
            "highest_rounds": self.highest_rounds,
        }


def log_facts_of(stored: Mapping[str, Any]) -> LogFacts:
    """Return what `as_json` was called of."""
    return LogFacts(
        attempts=stored.get("attempts", 0),
        sums=dict(stored.get("sums", {})),
        counts=Counter(stored.get("counts", {})),
        names={key: dict.fromkeys(values) for key, values in stored.get("names", {}).items()},
        first=stored.get("first"),
        last=stored.get("last"),
        highest_rounds=stored.get("highest_rounds"),
    )


def joined(parts: Iterable[LogFacts]) -> LogFacts:
    """Return what the files of several runs state together."""
    whole = LogFacts()
    for part in parts:
        whole.attempts += part.attempts
        for key, value in part.sums.items():
            whole.sums[key] = whole.sums.get(key, 0) + value
        whole.counts.update(part.counts)
        for key, names in part.names.items():
            for name in names:
                whole._add_name(key, name)
        firsts = [at for at in (whole.first, part.first) if at is not None]
        lasts = [at for at in (whole.last, part.last) if at is not None]
        whole.first, whole.last = min(firsts, default=None), max(lasts, default=None)
        rounds = [most for most in (whole.highest_rounds, part.highest_rounds) if most is not None]
        whole.highest_rounds = max(rounds, default=None)
    return whole
