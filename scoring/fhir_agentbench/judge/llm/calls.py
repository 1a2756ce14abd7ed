"""One question to the provider: sending it, and trying again as long as a fault may pass."""

import asyncio
import hashlib
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from scoring.fhir_agentbench.judge.llm.backoff import Backoff, Timing, retry_after
from scoring.fhir_agentbench.judge.llm.options import LlmOptions
from scoring.fhir_agentbench.judge.llm.prompts import STRUCTURE, PromptKind, messages
from scoring.fhir_agentbench.judge.llm.replies import Reply, read_reply
from scoring.judging import Case

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

logger = logging.getLogger(__name__)

# The key, the address or the model is wrong, the account is empty (402), the server redirects: another
# try of any question would end the same.
_REFUSES_ALL = frozenset({401, 402, 403, 404, *range(300, 400)})
_MAY_PASS = frozenset({408, 409, 425, 429, *range(500, 600)})
# Errors, of whatever library the client speaks HTTP with, at which nothing was sent.
_UNSENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})
# How servers complain of what they do not know; each is then left out for the rest of the run.
_COMPLAINTS = {
    "response_format": re.compile(r"response.?format|json.?schema|structured|guided|grammar", re.IGNORECASE),
    # Some say so too when a reply did not fit into the limit.
    "max_completion_tokens": re.compile(r"max.?(?:completion.?)?tokens", re.IGNORECASE),
    "temperature": re.compile(r"temperature", re.IGNORECASE),
}


class Trouble(StrEnum):
    """Why a case is undecided: the reasons of verdicts."""

    PROVIDER_DOWN = "provider-down"
    PROVIDER_REFUSED = "provider-refused"
    REPLY_UNUSABLE = "reply-unusable"
    BUDGET_SPENT = "budget-spent"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """A question to put. number: how often it was put before, to replies of no use.

    failures: how often in a row it was sent since and failed. backs_off: it waits before it is sent again.
    """

    kind: PromptKind
    case: Case
    key: bytes
    number: int = 0
    failures: int = 0
    backs_off: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOutcome:
    """What came of an Ask: a reply, a trouble, or what to ask again; none, where the run stopped before it
    was sent.

    ends_run: the trouble is not this question's alone. unanswered: it was sent and no reply came, which may
    have to be paid for, so that another try is for the run to allow.
    """

    reply: Reply | None = None
    trouble: Trouble | None = None
    ends_run: bool = False
    again: ModelRequest | None = None
    unanswered: bool = False


@dataclass(frozen=True, slots=True)
class _Answer:
    """A response, as far as it matters here. status 0: none came. unsent: nobody got the question."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] | None = None
    complaint: str = ""
    code: str | None = None
    unsent: bool = False

    @property
    def is_missing(self) -> bool:
        """Whether the provider may have worked on the question, and charge for it, for nothing."""
        return not self.unsent and (self.status in (0, 408) or self.status >= 500)


class Caller:
    """Puts questions through `client`, many at a time in one event loop, for one run."""

    def __init__(self, client: "AsyncOpenAI", options: LlmOptions, timing: Timing) -> None:
        self._create = client.chat.completions.with_raw_response.create
        self._options, self._timing = options, timing
        self.waiting = Backoff(options, timing)
        self._extras: dict[str, Any] = {"response_format": STRUCTURE}
        if options.temperature is not None:
            self._extras["temperature"] = options.temperature
        if options.completion_limit is not None:
            self._extras["max_completion_tokens"] = options.completion_limit
        self._refusals = 0
        self._told: set[str] = set()

    async def put(self, ask: ModelRequest) -> CallOutcome:
        """Return what came of `ask`."""
        failures = ask.failures
        if ask.backs_off:
            await self.waiting.back_off(failures)
        while await self.waiting.clear():
            extras, sent_in = dict(self._extras), self.waiting.stretch
            answer = await self._send(ask, extras)
            if answer.status == 200:
                self.waiting.succeeded()
                return CallOutcome(reply=read_reply(answer.body))
            if self._left_out(answer, extras):
                continue
            if (refused := self._refused(answer)) is not None:
                return refused
            limited, lost = answer.status == 429, answer.is_missing
            self._tell(
                f"HTTP {answer.status}" if answer.status else "no answer in time, or a broken connection"
            )
            told = retry_after(answer.headers or {}, now=self._timing.wall())
            if self.waiting.failed(sent_in=sent_in, limited=limited, told=told):
                return CallOutcome(trouble=Trouble.PROVIDER_DOWN, ends_run=True, unanswered=lost)
            # Being asked too much says nothing of this question: it waits for as long as others succeed.
            failures += not limited
            if failures >= self._options.attempts:
                return CallOutcome(trouble=Trouble.PROVIDER_DOWN, unanswered=lost)
            if lost:
                again = replace(ask, failures=failures, backs_off=told is None)
                return CallOutcome(again=again, unanswered=True)
            if told is None:
                await self.waiting.back_off(max(failures, 1))
        return CallOutcome()

    async def _send(self, ask: ModelRequest, extras: dict[str, Any]) -> _Answer:
        from openai import APIConnectionError, APIStatusError  # noqa: PLC0415 - as in call_thread.py

        try:
            # The client's own time-out is for each step of a call; this one is for the whole.
            async with asyncio.timeout(self._options.timeout):
                response = await self._create(
                    model=self._options.model,
                    # In extra_body, which replaces it: what stands there is sent as it is, while the
                    # client takes a third of all its time to look through messages for what to rename.
                    messages=[],
                    extra_body={"messages": messages(ask.kind, ask.case, again=ask.number > 0), **extras},
                    extra_headers={"Idempotency-Key": _idempotency_key(ask, extras)},
                )
        except APIStatusError as error:
            return _of_error(error)
        except (APIConnectionError, TimeoutError) as error:
            return _Answer(0, unsent=type(error.__cause__).__name__ in _UNSENT)
        return _Answer(response.status_code, response.content)

    def _left_out(self, answer: _Answer, extras: dict[str, Any]) -> bool:
        """Whether the server complains of something that can be left out; it is from then on."""
        if answer.status not in (400, 422):
            return False
        found = [name for name in extras if _COMPLAINTS[name].search(answer.complaint)]
        for name in found:
            self._extras.pop(name, None)
            self._tell(f"the server does not take {name}; it is left out")
        return bool(found)

    def _refused(self, answer: _Answer) -> CallOutcome | None:
        """Return the outcome where another try would end the same, else None."""
        no_credit = answer.status == 429 and answer.code == "insufficient_quota"
        if answer.status == 0 or (answer.status in _MAY_PASS and not no_credit):
            return None
        self._refusals += 1
        self._tell(f"HTTP {answer.status}, a refusal")
        # Refused one after the other with none answered: it is not the questions.
        never_worked = self.waiting.successes == 0 and self._refusals >= self._options.attempts
        return CallOutcome(
            trouble=Trouble.PROVIDER_REFUSED,
            ends_run=no_credit or answer.status in _REFUSES_ALL or never_worked,
        )

    def _tell(self, what: str) -> None:
        # Once a kind and run, and never the provider's own words: they may repeat a question or the key.
        if what not in self._told:
            self._told.add(what)
            logger.warning("The judge's model %s: %s", self._options.model, what)


def _of_error(error: "APIStatusError") -> _Answer:
    complaint = f"{error.message} {error.param or ''}"
    return _Answer(error.status_code, headers=error.response.headers, complaint=complaint, code=error.code)


def _idempotency_key(ask: ModelRequest, extras: dict[str, Any]) -> str:
    """Return what a gateway knows a question by: the same for another try after a fault, and after this
    process was killed; another for another ask, or another way to put it."""
    told = ask.key + repr((ask.number, sorted(extras))).encode()
    return "wardboard-" + hashlib.sha256(told).hexdigest()
