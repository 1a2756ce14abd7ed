"""A thread with an event loop that calls the provider many times at once."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from threading import Thread
from types import TracebackType
from typing import Self

from wardboard.scoring.fhir_agentbench.judge.llm.backoff import Timing
from wardboard.scoring.fhir_agentbench.judge.llm.calls import Caller, CallOutcome, ModelRequest
from wardboard.scoring.fhir_agentbench.judge.llm.dialogue import Dialogue
from wardboard.scoring.fhir_agentbench.judge.llm.options import LlmOptions

# Receives a request with its outcome, or the error that ended the thread.
OnOutcome = Callable[[tuple[ModelRequest, CallOutcome] | BaseException], None]


class CallThread:
    """Call the provider while the `with` block runs; leaving it cancels the calls under way.

    Thanks to this thread, calls go on while the caller's thread waits for a database, and that thread has
    no running event loop, in which Django refuses queries. on_outcome: called in this thread. on_answer:
    likewise, see Caller.
    """

    def __init__(
        self,
        options: LlmOptions,
        dialogue: Dialogue,
        timing: Timing,
        on_outcome: OnOutcome,
        on_answer: Callable[[str], None],
    ) -> None:
        self._options, self._dialogue, self._timing = options, dialogue, timing
        self._on_outcome, self._on_answer = on_outcome, on_answer
        self._started: Future[None] = Future()
        # In a copy of the caller's context, whose ids its log lines carry.
        self._thread = Thread(target=copy_context().run, args=(self._run,), name="judge-calls", daemon=True)

    def submit(self, requests: Sequence[ModelRequest]) -> None:
        """Queue `requests` for the next free calls; their outcomes are passed to `on_outcome`."""

        def put_all() -> None:
            for request in requests:
                self._queue.put_nowait(request)

        if requests:
            self._loop.call_soon_threadsafe(put_all)

    def stop(self) -> None:
        """Send nothing more. Every request that was submitted still gets an outcome."""
        self._loop.call_soon_threadsafe(self._caller.backoff.stop)

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A loop that has ended by itself has already reported so.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._until_stopped.cancel)
        self._thread.join()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except asyncio.CancelledError:
            return
        except BaseException as error:
            if self._started.done():
                self._on_outcome(error)
            else:
                self._started.set_exception(error)

    async def _serve(self) -> None:
        # Import it here: it takes half a second and 50 MB, which judging by rules does not need.
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient  # noqa: PLC0415

        options = self._options
        # A redirect could send the questions, which contain the reference, to another host.
        http = DefaultAsyncHttpxClient(timeout=options.timeout, follow_redirects=False)
        async with AsyncOpenAI(
            # The client requires a key; a server that needs none ignores it.
            api_key=options.api_key or "none",
            base_url=options.address,
            timeout=options.timeout,
            max_retries=0,
            http_client=http,
        ) as client:
            self._caller = Caller(client, options, self._dialogue, self._timing, self._on_answer)
            self._queue: asyncio.Queue[ModelRequest] = asyncio.Queue()
            self._loop = asyncio.get_running_loop()
            async with asyncio.TaskGroup() as group:
                # Cancelling this ends the thread.
                self._until_stopped = asyncio.ensure_future(asyncio.Event().wait())
                for _ in range(options.concurrency):
                    group.create_task(self._work())
                self._started.set_result(None)
                await self._until_stopped

    async def _work(self) -> None:
        while True:
            request = await self._queue.get()
            outcome = await self._caller.send(request)
            self._on_outcome((request, outcome))
            if outcome.ends_run:
                self._caller.backoff.stop()
