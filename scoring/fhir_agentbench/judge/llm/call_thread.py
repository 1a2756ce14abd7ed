"""Calls under way at a time: an event loop in a thread of its own."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from threading import Thread
from types import TracebackType
from typing import Self

from scoring.fhir_agentbench.judge.llm.backoff import Timing
from scoring.fhir_agentbench.judge.llm.calls import Caller, CallOutcome, ModelRequest
from scoring.fhir_agentbench.judge.llm.options import LlmOptions

# What comes back: what was asked and its outcome, or the error that ended the thread.
Answered = Callable[[tuple[ModelRequest, CallOutcome] | BaseException], None]


class CallThread:
    """Use as `with Provider(...) as provider:`; leaving it breaks off what is under way.

    The thread is there so that the caller's may wait for a database (and is no thread with a running
    event loop, in which Django refuses to ask one), while calls go on. answered: called in the thread.
    """

    def __init__(self, options: LlmOptions, timing: Timing, answered: Answered) -> None:
        self._options, self._timing, self._answered = options, timing, answered
        self._started: Future[None] = Future()
        self._thread = Thread(target=self._run, name="judge-calls", daemon=True)

    def put(self, asks: Sequence[ModelRequest]) -> None:
        """Have `asks` put as soon as calls are free; their outcomes come through `answered`."""

        def put_now() -> None:
            for ask in asks:
                self._asks.put_nowait(ask)

        if asks:
            self._loop.call_soon_threadsafe(put_now)

    def stop(self) -> None:
        """Send nothing more. Every ask that was put still gets an outcome."""
        self._loop.call_soon_threadsafe(self._caller.waiting.stop)

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A loop that has ended by itself has told so already.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._main.cancel)
        self._thread.join()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except asyncio.CancelledError:
            return
        except BaseException as error:
            if self._started.done():
                self._answered(error)
            else:
                self._started.set_exception(error)

    async def _serve(self) -> None:
        # Imported here: it takes half a second and 50 MB, which who judges by rules alone does without.
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient  # noqa: PLC0415

        options = self._options
        # A redirect could take the questions, which hold the reference, to another host.
        http = DefaultAsyncHttpxClient(timeout=options.timeout, follow_redirects=False)
        async with AsyncOpenAI(
            # The client insists on a key; a server that wants none does not look at it.
            api_key=options.api_key or "none",
            base_url=options.address,
            timeout=options.timeout,
            max_retries=0,
            http_client=http,
        ) as client:
            self._caller = Caller(client, options, self._timing)
            self._asks: asyncio.Queue[ModelRequest] = asyncio.Queue()
            self._loop = asyncio.get_running_loop()
            async with asyncio.TaskGroup() as group:
                # Kept, to be cancelled: that is how the thread is told to end.
                self._main = asyncio.ensure_future(asyncio.Event().wait())
                for _ in range(options.concurrency):
                    group.create_task(self._work())
                self._started.set_result(None)
                await self._main

    async def _work(self) -> None:
        while True:
            ask = await self._asks.get()
            outcome = await self._caller.put(ask)
            self._answered((ask, outcome))
            if outcome.ends_run:
                self._caller.waiting.stop()
