"""A real HTTP server on loopback that speaks the chat-completions protocol and answers as scripted.

As a process of its own, for benchmarks and for tests that kill the service:

    python -m tests.support.llm_server --port 8123 --latency 0.2

It prints its base address; `GET /stats` then tells as JSON what it has seen.
"""

import argparse
import asyncio
import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

_TOKENS = {"prompt_tokens": 700, "completion_tokens": 10, "total_tokens": 710}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request. number: 0 for the first. record: stands for what was asked, whatever asked it."""

    number: int
    body: dict[str, Any]
    headers: dict[str, str]
    record: str

    @property
    def system(self) -> str:
        return self.body["messages"][0]["content"]

    @property
    def user(self) -> str:
        return self.body["messages"][1]["content"]

    @property
    def data(self) -> dict[str, Any]:
        """What stands in the block of data."""
        return json.loads(self.user.splitlines()[1])

    @property
    def is_normalising(self) -> bool:
        return "true_answer" not in self.data


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One answer. text: of the message, or the whole body where `raw`. delay: seconds, None is the
    server's latency. after, until: not before so many have been asked, or that holds. hang: never answered.
    cut: so many bytes of the answer, then the connection is closed (0: without a byte). reset: it is closed
    hard instead."""

    text: str | None = '{"correct": 1}'
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float | None = None
    after: int = 0
    until: Callable[[], object] | None = None
    finish: str = "stop"
    refusal: str | None = None
    usage: dict[str, int] | None = field(default_factory=lambda: dict(_TOKENS))
    raw: bool = False
    hang: bool = False
    cut: int | None = None
    reset: bool = False

    def payload(self) -> bytes:
        if self.raw:
            return (self.text or "").encode()
        if self.status != 200:
            return json.dumps({"error": {"message": self.text, "type": "error", "code": None}}).encode()
        message = {"role": "assistant", "content": self.text, "refusal": self.refusal}
        choice = {"index": 0, "message": message, "finish_reason": self.finish}
        reply = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "stub"}
        return json.dumps(reply | {"choices": [choice], "usage": self.usage}).encode()


def failing(status: int, text: str = "no", **headers: str) -> Said:
    """An error; a header's name is written with underscores."""
    return Said(status=status, text=text, headers={k.replace("_", "-"): v for k, v in headers.items()})


def verdict_of(record: str) -> int:
    """The verdict that a server without a script gives: arbitrary, and the same for the same record."""
    return int(record, 16) % 2


Script = Callable[[Asked], Said]


class LlmServer:
    """Use as `with LlmServer(...) as server:`; `server.url` is the base address.

    script: answers in turn, the last of them for ever, or a function from what was asked; none gives an
    arbitrary verdict that is the same for the same record. latency: seconds before each answer. A request
    whose Idempotency-Key was answered with 200 gets that answer again, as a gateway that knows keys gives
    it, and one whose key is being worked on waits for it; idempotent=False leaves that out.

    asked: the requests that were worked on, in order. judged: how often each record got a 200 that was
    worked on. replayed: answers given again. most_at_once: requests under way at a time. dropped: clients
    that left before their answer.
    """

    def __init__(
        self, *script: Said | Script, latency: float = 0.0, idempotent: bool = True, port: int = 0
    ) -> None:
        self._script = script
        self._latency, self._idempotent, self._port = latency, idempotent, port
        self._answers: dict[str, asyncio.Future[Said]] = {}
        self.asked: list[Asked] = []
        self.judged: Counter[str] = Counter()
        self.replayed = self.dropped = self.at_once = self.most_at_once = 0
        self._started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self.serve()), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def stats(self) -> dict[str, int]:
        return {
            "calls": len(self.asked),
            "judged": sum(self.judged.values()),
            "records": len(self.judged),
            "most_judged": max(self.judged.values(), default=0),
            "replayed": self.replayed,
            "most_at_once": self.most_at_once,
        }

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join()

    async def serve(self, *, announce: bool = False) -> None:
        """Serve until the end of the `with`, or for ever."""
        self._loop, self._ending = asyncio.get_running_loop(), asyncio.Event()
        server = await self._loop.create_server(lambda: _Connection(self), "127.0.0.1", self._port)
        self._port = server.sockets[0].getsockname()[1]
        self._started.set()
        if announce:
            print(self.url, flush=True)
        await self._ending.wait()
        server.close()

    async def answer(self, body: dict[str, Any], headers: dict[str, str]) -> Said:
        """Return the answer to a request, when it is time."""
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            key = headers.get("idempotency-key") if self._idempotent else None
            if key is None:
                return await self._work(body, headers)
            if (earlier := self._answers.get(key)) is not None:
                said = await asyncio.shield(earlier)
                if said.status == 200:
                    self.replayed += 1
                    return said
            # In a task of its own: a client that leaves does not end the work on what it asked.
            work = self._answers[key] = asyncio.ensure_future(self._work(body, headers))
            return await asyncio.shield(work)
        finally:
            self.at_once -= 1

    async def _work(self, body: dict[str, Any], headers: dict[str, str]) -> Said:
        # Without system text, which is the same for each kind; the mark differs with the content.
        told = json.dumps(body["messages"]).encode()
        asked = Asked(
            number=len(self.asked), body=body, headers=headers, record=hashlib.sha256(told).hexdigest()
        )
        self.asked.append(asked)
        said = self._say(asked)
        if said.hang:
            await self._ending.wait()
        while len(self.asked) < said.after or (said.until and not said.until()):
            await asyncio.sleep(0.001)
        if delay := self._latency if said.delay is None else said.delay:
            await asyncio.sleep(delay)
        if said.status == 200 and said.cut is None and not said.reset:
            self.judged[asked.record] += 1
        else:
            self._answers.pop(headers.get("idempotency-key", ""), None)
        return said

    def _say(self, asked: Asked) -> Said:
        if not self._script:
            return Said(text=json.dumps({"correct": verdict_of(asked.record)}))
        step = self._script[min(asked.number, len(self._script) - 1)]
        return step if isinstance(step, Said) else step(asked)


class _Connection(asyncio.Protocol):
    """HTTP/1.1, as much as clients of this server speak: a length, one request at a time. By hand,
    because the server's own time must not count in what is measured with it."""

    def __init__(self, server: LlmServer) -> None:
        self._server, self._data = server, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._data += data
        head, found, rest = self._data.partition(b"\r\n\r\n")
        if not found:
            return
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", 0))
        if len(rest) >= length:
            self._data = rest[length:]
            self._task = asyncio.ensure_future(self._respond(first, headers, rest[:length]))

    async def _respond(self, first: str, headers: dict[str, str], body: bytes) -> None:
        if first.startswith("GET /stats"):
            return self._write(Said(raw=True, text=json.dumps(self._server.stats())))
        if not first.startswith("POST /v1/chat/completions "):
            return self._write(failing(404, "no such path"))
        said = await self._server.answer(json.loads(body), headers)
        if self._transport.is_closing():
            self._server.dropped += 1
            return None
        if said.reset:
            return self._transport.abort()
        return self._write(said)

    def _write(self, said: Said) -> None:
        payload = said.payload()
        lines = {"Content-Type": "application/json", "Content-Length": str(len(payload))} | said.headers
        head = f"HTTP/1.1 {said.status} Scripted\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines.items())
        self._transport.write((head.encode() + b"\r\n" + payload)[: said.cut])
        if said.cut is not None:
            self._transport.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="A stub of a language model's server.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds (default: %(default)s)")
    parser.add_argument("--not-idempotent", action="store_true", help="take no notice of Idempotency-Key")
    args = parser.parse_args()
    server = LlmServer(latency=args.latency, idempotent=not args.not_idempotent, port=args.port)
    asyncio.run(server.serve(announce=True))


if __name__ == "__main__":
    main()
