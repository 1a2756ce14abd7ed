"""Judging many cases by a language model: what to ask, what it says, what it may cost."""

import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Literal

from scoring.fhir_agentbench.grading.references import NO_ANSWER
from scoring.fhir_agentbench.judge.injections.detect import is_suspect
from scoring.fhir_agentbench.judge.llm.backoff import Timing
from scoring.fhir_agentbench.judge.llm.call_thread import CallThread
from scoring.fhir_agentbench.judge.llm.calls import CallOutcome, ModelRequest, Trouble
from scoring.fhir_agentbench.judge.llm.options import LlmOptions
from scoring.fhir_agentbench.judge.llm.prompts import PromptKind, key_of, length_of
from scoring.fhir_agentbench.judge.llm.replies import Reply
from scoring.fhir_agentbench.judge.prepare_case import ready
from scoring.judging import Call, Case, JudgeVerdict, Ledger, Watch

_WATCHED_EVERY = 0.5  # seconds
# Seconds. Sixty commits a second are enough, and waking this thread for each answer holds up the calls.
_GATHERED_FOR = 0.015
SUSPECT = JudgeVerdict(correct=False, by="rules", reason="suspect", suspect=True)


class Run:
    """One pass over `cases`; use `verdicts` once. Everything but the calls is in the caller's thread.

    A case needs one label, or two where the true answer is `no answer`: is it a non-answer, and only if
    not, is it correct. A label is known, or asked for once however many cases need it, and counts only
    after the ledger has it.
    """

    def __init__(
        self, cases: Sequence[Case], options: LlmOptions, ledger: Ledger, watch: Watch | None, timing: Timing
    ) -> None:
        self._told = [ready(case) for case in cases]
        self._options, self._ledger, self._timing = options, ledger, timing
        self._watch = watch or (lambda decided, undecided: True)
        self._watched = time.monotonic()
        self._verdicts: list[JudgeVerdict | None] = [None] * len(cases)
        self._decided = self._undecided = 0
        self._labels: dict[bytes, bool] = {}
        self._wanting: dict[bytes, list[int]] = {}  # the cases that wait for a label
        self._called: set[int] = set()  # the cases that a call was made for
        self._pending: deque[ModelRequest] = deque()
        self._under_way = 0
        self._halted: Trouble | None = None
        self._inbox: SimpleQueue[tuple[ModelRequest, CallOutcome] | BaseException] = SimpleQueue()

    def verdicts(self) -> list[JudgeVerdict]:
        """Return the verdicts, in order. Raises what the ledger or `watch` raises."""
        self._look_up()
        for index, case in enumerate(self._told):
            self._show()
            if isinstance(case, JudgeVerdict):
                self._settle(index, case)
            elif is_suspect(case.agent_answer):
                self._settle(index, SUSPECT)
            else:
                self._advance(index, case)
        if not self._watch(self._decided, self._undecided):
            self._halt(Trouble.STOPPED)
        if self._pending:
            with CallThread(self._options, self._timing, self._inbox.put) as provider:
                self._work(provider)
        settled = [verdict for verdict in self._verdicts if verdict is not None]
        assert len(settled) == len(self._told), "a label that is wanted is pending, under way, or given up"
        return settled

    def _kinds(self, case: Case) -> tuple[PromptKind, ...]:
        return (
            (PromptKind.NORMALISE, PromptKind.JUDGE) if case.true_answer == NO_ANSWER else (PromptKind.JUDGE,)
        )

    def _key(self, kind: PromptKind, case: Case) -> bytes:
        return key_of(kind, case, model=self._options.called)

    def _look_up(self) -> None:
        cases = [case for case in self._told if isinstance(case, Case)]
        keys = {self._key(kind, case): None for case in cases for kind in self._kinds(case)}
        self._labels.update(self._ledger.known(list(keys)))

    def _advance(self, index: int, case: Case) -> None:
        """Settle the case as far as the labels are known, else want the next one."""
        by: Literal["llm", "cache"] = "llm" if index in self._called else "cache"
        for kind in self._kinds(case):
            key = self._key(kind, case)
            label = self._labels.get(key)
            if label is None:
                return self._want(index, ModelRequest(kind=kind, case=case, key=key))
            if kind is PromptKind.JUDGE:
                self._settle(index, JudgeVerdict(correct=label, by=by, reason="judged"))
            elif label:
                return self._settle(index, JudgeVerdict(correct=True, by=by, reason="no-answer"))
        return None

    def _want(self, index: int, ask: ModelRequest) -> None:
        if self._halted:
            self._give_up(index, self._halted)
        elif ask.key in self._wanting:
            self._wanting[ask.key].append(index)
        else:
            self._wanting[ask.key] = [index]
            self._pending.append(ask)

    def _settle(self, index: int, verdict: JudgeVerdict) -> None:
        self._verdicts[index] = verdict
        self._decided += verdict.correct is not None
        self._undecided += verdict.correct is None

    def _give_up(self, index: int, trouble: Trouble) -> None:
        self._settle(index, JudgeVerdict(correct=None, by="llm", reason=trouble.value))

    def _halt(self, trouble: Trouble) -> None:
        """Ask nothing more; what is under way is waited for and counts."""
        self._halted = self._halted or trouble
        while self._pending:
            self._drop(self._pending.popleft(), self._halted)

    def _drop(self, ask: ModelRequest, trouble: Trouble) -> None:
        for index in self._wanting.pop(ask.key):
            self._give_up(index, trouble)

    def _work(self, provider: CallThread) -> None:
        while self._pending or self._under_way:
            self._hand_over(provider)
            if self._pending and not self._under_way:
                self._halt(Trouble.BUDGET_SPENT)
                return
            was_halted = self._halted
            self._take(self._answered())
            self._show()
            if self._halted and not was_halted:
                provider.stop()

    def _hand_over(self, provider: CallThread) -> None:
        # Twice as many as can be under way, so that none has to wait for this thread, which may be
        # waiting for the ledger. A budget that is spent may turn out not to be when calls are answered
        # that were taken for dearer: it is asked again then.
        room = 2 * self._options.concurrency - self._under_way
        asks: list[ModelRequest] = []
        while self._pending and len(asks) < room and self._may_call(self._pending[0]):
            asks.append(self._pending.popleft())
        self._under_way += len(asks)
        provider.put(asks)

    def _may_call(self, ask: ModelRequest) -> bool:
        return self._ledger.may_call(self._options.likely_cost(length_of(ask.kind, ask.case)))

    def _answered(self) -> list[tuple[ModelRequest, CallOutcome]]:
        """Return all that has come back, after a wait for the first and a moment for others."""
        found: list[tuple[ModelRequest, CallOutcome]] = []
        with suppress(Empty):
            came = self._inbox.get(timeout=_WATCHED_EVERY)
            time.sleep(_GATHERED_FOR)
            while True:
                if isinstance(came, BaseException):
                    raise came
                found.append(came)
                came = self._inbox.get_nowait()
        return found

    def _take(self, answered: Sequence[tuple[ModelRequest, CallOutcome]]) -> None:
        """Keep what was answered, all that waits in one go, and only then count it."""
        calls = [
            _call(ask, outcome.reply, self._options)
            for ask, outcome in answered
            if outcome.reply or outcome.unanswered
        ]
        if calls:
            self._ledger.record(calls)
        for ask, outcome in answered:
            self._under_way -= 1
            self._count(ask, outcome)

    def _count(self, ask: ModelRequest, outcome: CallOutcome) -> None:
        if outcome.again and not self._halted:
            self._pending.appendleft(outcome.again)
        elif outcome.reply is None:
            trouble = outcome.trouble or self._halted or Trouble.STOPPED
            self._drop(ask, trouble)
            if outcome.ends_run:
                self._halt(trouble)
        elif outcome.reply.label is not None:
            self._labels[ask.key] = outcome.reply.label
            waiting = self._wanting.pop(ask.key)
            self._called.add(waiting[0])
            for index in waiting:
                self._advance(index, ask.case)
        elif ask.number + 1 >= self._options.asks:
            self._drop(ask, Trouble.REPLY_UNUSABLE)
        elif self._halted:
            self._drop(ask, self._halted)
        else:
            # Before others: a run that is stopped should leave few cases half asked.
            self._pending.appendleft(
                ModelRequest(kind=ask.kind, case=ask.case, key=ask.key, number=ask.number + 1)
            )

    def _show(self) -> None:
        now = time.monotonic()
        if now - self._watched >= _WATCHED_EVERY:
            self._watched = now
            if not self._watch(self._decided, self._undecided):
                self._halt(Trouble.STOPPED)


def _call(ask: ModelRequest, reply: Reply | None, options: LlmOptions) -> Call:
    """Return what to keep of a call. reply: None where none came."""
    prompt_tokens = options.tokens_in(length_of(ask.kind, ask.case)) if reply is None else reply.prompt_tokens
    completion_tokens = reply.completion_tokens if reply else 0
    return Call(
        key=ask.key,
        correct=reply.label if reply else None,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        cost=options.cost(prompt_tokens, completion_tokens),
        estimated=reply is None,
    )
