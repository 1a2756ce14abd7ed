"""When to call a provider again that failed: shared by all calls of a run."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from random import Random

from scoring.fhir_agentbench.judge.llm.options import LlmOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """What tests replace. clock: seconds from any start. wall: seconds since 1970."""

    rng: Random = field(default_factory=Random)
    clock: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep


def retry_after(headers: Mapping[str, str], *, now: float) -> float | None:
    """Return the seconds that a provider asks to wait, 0 or more; None where it does not say.

    headers: by lower-case name, or blind to case. now: seconds since 1970.
    Source: RFC 9110 section 10.2.3 (seconds or a date), and OpenAI's own `retry-after-ms`.
    """
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) / scale
        except (KeyError, ValueError):
            continue
        if seconds >= 0 and not math.isnan(seconds):
            return seconds
    try:
        date = parsedate_to_datetime(headers["retry-after"])
        return max(date.timestamp() - now, 0.0)
    except (KeyError, ValueError, OverflowError):
        return None


class Backoff:
    """One run's view of its provider. Lives in one event loop.

    Failures count in a row, over all calls of the run: one counts if the call was sent after the last
    that counted, so a moment's fault that meets all calls under way is one failure, not sixty-four. A
    success ends the row. From the second on, and whenever the provider says that it is asked too much,
    all calls wait (the brake); `attempts` of them, and the provider is down.
    """

    def __init__(self, options: LlmOptions, timing: Timing) -> None:
        self._options, self._timing = options, timing
        self._stopping = asyncio.Event()
        self._brake = -math.inf
        self._in_a_row = 0
        self.stretch = 0  # how many failures have counted: what a call notes when it is sent
        self.successes = 0

    @property
    def stopping(self) -> bool:
        return self._stopping.is_set()

    def stop(self) -> None:
        """No call is sent any more; who waits is woken."""
        self._stopping.set()

    def succeeded(self) -> None:
        self._in_a_row = 0
        self.successes += 1

    def failed(self, *, sent_in: int, limited: bool, told: float | None) -> bool:
        """Note a failure that may pass; return whether the provider is down.

        sent_in: `stretch` when the call was sent. limited: the provider says that it is asked too much.
        told: seconds it asks to wait.
        """
        if told is not None and told > self._options.longest_wait:
            return True
        counts = sent_in == self.stretch
        if counts:
            self.stretch += 1
            self._in_a_row += 1
        if limited or told is not None or (counts and self._in_a_row > 1):
            wait = told if told is not None else self._step(self._in_a_row - 1)
            self._brake = max(self._brake, self._timing.clock() + wait)
        return self._in_a_row >= self._options.attempts

    async def back_off(self, failures: int) -> None:
        """Wait before another try of a call that failed `failures` times: exponential, with full jitter."""
        await self._pause(self._timing.rng.uniform(0, self._step(failures)))

    async def clear(self) -> bool:
        """Wait until calls may be sent; False: no more are."""
        while not self.stopping:
            left = self._brake - self._timing.clock()
            if left <= 0:
                return True
            # Spread, or all would come back in the same instant.
            await self._pause(left + self._timing.rng.uniform(0, self._options.backoff))
        return False

    def _step(self, failures: int) -> float:
        doubled = self._options.backoff * 2.0 ** min(max(failures - 1, 0), 32)
        return min(doubled, self._options.longest_wait)

    async def _pause(self, seconds: float) -> None:
        sleeping = asyncio.ensure_future(self._timing.sleep(seconds))
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait({sleeping, stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sleeping.cancel()
            stopping.cancel()
