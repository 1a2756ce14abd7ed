"""The judge that asks a language model."""

from collections.abc import Sequence

from scoring.fhir_agentbench.judge.llm.backoff import Timing
from scoring.fhir_agentbench.judge.llm.options import LlmOptions
from scoring.fhir_agentbench.judge.llm.prompts import PROMPT_VERSION
from scoring.fhir_agentbench.judge.llm.run import Run
from scoring.fhir_agentbench.judge.memory_ledger import MemoryLedger
from scoring.judging import Case, JudgeVerdict, Ledger, Watch


class LlmJudge:
    """Has every answer judged by a language model, except what `ledger` knows already and what speaks to
    the judge instead of answering, which no model gets to see. Source: specification section 4.

    ledger: None keeps verdicts as long as this judge lives, without a budget. It is asked in the thread
    that calls, one thing at a time. What it raises is raised; what a provider does never is.
    """

    mode = "llm"

    def __init__(
        self, options: LlmOptions, ledger: Ledger | None = None, *, timing: Timing | None = None
    ) -> None:
        self.options = options
        self._ledger = ledger if ledger is not None else MemoryLedger()
        self._timing = timing or Timing()

    @property
    def models(self) -> str:
        """The model and the prompt's version, which stand in the identity of each judge that asks it."""
        return f"{self.options.called} prompt {PROMPT_VERSION}"

    @property
    def identity(self) -> str:
        return f"{self.mode} {self.models}"

    def judge(
        self, *, question: str, assumption: str | None, true_answer: str, agent_answer: str
    ) -> JudgeVerdict:
        """As Judge.judge says."""
        case = Case(
            question=question, assumption=assumption, true_answer=true_answer, agent_answer=agent_answer
        )
        return self.judge_all([case])[0]

    def judge_all(self, cases: Sequence[Case], *, watch: Watch | None = None) -> list[JudgeVerdict]:
        """As Judge.judge_all says."""
        return Run(cases, self.options, self._ledger, watch, self._timing).verdicts()
