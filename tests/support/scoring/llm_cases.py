"""Cases and judges for tests of the LLM judge."""

from collections import Counter

from tests.support.llm_server import LlmReply, LlmRequest, LlmServer
from wardboard.scoring.fhir_agentbench.judge import LlmJudge, LlmOptions, MemoryLedger
from wardboard.scoring.judging import Call, Case


def make_case(number: int = 0, **more) -> Case:
    defaults = {
        "question": f"What was the weight of patient {number}?",
        "assumption": None,
        "true_answer": f"[[{number}.5]]",
        "agent_answer": f"It was {number}.5 kg.",
    }
    return Case(**defaults | more)


def make_cases(count: int) -> list[Case]:
    return [make_case(number) for number in range(count)]


def judge_at(server: LlmServer, ledger=None, **options) -> LlmJudge:
    """Return a judge that uses `server`; its name does not contain a port."""
    options = {
        "name": options.get("model", "o4-mini"),
        "api_key": "sk-very-secret",
        "timeout": 5.0,
        "concurrency": 4,
    } | options
    return LlmJudge(LlmOptions(base_url=server.url, **options), ledger)


def reasons(verdicts) -> list[str]:
    return [verdict.reason for verdict in verdicts]


def label(correct: bool | int) -> LlmReply:
    return LlmReply(text=f'{{"correct": {int(correct)}}}')


def judge_well(request: LlmRequest) -> LlmReply:
    """Judge as a good model would: the answer contains the true value, or rightly says that there is none."""
    if request.is_normalising:
        return label("no record" in request.data["agent_answer"].lower())
    return label(request.data["true_answer"].strip("[]") in request.data["agent_answer"])


class BudgetLedger(MemoryLedger):
    """Count calls, tokens and costs in US dollars, and allow no more of them than the budget has.

    All tries of an allowed call count as made until it is recorded. Their cost is taken to be that of the
    most expensive call so far, or the estimate if there was none.
    """

    def __init__(self, *, max_calls: int | None = None, max_cost: float | None = None) -> None:
        super().__init__()
        self.calls = self.prompt_tokens = self.completion_tokens = 0
        self.cost = self._highest_cost = 0.0
        self._max_calls, self._max_cost, self._booked = max_calls, max_cost, 0

    def may_call(self, estimate: float = 0.0, *, tries: int = 1) -> bool:
        booked = self._booked + tries
        cost = self.cost + booked * (self._highest_cost or estimate)
        if self._max_calls is not None and self.calls + booked > self._max_calls:
            return False
        if self._max_cost is not None and cost > self._max_cost:
            return False
        self._booked = booked
        return True

    def record(self, calls, *, booked: int = 1) -> None:
        super().record(calls)
        self._booked = max(self._booked - booked, 0)
        for call in calls:
            self.calls += 1
            self.cost += call.cost
            self.prompt_tokens += call.prompt_tokens
            self.completion_tokens += call.completion_tokens
            if not call.estimated:
                self._highest_cost = max(self._highest_cost, call.cost)


class CallLedger(MemoryLedger):
    """Keep all calls that were recorded, in order, and the answers of the provider by status."""

    def __init__(self) -> None:
        super().__init__()
        self.recorded: list[Call] = []
        self.answers = Counter[str]()

    def record(self, calls, *, booked: int = 1) -> None:
        super().record(calls, booked=booked)
        self.recorded += calls

    def count_answers(self, answers) -> None:
        self.answers += answers
