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
