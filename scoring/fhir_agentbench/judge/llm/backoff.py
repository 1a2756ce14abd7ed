"""When to call a failed provider again; shared by all calls of a run."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from random import Random

from wardboard.scoring.fhir_agentbench.judge.llm.options import LlmOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Hold the sources of time and chance, which tests replace.

    clock: seconds from any start. wall: seconds since 1970. sleep: takes seconds.
    """

    rng: Random = field(default_factory=Random)
    clock: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep


def retry_after(headers: Mapping[str, str], *, now: float) -> float | None:
    """Return the seconds that a provider asks to wait, 0 or more; None if it does not ask.

    headers: by lower-case name, or case-insensitive. now: seconds since 1970.
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
    """Track the failures of a run's provider, within one event loop.

    Consecutive failures are counted over all calls of the run. A failure counts if its call was sent after
    the last one that counted, so a short fault that hits all calls under way is one failure, not
    sixty-four. A success ends the count. From the second failure on, and whenever the provider reports too
    many requests, all calls are blocked for a while; after `attempts` failures the provider is down.
    """

    def __init__(self, options: LlmOptions, timing: Timing) -> None:
        self._options, self._timing = options, timing
        self._stopping = asyncio.Event()
        self._blocked_until = -math.inf
        self._failures_in_a_row = 0
        self.failure_count = 0  # failures that counted; each call remembers it when it is sent
        self.successes = 0

    @property
    def stopping(self) -> bool:
        return self._stopping.is_set()

    def stop(self) -> None:
        """Let no more calls be sent, and wake those that wait."""
        self._stopping.set()

    def succeeded(self) -> None:
        self._failures_in_a_row = 0
        self.successes += 1

    def failed(self, *, failures_at_send: int, limited: bool, requested_wait: float | None) -> bool:
        """Record a transient failure; return whether the provider is down.

        failures_at_send: `failure_count` when the call was sent. limited: the provider reports too many
        requests. requested_wait: seconds that it asks to wait, None if it does not ask.
        """
        if requested_wait is not None and requested_wait > self._options.longest_wait:
            return True
        counts = failures_at_send == self.failure_count
        if counts:
            self.failure_count += 1
            self._failures_in_a_row += 1
        if limited or requested_wait is not None or (counts and self._failures_in_a_row > 1):
            wait = requested_wait if requested_wait is not None else self._step(self._failures_in_a_row - 1)
            self._blocked_until = max(self._blocked_until, self._timing.clock() + wait)
        return self._failures_in_a_row >= self._options.attempts

    async def back_off(self, failures: int) -> None:
        """Wait before retrying a call that failed `failures` times: exponential, with full jitter."""
        await self._pause(self._timing.rng.uniform(0, self._step(failures)))

    async def wait_until_clear(self) -> bool:
        """Wait until calls may be sent; return False if no more may."""
        while not self.stopping:
            left = self._blocked_until - self._timing.clock()
            if left <= 0:
                return True
            # Spread out, or all calls would be sent at the same instant.
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
