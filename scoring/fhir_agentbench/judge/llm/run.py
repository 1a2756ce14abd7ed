"""Run many cases through a language model, within the ledger's budget."""

import hashlib
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import replace

from wardboard.scoring.fhir_agentbench.judge.injections.detect import is_suspect
from wardboard.scoring.fhir_agentbench.judge.llm.calls import (
    RETRIES,
    CallOutcome,
    ModelRequest,
    UndecidedReason,
    open_caller,
)
from wardboard.scoring.fhir_agentbench.judge.llm.options import LlmOptions
from wardboard.scoring.fhir_agentbench.judge.llm.prompts import Dialogue, PromptKind
from wardboard.scoring.fhir_agentbench.judge.llm.wrong_truth import with_wrong_truth
from wardboard.scoring.judging import Call, Case, JudgeVerdict, Ledger, Watch

_WATCH_SECONDS = 0.5
# Sixty commits a second are enough, and waking this thread for each reply delays the calls.
_GATHER_SECONDS = 0.015
SUSPECT = JudgeVerdict(correct=False, by="rules", reason="suspect", suspect=True)


class Run:
    """Judge `cases` once: call `verdicts` a single time. Only the calls run in another thread.

    A case needs one label, or two if the reference is `no answer`: is the answer a non-answer, and only if
    not, is it correct? With guards, a case in the sample needs another one first, whatever the others are: is
    the answer correct where something else is true? If both are accepted, it is suspect. A label is known
    from the ledger or requested once, however many cases need it, and counts only after the ledger has
    recorded it.
    """

    def __init__(
        self,
        cases: Sequence[Case],
        options: LlmOptions,
        dialogue: Dialogue,
        *,
        ledger: Ledger,
        watch: Watch | None,
    ) -> None:
        self._cases = cases
        self._options, self._dialogue, self._ledger = options, dialogue, ledger
        self._watch = watch or (lambda decided, undecided: True)
        self._last_watch = time.monotonic()
        self._verdicts: list[JudgeVerdict | None] = [None] * len(cases)
        self._decided = self._undecided = 0
        self._labels: dict[bytes, bool] = {}
        self._waiting_cases: dict[bytes, list[int]] = {}  # prompt key -> indices of cases that need its label
        self._pending: deque[ModelRequest] = deque()
        self._under_way: dict[Future[CallOutcome], ModelRequest] = {}
        self._halt_reason: UndecidedReason | None = None
        self._answers: Counter[str] = Counter()  # not counted yet

    def verdicts(self) -> list[JudgeVerdict]:
        """Return the verdicts, in order. Raises the errors of the ledger and of `watch`."""
        keys = {self._key(kind, case): None for case in self._cases for kind in self._dialogue.prompts(case)}
        wrong_cases = filter(None, map(self._wrong_case, self._cases))
        keys |= {self._key(PromptKind.JUDGE, wrong): None for wrong in wrong_cases}
        self._labels.update(self._ledger.stored_verdicts(list(keys)))
        for index, case in enumerate(self._cases):
            self._call_watch()
            if self._dialogue.has_guards and is_suspect(case.agent_answer):
                self._decide(index, SUSPECT)
            else:
                self._advance(index, case)
        if not self._watch(self._decided, self._undecided):
            self._halt(UndecidedReason.STOPPED)
        # An HTTP client only where the budget allows a call at all.
        first = next(self._allowed_requests(), None)
        if first:
            self._make_calls(first)
            self._count_answers()
        else:
            self._halt(UndecidedReason.BUDGET_SPENT)
        verdicts = [verdict for verdict in self._verdicts if verdict is not None]
        assert len(verdicts) == len(self._cases), "a needed label is pending, in flight, or given up"
        return verdicts

    def _key(self, kind: PromptKind, case: Case) -> bytes:
        return self._dialogue.key(kind, case, model=self._options.display_name)

    def _wrong_case(self, case: Case) -> Case | None:
        """Return the case with a wrong true answer if it is in the sample, else None."""
        share = self._options.wrong_truth_share if self._dialogue.has_guards else 0
        if not share:
            return None
        # The same answers each time, by their prompt keys.
        place = hashlib.sha256(b"sample" + self._key(PromptKind.JUDGE, case)).digest()[:8]
        return with_wrong_truth(case) if int.from_bytes(place) < share * 2**64 else None

    def _advance(self, index: int, case: Case) -> None:
        """Decide the case if its labels are known, else request the next one."""
        by = self._dialogue.by
        # Ask this before the others and whatever they are, so that the time taken says nothing about them.
        wrong_case = self._wrong_case(case)
        accepts_anything = wrong_case and self._label(index, PromptKind.JUDGE, wrong_case)
        if wrong_case and accepts_anything is None:
            return
        for kind in self._dialogue.prompts(case):
            label = self._label(index, kind, case)
            if label is None:
                return
            if label and accepts_anything:
                return self._decide(index, JudgeVerdict(correct=False, by=by, reason="suspect", suspect=True))
            if kind is PromptKind.JUDGE:
                return self._decide(index, JudgeVerdict(correct=label, by=by, reason="judged"))
            if label:
                return self._decide(index, JudgeVerdict(correct=True, by=by, reason="no-answer"))
        # No other prompt follows: an answer of null that does not pass for a non-answer.
        self._decide(index, JudgeVerdict(correct=False, by=by, reason="null"))

    def _label(self, index: int, kind: PromptKind, case: Case) -> bool | None:
        """Return the label of a prompt for the case at `index`; None if it is unknown, but requested."""
        key = self._key(kind, case)
        label = self._labels.get(key)
        if label is None:
            request = ModelRequest(kind=kind, case=case, key=key, scope=self._ledger.scope)
            if self._halt_reason:
                self._give_up_case(index, self._halt_reason)
            elif request.key in self._waiting_cases:
                self._waiting_cases[request.key].append(index)
            else:
                self._waiting_cases[request.key] = [index]
                self._pending.append(request)
        return label

    def _decide(self, index: int, verdict: JudgeVerdict) -> None:
        self._verdicts[index] = verdict
        self._decided += verdict.correct is not None
        self._undecided += verdict.correct is None

    def _give_up_case(self, index: int, reason: UndecidedReason) -> None:
        self._decide(index, JudgeVerdict(correct=None, by="llm", reason=reason.value))

    def _halt(self, reason: UndecidedReason) -> None:
        """Request nothing more; calls under way are awaited and count."""
        self._halt_reason = self._halt_reason or reason
        while self._pending:
            self._give_up_request(self._pending.popleft(), self._halt_reason)

    def _give_up_request(self, request: ModelRequest, reason: UndecidedReason) -> None:
        for index in self._waiting_cases.pop(request.key):
            self._give_up_case(index, reason)

    def _make_calls(self, first: ModelRequest) -> None:
        # Import it here: the command, which judges by rules, comes without it.
        from anyio.from_thread import start_blocking_portal  # noqa: PLC0415

        # The event loop is in a thread of its own: calls go on while this one waits for a database, and it
        # has no running loop, in which Django refuses queries. An error here cancels the calls under way.
        with (
            start_blocking_portal() as portal,
            portal.wrap_async_context_manager(open_caller(self._options, self._dialogue)) as caller,
        ):
            self._under_way[portal.start_task_soon(caller.send, first)] = first
            while self._pending or self._under_way:
                for request in self._allowed_requests():
                    self._under_way[portal.start_task_soon(caller.send, request)] = request
                if not self._under_way:
                    self._halt(UndecidedReason.BUDGET_SPENT)
                    return
                self._record_outcomes(self._receive())
                self._call_watch()

    def _allowed_requests(self) -> Iterator[ModelRequest]:
        """Take the next requests that the budget allows from those that are pending."""
        while self._pending and len(self._under_way) < self._options.concurrency:
            estimate = self._options.estimate_cost(self._length(self._pending[0]))
            # All tries of a call are booked. The budget is asked again later: calls that turn out cheaper
            # may leave room for more.
            if not self._ledger.may_call(estimate, tries=1 + RETRIES):
                return
            yield self._pending.popleft()

    def _length(self, request: ModelRequest) -> int:
        return sum(len(each["content"]) for each in self._dialogue.messages(request.kind, request.case))

    def _receive(self) -> list[tuple[ModelRequest, CallOutcome]]:
        """Wait for the first outcome, gather others for a moment, and return them all."""
        wait(self._under_way, timeout=_WATCH_SECONDS, return_when=FIRST_COMPLETED)
        time.sleep(_GATHER_SECONDS)
        done = [future for future in self._under_way if future.done()]
        return [(self._under_way.pop(future), future.result()) for future in done]

    def _record_outcomes(self, outcomes: Sequence[tuple[ModelRequest, CallOutcome]]) -> None:
        """Record all calls in the ledger at once, and only then apply their outcomes."""
        if outcomes:
            calls = [call for request, outcome in outcomes for call in self._calls(request, outcome)]
            self._ledger.record(calls, booked=len(outcomes) * (1 + RETRIES))
        for request, outcome in outcomes:
            self._answers.update(each.answer for each in outcome.tries)
            if outcome.reply is None:
                reason = outcome.reason or UndecidedReason.STOPPED
                self._give_up_request(request, reason)
                if outcome.ends_run:
                    self._halt(reason)
            elif outcome.reply.label is not None:
                self._labels[request.key] = outcome.reply.label
                for index in self._waiting_cases.pop(request.key):
                    self._advance(index, self._cases[index])
            elif request.is_repeated:
                self._give_up_request(request, UndecidedReason.REPLY_UNUSABLE)
            elif self._halt_reason:
                self._give_up_request(request, self._halt_reason)
            else:
                # Before others, so that a run that is stopped leaves few cases half done.
                self._pending.appendleft(replace(request, is_repeated=True))

    def _call_watch(self) -> None:
        now = time.monotonic()
        if now - self._last_watch >= _WATCH_SECONDS:
            self._last_watch = now
            self._count_answers()
            if not self._watch(self._decided, self._undecided):
                self._halt(UndecidedReason.STOPPED)

    def _count_answers(self) -> None:
        if self._answers:
            self._ledger.count_answers(self._answers)
            self._answers = Counter()

    def _calls(self, request: ModelRequest, outcome: CallOutcome) -> Iterator[Call]:
        """Yield the ledger's entries for a call: of its reply, and of each other try that may be billed."""
        unanswered = sum(each.may_be_billed for each in outcome.tries)
        guess = self._options.tokens_in(self._length(request))
        for reply in (*[None] * unanswered, *[outcome.reply] * (outcome.reply is not None)):
            prompt_tokens = reply.prompt_tokens if reply else guess
            completion_tokens = reply.completion_tokens if reply else 0
            yield Call(
                key=request.key,
                correct=reply.label if reply else None,
                prompt_tokens=prompt_tokens,
                completion_tokens=completion_tokens,
                cost=self._options.cost(prompt_tokens, completion_tokens),
                estimated=reply is None,
                served=reply.served if reply and reply.served != self._options.model else "",
            )
