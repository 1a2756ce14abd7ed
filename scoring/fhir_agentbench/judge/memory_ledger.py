"""A ledger in memory, for laptops and tests."""

from collections.abc import Mapping, Sequence
from typing import Any

from wardboard.scoring.judging import Call


class MemoryLedger:
    """Keep verdicts and costs for as long as the process lives.

    max_calls, max_cost: the budget in calls and US dollars; None means no limit. All tries of an allowed call
    count as made until it is recorded, so max_calls is never exceeded. Their cost is taken to be that of the
    most expensive call so far, or the estimate if there was none.
    """

    scope = b""

    def __init__(self, *, max_calls: int | None = None, max_cost: float | None = None) -> None:
        self.calls = 0
        self.cost = 0.0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self._max_calls, self._max_cost = max_calls, max_cost
        self._booked = 0
        self._highest_cost = 0.0
        self._verdicts: dict[bytes, bool] = {}
        self._kept: dict[str, Mapping[str, Any]] = {}

    def stored_verdicts(self, keys: Sequence[bytes]) -> Mapping[bytes, bool]:
        """See Ledger.known."""
        return {key: self._verdicts[key] for key in keys if key in self._verdicts}

    def may_call(self, estimate: float = 0.0, *, tries: int = 1) -> bool:
        """See Ledger.may_call."""
        booked = self._booked + tries
        if self._max_calls is not None and self.calls + booked > self._max_calls:
            return False
        cost = self.cost + booked * (self._highest_cost or estimate)
        if self._max_cost is not None and cost > self._max_cost:
            return False
        self._booked = booked
        return True

    def record(self, calls: Sequence[Call], *, booked: int = 1) -> None:
        """See Ledger.record."""
        self._booked = max(self._booked - booked, 0)
        for call in calls:
            self.calls += 1
            self.cost += call.cost
            self.prompt_tokens += call.prompt_tokens
            self.completion_tokens += call.completion_tokens
            if not call.estimated:
                self._highest_cost = max(self._highest_cost, call.cost)
            if call.correct is not None:
                self._verdicts[call.key] = call.correct

    def count_answers(self, answers: Mapping[str, int]) -> None:
        """See Ledger.count_answers; nobody asks for these."""

    def kept(self, digest: str) -> Mapping[str, Any] | None:
        """See Keeper.kept."""
        return self._kept.get(digest)

    def keep(self, digest: str, judged: Mapping[str, Any]) -> None:
        """See Keeper.keep."""
        self._kept[digest] = judged
