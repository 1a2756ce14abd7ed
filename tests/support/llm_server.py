"""A real HTTP server on loopback that speaks the chat-completions protocol and sends scripted replies.

As its own process, for benchmarks and for tests that kill the service:

    python -m tests.support.llm_server --port 8123 --latency 0.2

It prints its base URL; `GET /stats` then returns counts of its requests as JSON.
"""

import argparse
import asyncio
import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

_TOKENS = {"prompt_tokens": 700, "completion_tokens": 10, "total_tokens": 710}


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmRequest:
    """Hold one request.

    number: 0 for the first.
    record: a digest of the messages; equal questions have the same.
    """

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
        """Return the block of data in the prompt."""
        return json.loads(self.user.splitlines()[1])

    @property
    def is_normalising(self) -> bool:
        return "true_answer" not in self.data


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmReply:
    """Describe one reply.

    text: the text of the message, or the whole body if `raw`.
    delay: seconds before it is sent; None means the server's latency.
    after, until: it is not sent before this many requests came, or before this condition holds.
    hang: it is never sent.
    cut: the connection is closed after this many bytes (0: without a byte).
    reset: the connection is reset instead.
    served: model and fingerprint that the reply names.
    """

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
    served: tuple[str, str | None] = ("stub", None)

    def payload(self) -> bytes:
        if self.raw:
            return (self.text or "").encode()
        if self.status != 200:
            return json.dumps({"error": {"message": self.text, "type": "error", "code": None}}).encode()
        message = {"role": "assistant", "content": self.text, "refusal": self.refusal}
        choice = {"index": 0, "message": message, "finish_reason": self.finish}
        reply = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1}
        named = dict(zip(("model", "system_fingerprint"), self.served, strict=True))
        return json.dumps(reply | named | {"choices": [choice], "usage": self.usage}).encode()


def error_reply(status: int, text: str = "no", **headers: str) -> LlmReply:
    """Return an error reply that asks for a retry at once; write the names of headers with underscores."""
    headers = {"retry_after_ms": "1"} | headers
    return LlmReply(status=status, text=text, headers={k.replace("_", "-"): v for k, v in headers.items()})


Script = Callable[[LlmRequest], LlmReply]


class LlmServer:
    """Serve scripted replies: `with LlmServer(...) as server:`; `server.url` is the base URL.

    script: the replies in order, of which the last is repeated; a step can be a function from the request to
    a reply. Without a script each record gets an arbitrary verdict, always the same.
    latency: seconds before each reply.
    idempotent: a request whose Idempotency-Key got a 200 gets that reply again, as from a gateway that knows
    keys, and one whose key is in progress waits for its reply.

    requests: the requests that were processed, in order.
    judged: record -> number of 200 replies, without repeated ones.
    replayed: number of repeated replies.
    most_at_once: largest number of requests in progress at a time.
    """

    def __init__(
        self, *script: LlmReply | Script, latency: float = 0.0, idempotent: bool = True, port: int = 0
    ) -> None:
        self._script = script
        self._latency, self._idempotent, self._port = latency, idempotent, port
        self._answers: dict[str, asyncio.Future[LlmReply]] = {}
        self.requests: list[LlmRequest] = []
        self.judged: Counter[str] = Counter()
        self.replayed = self.at_once = self.most_at_once = 0
        self._started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self.serve()), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def stats(self) -> dict[str, int]:
        return {
            "calls": len(self.requests),
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

    def __exit__(self, *error: object) -> None:
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

    async def answer(self, body: dict[str, Any], headers: dict[str, str]) -> LlmReply:
        """Return the reply to a request when it is due."""
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            key = headers.get("idempotency-key") if self._idempotent else None
            if key is None:
                return await self._work(body, headers)
            if (answered := self._answers.get(key)) is not None:
                earlier_reply = await asyncio.shield(answered)
                if earlier_reply.status == 200:
                    self.replayed += 1
                    return earlier_reply
            # In its own task: a client that leaves does not end the work on its request.
            work = self._answers[key] = asyncio.ensure_future(self._work(body, headers))
            return await asyncio.shield(work)
        finally:
            self.at_once -= 1

    async def _work(self, body: dict[str, Any], headers: dict[str, str]) -> LlmReply:
        # Model and options do not count: equal messages are the same record.
        messages = json.dumps(body["messages"]).encode()
        request = LlmRequest(
            number=len(self.requests), body=body, headers=headers, record=hashlib.sha256(messages).hexdigest()
        )
        self.requests.append(request)
        reply = self._reply_to(request)
        if reply.hang:
            await self._ending.wait()
        while len(self.requests) < reply.after or (reply.until and not reply.until()):
            await asyncio.sleep(0.001)
        if delay := self._latency if reply.delay is None else reply.delay:
            await asyncio.sleep(delay)
        if reply.status == 200 and reply.cut is None and not reply.reset:
            self.judged[request.record] += 1
        else:
            self._answers.pop(headers.get("idempotency-key", ""), None)
        return reply

    def _reply_to(self, request: LlmRequest) -> LlmReply:
        if not self._script:
            return LlmReply(text=json.dumps({"correct": int(request.record, 16) % 2}))
        step = self._script[min(request.number, len(self._script) - 1)]
        return step if isinstance(step, LlmReply) else step(request)


class _Connection(asyncio.Protocol):
    """Speak as much HTTP/1.1 as the clients need: a content length, one request at a time.

    Written by hand, so that the server's own time does not distort measurements.
    """

    def __init__(self, server: LlmServer) -> None:
        self._server, self._data = server, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._data += data
        head, separator, rest = self._data.partition(b"\r\n\r\n")
        if not separator:
            return
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", 0))
        if len(rest) >= length:
            self._data = rest[length:]
            self._task = asyncio.ensure_future(self._respond(first, headers, rest[:length]))

    async def _respond(self, first: str, headers: dict[str, str], body: bytes) -> None:
        if first.startswith("GET /stats"):
            return self._write(LlmReply(raw=True, text=json.dumps(self._server.stats())))
        if not first.startswith("POST /v1/chat/completions "):
            return self._write(error_reply(404, "no such path"))
        reply = await self._server.answer(json.loads(body), headers)
        if reply.reset:
            self._transport.abort()
        elif not self._transport.is_closing():
            self._write(reply)
        return None

    def _write(self, reply: LlmReply) -> None:
        payload = reply.payload()
        lines = {"Content-Type": "application/json", "Content-Length": str(len(payload))} | reply.headers
        head = f"HTTP/1.1 {reply.status} Scripted\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines.items())
        self._transport.write((head.encode() + b"\r\n" + payload)[: reply.cut])
        if reply.cut is not None:
            self._transport.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="A stub of a language model's server.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds (default: %(default)s)")
    args = parser.parse_args()
    server = LlmServer(latency=args.latency, port=args.port)
    asyncio.run(server.serve(announce=True))


if __name__ == "__main__":
    main()
