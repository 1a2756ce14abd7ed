"""A ledger in memory, for laptops and tests."""

from collections.abc import Mapping, Sequence
from typing import Any

from wardboard.scoring.judging import Call


class MemoryLedger:
    """Keep verdicts for as long as the process lives, without a budget."""

    scope = b""

    def __init__(self) -> None:
        self._verdicts: dict[bytes, bool] = {}
        self._kept: dict[str, Mapping[str, Any]] = {}

    def stored_verdicts(self, keys: Sequence[bytes]) -> Mapping[bytes, bool]:
        return {key: self._verdicts[key] for key in keys if key in self._verdicts}

    def may_call(self, estimate: float = 0.0, *, tries: int = 1) -> bool:
        return True

    def record(self, calls: Sequence[Call], *, booked: int = 1) -> None:
        self._verdicts |= {call.key: call.correct for call in calls if call.correct is not None}

    def count_answers(self, answers: Mapping[str, int]) -> None:
        """Nobody asks for these."""

    def kept(self, digest: str) -> Mapping[str, Any] | None:
        return self._kept.get(digest)

    def keep(self, digest: str, judged: Mapping[str, Any]) -> None:
        self._kept[digest] = judged
