"""A ledger in memory, for laptops and tests."""

from collections.abc import Mapping, Sequence
from typing import Any

from wardboard.scoring.judging import Call


class MemoryLedger:
    """Keep verdicts and costs for as long as the process lives.

    max_calls, max_cost: the budget in calls and US dollars; None means no limit. An allowed call counts as
    made at once, so max_calls is never exceeded. Until it is answered, its cost is taken to be that of the
    most expensive call so far, or its estimate if there was none.
    """

    scope = b""

    def __init__(self, *, max_calls: int | None = None, max_cost: float | None = None) -> None:
        self.calls = 0
        self.cost = 0.0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self._max_calls, self._max_cost = max_calls, max_cost
        self._allowed = 0
        self._highest_cost = 0.0
        self._verdicts: dict[bytes, bool] = {}
        self._kept: dict[str, Mapping[str, Any]] = {}

    def stored_verdicts(self, keys: Sequence[bytes]) -> Mapping[bytes, bool]:
        """See Ledger.known."""
        return {key: self._verdicts[key] for key in keys if key in self._verdicts}

    def may_call(self, estimate: float = 0.0) -> bool:
        """See Ledger.may_call. A call that is allowed is charged to the budget at once."""
        calls_in_flight = max(self._allowed - self.calls, 0)
        if self._max_calls is not None and self._allowed >= self._max_calls:
            return False
        if self._max_cost is not None:
            call_cost = self._highest_cost or estimate
            expected_cost = self.cost + calls_in_flight * call_cost
            if expected_cost >= self._max_cost or expected_cost + call_cost > self._max_cost:
                return False
        self._allowed += 1
        return True

    def record(self, calls: Sequence[Call]) -> None:
        """See Ledger.record."""
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
