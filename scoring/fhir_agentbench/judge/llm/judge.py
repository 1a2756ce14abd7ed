"""The judge that asks a language model."""

from collections.abc import Sequence

from wardboard.scoring.fhir_agentbench.judge.llm.options import LlmOptions
from wardboard.scoring.fhir_agentbench.judge.llm.prompts import Dialogue
from wardboard.scoring.fhir_agentbench.judge.llm.run import Run
from wardboard.scoring.fhir_agentbench.judge.memory_ledger import MemoryLedger
from wardboard.scoring.judging import Case, Judge, JudgeVerdict, Ledger, Watch


class LlmJudge(Judge):
    """Ask a language model about every answer, by default in Wardboard's own words.

    Exceptions are verdicts that `ledger` already has, and answers that address the judge, which are never
    shown to a model. ledger: None keeps verdicts for the life of this judge, without a budget; it is only
    called from the calling thread, one call at a time. Its errors are raised, a provider's never.
    """

    mode = "llm"

    def __init__(
        self, options: LlmOptions, ledger: Ledger | None = None, dialogue: Dialogue | None = None
    ) -> None:
        self.options, self._dialogue = options, dialogue or Dialogue()
        self._ledger = ledger if ledger is not None else MemoryLedger()

    @property
    def models(self) -> str:
        """The model and the prompt version, part of the identity of each judge that asks the model."""
        return f"{self.options.display_name} prompt {self._dialogue.version}"

    @property
    def identity(self) -> str:
        return f"{self.mode} {self.models}"

    def judge_all(self, cases: Sequence[Case], *, watch: Watch | None = None) -> list[JudgeVerdict]:
        return Run(cases, self.options, self._dialogue, ledger=self._ledger, watch=watch).verdicts()
