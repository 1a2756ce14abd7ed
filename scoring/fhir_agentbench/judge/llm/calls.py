"""Send one request to the provider, and retry while its fault may be transient."""

import asyncio
import hashlib
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from wardboard.scoring.fhir_agentbench.judge.llm.backoff import Backoff, Timing, retry_after
from wardboard.scoring.fhir_agentbench.judge.llm.dialogue import Dialogue
from wardboard.scoring.fhir_agentbench.judge.llm.options import LlmOptions
from wardboard.scoring.fhir_agentbench.judge.llm.prompts import PromptKind
from wardboard.scoring.fhir_agentbench.judge.llm.replies import Reply
from wardboard.scoring.judging import Case

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

logger = logging.getLogger(__name__)

# The key, the address or the model is wrong, the account is empty (402), or the server redirects: every
# request would fail in the same way.
_REFUSES_ALL = frozenset({401, 402, 403, 404, *range(300, 400)})
_MAY_PASS = frozenset({408, 409, 425, 429, *range(500, 600)})
# Names of HTTP client errors before which nothing was sent, whichever library raised them.
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
    """Hold a request to the model.

    - kind, case: the prompt and its contents.
    - key: see `prompt_key`.
    - scope: see Ledger.
    - unusable_replies: how many replies to it were unusable so far.
    - failures: how often it failed in a row since then.
    - backs_off: whether it waits before it is sent again.
    """

    kind: PromptKind
    case: Case
    key: bytes
    scope: bytes = b""
    unusable_replies: int = 0
    failures: int = 0
    backs_off: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOutcome:
    """Hold the outcome of a request: a reply, a reason why there is none, or a request to retry.

    All three are None if the run stopped before the request was sent.

    - ends_run: the reason holds for every request.
    - may_be_billed: it was sent without a reply, which may cost money, so the run has to allow a retry.
    """

    reply: Reply | None = None
    reason: UndecidedReason | None = None
    ends_run: bool = False
    retry: ModelRequest | None = None
    may_be_billed: bool = False


@dataclass(frozen=True, slots=True)
class _Response:
    """Hold the relevant parts of an HTTP response.

    status: 0 if there was no response. unsent: the request did not reach the provider. is_late: none came in
    time.
    """

    status: int
    body: bytes = b""
    headers: Mapping[str, str] | None = None
    error_text: str = ""
    code: str | None = None
    unsent: bool = False
    is_late: bool = False

    @property
    def name(self) -> str:
        """See Ledger.count_answers."""
        return str(self.status or ("timeout" if self.is_late else "unreachable"))

    @property
    def may_be_billed(self) -> bool:
        """Whether the provider may charge for the request although there is no reply."""
        return not self.unsent and (self.status in (0, 408) or self.status >= 500)


class Caller:
    """Send the requests of one run through `client`, many at a time in one event loop.

    on_answer: receives the name of each answer, as Ledger.count_answers has it.
    """

    def __init__(
        self,
        client: "AsyncOpenAI",
        options: LlmOptions,
        dialogue: Dialogue,
        timing: Timing,
        on_answer: Callable[[str], None],
    ) -> None:
        self._create = client.chat.completions.with_raw_response.create
        self._options, self._dialogue, self._timing = options, dialogue, timing
        self.backoff = Backoff(options, timing)
        self._extras = dialogue.parameters(options)
        self._on_answer = on_answer
        self._refusals = 0
        self._logged: set[str] = set()

    async def send(self, request: ModelRequest) -> CallOutcome:
        """Send `request`, with retries, and return its outcome."""
        failures = request.failures
        if request.backs_off:
            await self.backoff.back_off(failures)
        while await self.backoff.wait_until_clear():
            extras, failures_at_send = dict(self._extras), self.backoff.failure_count
            response = await self._send(request, extras)
            self._on_answer(response.name)
            if response.status == 200:
                self.backoff.succeeded()
                return CallOutcome(reply=self._dialogue.read(request.kind, response.body))
            if self._drop_refused_options(response, extras):
                continue
            if (refused := self._refusal(response)) is not None:
                return refused
            limited, may_be_billed = response.status == 429, response.may_be_billed
            self._log_once(
                f"HTTP {response.status}" if response.status else "no answer in time, or a broken connection"
            )
            requested_wait = retry_after(response.headers or {}, now=self._timing.wall())
            if self.backoff.failed(
                failures_at_send=failures_at_send, limited=limited, requested_wait=requested_wait
            ):
                return CallOutcome(
                    reason=UndecidedReason.PROVIDER_DOWN, ends_run=True, may_be_billed=may_be_billed
                )
            # Too many requests is not this request's fault: it waits for as long as others succeed.
            failures += not limited
            if failures >= self._options.attempts:
                return CallOutcome(reason=UndecidedReason.PROVIDER_DOWN, may_be_billed=may_be_billed)
            if may_be_billed:
                retry = replace(request, failures=failures, backs_off=requested_wait is None)
                return CallOutcome(retry=retry, may_be_billed=True)
            if requested_wait is None:
                await self.backoff.back_off(max(failures, 1))
        return CallOutcome()

    async def _send(self, request: ModelRequest, extras: dict[str, Any]) -> _Response:
        from openai import APIConnectionError, APIStatusError, APITimeoutError  # noqa: PLC0415 - as in call_thread.py

        try:
            # The client's own time-out is for each step of a call; this one is for the whole call.
            async with asyncio.timeout(self._options.timeout):
                response = await self._create(
                    model=self._options.model,
                    # Replaced by extra_body, which is sent as it is: the client would spend a third of
                    # its time searching messages for keys to rename.
                    messages=[],
                    extra_body={
                        "messages": self._dialogue.messages(
                            request.kind, request.case, repeated=request.unusable_replies > 0
                        ),
                        **extras,
                    },
                    extra_headers={"Idempotency-Key": _idempotency_key(request, extras)},
                )
        except APIStatusError as error:
            return _error_response(error)
        except (APIConnectionError, TimeoutError) as error:
            is_late = isinstance(error, (TimeoutError, APITimeoutError))
            return _Response(0, unsent=type(error.__cause__).__name__ in _UNSENT, is_late=is_late)
        return _Response(response.status_code, response.content)

    def _drop_refused_options(self, response: _Response, extras: dict[str, Any]) -> bool:
        """Stop sending the options that the server reports as unsupported; return whether it did."""
        if response.status not in (400, 422) or not self._dialogue.adapts:
            return False
        refused_options = [name for name in extras if _COMPLAINTS[name].search(response.error_text)]
        for name in refused_options:
            self._extras.pop(name, None)
            self._log_once(f"the server does not take {name}; it is left out")
        return bool(refused_options)

    def _refusal(self, response: _Response) -> CallOutcome | None:
        """Return the outcome if a retry would fail in the same way, else None."""
        no_credit = response.status == 429 and response.code == "insufficient_quota"
        if response.status == 0 or (response.status in _MAY_PASS and not no_credit):
            return None
        if response.code == _TOO_LONG and self._dialogue.too_long_is_zero:
            return CallOutcome(reply=Reply(label=False, prompt_tokens=0, completion_tokens=0))
        self._refusals += 1
        self._log_once(f"HTTP {response.status}, a refusal")
        # If all requests are refused and none was answered, the requests are not the cause.
        never_worked = self.backoff.successes == 0 and self._refusals >= self._options.attempts
        return CallOutcome(
            reason=UndecidedReason.PROVIDER_REFUSED,
            ends_run=no_credit or response.status in _REFUSES_ALL or never_worked,
        )

    def _log_once(self, message: str) -> None:
        # Logged once per run, and never in the provider's words: they may repeat a question or the key.
        if message not in self._logged:
            self._logged.add(message)
            logger.warning("The judge's model %s: %s", self._options.model, message)


def _error_response(error: "APIStatusError") -> _Response:
    error_text = f"{error.message} {error.param or ''}"
    return _Response(
        error.status_code, headers=error.response.headers, error_text=error_text, code=error.code
    )


def _idempotency_key(request: ModelRequest, extras: dict[str, Any]) -> str:
    """Return the key by which a gateway recognises a retry.

    It is the same after a fault or a restart of this process, and differs if the request, its scope or its
    options do.
    """
    text = request.key + request.scope + repr((request.unusable_replies, sorted(extras))).encode()
    return "wardboard-" + hashlib.sha256(text).hexdigest()
