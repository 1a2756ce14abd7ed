"""Send a request to the provider. The client of `openai` tries it again where a fault may be transient."""

import asyncio
import hashlib
import logging
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from wardboard.scoring.fhir_agentbench.judge.llm.options import LlmOptions
from wardboard.scoring.fhir_agentbench.judge.llm.prompts import Dialogue, PromptKind
from wardboard.scoring.fhir_agentbench.judge.llm.replies import Reply
from wardboard.scoring.judging import Case

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

logger = logging.getLogger(__name__)

# How often the client sends a request again after 408, 409, 429, 5xx or a broken connection.
RETRIES = 2
# The key, the address or the model is wrong, the account is empty (402), or the server redirects: every
# request would fail in the same way.
_REFUSES_ALL = frozenset({401, 402, 403, 404, *range(300, 400)})
_MAY_PASS = frozenset({408, 409, 425, 429, *range(500, 600)})
# As many refusals, and no answer before them, are not the fault of the requests.
_REFUSALS = 6
# So many calls that failed in a row, and one in each place at least, are an outage.
_FAILURES = 3
# Names of errors of HTTP clients before which nothing was sent.
_UNSENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})
# How OpenAI reports a request that exceeds the model's context.
_TOO_LONG = "context_length_exceeded"
# How servers report an option that they do not support; it is then left out for the rest of the run.
_COMPLAINTS = {
    "response_format": re.compile(r"response.?format|json.?schema|structured|guided|grammar", re.IGNORECASE),
    # Some servers also report this if a reply exceeds the limit.
    "max_completion_tokens": re.compile(r"max.?(?:completion.?)?tokens", re.IGNORECASE),
    "temperature": re.compile(r"temperature", re.IGNORECASE),
}


class UndecidedReason(StrEnum):
    """Name why a case is undecided: the reason of its verdict."""

    PROVIDER_DOWN = "provider-down"
    PROVIDER_REFUSED = "provider-refused"
    REPLY_UNUSABLE = "reply-unusable"
    BUDGET_SPENT = "budget-spent"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """Hold a request to the model. is_repeated: whether the last reply to it was unusable."""

    kind: PromptKind
    case: Case
    key: bytes
    scope: bytes = b""
    is_repeated: bool = False


@dataclass(slots=True)
class Try:
    """Hold what came of one HTTP request.

    answer: see Ledger.count_answers. may_be_billed: there is no reply, and the provider may charge for it.
    """

    answer: str = "timeout"
    may_be_billed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOutcome:
    """Hold the outcome of a request and its tries: a reply, or a reason, which may hold for every request."""

    reply: Reply | None = None
    reason: UndecidedReason | None = None
    ends_run: bool = False
    tries: Sequence[Try] = ()


# The tries of the call that runs in the task.
_tries: ContextVar[list[Try]] = ContextVar("tries")


@asynccontextmanager
async def open_caller(options: LlmOptions, dialogue: Dialogue) -> AsyncIterator["Caller"]:
    """Yield what sends the requests of one run, in the event loop of that thread."""
    # Import it here: it takes half a second and 50 MB, which judging by rules does not need.
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient  # noqa: PLC0415

    class CountingClient(DefaultAsyncHttpxClient):
        async def send(self, *args: Any, **options: Any) -> Any:
            current = Try()
            _tries.get().append(current)
            try:
                response = await super().send(*args, **options)
            except Exception as error:
                current.answer = "unreachable"
                current.may_be_billed = type(error).__name__ not in _UNSENT
                raise
            current.answer = str(response.status_code)
            current.may_be_billed = response.status_code == 408 or response.status_code >= 500
            return response

    async with AsyncOpenAI(
        # The client requires a key; a server that needs none ignores it.
        api_key=options.api_key or "none",
        base_url=options.address,
        timeout=options.timeout,
        max_retries=RETRIES,
        # A redirect could send the questions, which contain the reference, to another host.
        http_client=CountingClient(timeout=options.timeout, follow_redirects=False),
    ) as client:
        yield Caller(client, options, dialogue)


class Caller:
    """Send the requests of one run through `client`, many at a time in one event loop."""

    def __init__(self, client: "AsyncOpenAI", options: LlmOptions, dialogue: Dialogue) -> None:
        self._create = client.chat.completions.with_raw_response.create
        self._options, self._dialogue = options, dialogue
        self._extras = dialogue.parameters(options)
        self._answered = self._refused = self._failed_in_a_row = 0
        self._logged: set[str] = set()

    async def send(self, request: ModelRequest) -> CallOutcome:
        """Send `request` and return its outcome, after `timeout` seconds at the latest."""
        from openai import APIConnectionError, APIStatusError  # noqa: PLC0415 - as in open_caller

        tries: list[Try] = []
        _tries.set(tries)
        try:
            # The client's own time-out is for each step of a try; this one is for the whole call.
            async with asyncio.timeout(self._options.timeout):
                body = await self._send(request)
        except APIStatusError as error:
            return self._refusal(error, tries) or self._failure(f"HTTP {error.status_code}", tries)
        except (APIConnectionError, TimeoutError):
            return self._failure("no answer in time, or a broken connection", tries)
        self._answered += 1
        self._failed_in_a_row = 0
        return CallOutcome(reply=self._dialogue.read(request.kind, body), tries=tries)

    async def _send(self, request: ModelRequest) -> bytes:
        """Return the body of the reply, without the options that the server does not take."""
        from openai import APIStatusError  # noqa: PLC0415 - as in open_caller

        while True:
            extras = dict(self._extras)
            # A gateway recognises a retry by it, also after a fault or a restart of this process.
            call = request.key + request.scope + repr((request.is_repeated, sorted(extras))).encode()
            try:
                response = await self._create(
                    model=self._options.model,
                    # Replaced by extra_body, which is sent as it is: the client would spend a third of
                    # its time searching messages for keys to rename.
                    messages=[],
                    extra_body={
                        "messages": self._dialogue.messages(
                            request.kind, request.case, repeated=request.is_repeated
                        ),
                        **extras,
                    },
                    extra_headers={"Idempotency-Key": f"wardboard-{hashlib.sha256(call).hexdigest()}"},
                )
            except APIStatusError as error:
                if not self._drop_refused_options(error, extras):
                    raise
            else:
                return response.content

    def _drop_refused_options(self, error: "APIStatusError", extras: dict[str, Any]) -> bool:
        """Stop sending the options that the server reports as unsupported; return whether it did."""
        if error.status_code not in (400, 422) or not self._dialogue.adapts:
            return False
        text = f"{error.message} {error.param or ''}"
        refused_options = [name for name in extras if _COMPLAINTS[name].search(text)]
        for name in refused_options:
            self._extras.pop(name, None)
            self._log_once(f"the server does not take {name}; it is left out")
        return bool(refused_options)

    def _refusal(self, error: "APIStatusError", tries: Sequence[Try]) -> CallOutcome | None:
        """Return the outcome if a retry would fail in the same way, else None."""
        no_credit = error.status_code == 429 and error.code == "insufficient_quota"
        if error.status_code in _MAY_PASS and not no_credit:
            return None
        if error.code == _TOO_LONG and self._dialogue.too_long_is_zero:
            return CallOutcome(reply=Reply(label=False, prompt_tokens=0, completion_tokens=0), tries=tries)
        self._refused += 1
        self._log_once(f"HTTP {error.status_code}, a refusal")
        never_worked = not self._answered and self._refused >= _REFUSALS
        return CallOutcome(
            reason=UndecidedReason.PROVIDER_REFUSED,
            ends_run=no_credit or error.status_code in _REFUSES_ALL or never_worked,
            tries=tries,
        )

    def _failure(self, what: str, tries: Sequence[Try]) -> CallOutcome:
        """Return the outcome of a call that failed each time, and whether the provider is down."""
        self._log_once(what)
        self._failed_in_a_row += 1
        return CallOutcome(
            reason=UndecidedReason.PROVIDER_DOWN,
            ends_run=self._failed_in_a_row >= max(self._options.concurrency, _FAILURES),
            tries=tries,
        )

    def _log_once(self, message: str) -> None:
        # Logged once per run, and never in the provider's words: they may repeat a question or the key.
        if message not in self._logged:
            self._logged.add(message)
            logger.warning("The judge's model %s: %s", self._options.model, message)
