"""A ledger that lives as long as the process: for a laptop and for tests."""

from collections.abc import Mapping, Sequence

from scoring.judging import Call


class MemoryLedger:
    """A Ledger in memory. max_calls, max_cost: the budget, in calls and US dollars; None is without limit.

    A call that was allowed counts as made from then on, so the limit on calls is never passed; as its cost
    is not known before it is answered, it is taken for the dearest one so far, before that for its estimate.
    """

    def __init__(self, *, max_calls: int | None = None, max_cost: float | None = None) -> None:
        self.calls = 0
        self.cost = 0.0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self._max_calls, self._max_cost = max_calls, max_cost
        self._allowed = 0
        self._dearest = 0.0
        self._verdicts: dict[bytes, bool] = {}

    def known(self, keys: Sequence[bytes]) -> Mapping[bytes, bool]:
        """As Ledger.known says."""
        return {key: self._verdicts[key] for key in keys if key in self._verdicts}

    def may_call(self, estimate: float = 0.0) -> bool:
        """As Ledger.may_call says; True is a promise that is then held against the budget."""
        under_way = max(self._allowed - self.calls, 0)
        if self._max_calls is not None and self._allowed >= self._max_calls:
            return False
        if self._max_cost is not None:
            dearest = self._dearest or estimate
            likely = self.cost + under_way * dearest
            if likely >= self._max_cost or likely + dearest > self._max_cost:
                return False
        self._allowed += 1
        return True

    def record(self, calls: Sequence[Call]) -> None:
        """As Ledger.record says."""
        for call in calls:
            self.calls += 1
            self.cost += call.cost
            self.prompt_tokens += call.prompt_tokens
            self.completion_tokens += call.completion_tokens
            if not call.estimated:
                self._dearest = max(self._dearest, call.cost)
            if call.correct is not None:
                self._verdicts[call.key] = call.correct
