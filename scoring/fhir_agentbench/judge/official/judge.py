"""The official judge of FHIR-AgentBench."""

from pathlib import Path

from wardboard.scoring.fhir_agentbench.judge.llm.judge import LlmJudge
from wardboard.scoring.fhir_agentbench.judge.llm.options import LlmOptions
from wardboard.scoring.fhir_agentbench.judge.official.dialogue import MODEL, OfficialDialogue
from wardboard.scoring.fhir_agentbench.judge.official.evaluator import EvaluatorInvalid, read_evaluator
from wardboard.scoring.judging import JudgeUnavailable, Ledger


class OfficialJudge(LlmJudge):
    """Ask o4-mini as the official evaluator does, with nothing before and nothing beside it.

    No rule decides first, no answer is kept from the model as suspect, none is shortened, and none is judged
    against a wrong truth. What is ours is how calls are made: many at a time, within the ledger's budget,
    again after a fault, and never twice for the same texts. Source: FHIR-AgentBench evaluator.

    ledger: as in LlmJudge. Raises JudgeUnavailable for options that do not make an official judge.
    """

    mode = "official"

    def __init__(self, options: LlmOptions, ledger: Ledger | None = None) -> None:
        if options.model != MODEL:
            raise JudgeUnavailable(f"The official judge is {MODEL}: set JUDGE_MODEL={MODEL}.")
        if not options.evaluator:
            raise JudgeUnavailable(
                "The official judge needs the official evaluator: set JUDGE_OFFICIAL_EVALUATOR to the path "
                "of evaluation_metrics.py of FHIR-AgentBench."
            )
        try:
            self._evaluator = read_evaluator(Path(options.evaluator))
        except OSError as error:
            raise JudgeUnavailable(f"JUDGE_OFFICIAL_EVALUATOR cannot be read: {error.strerror}.") from error
        except EvaluatorInvalid as error:
            raise JudgeUnavailable(
                f"JUDGE_OFFICIAL_EVALUATOR is not the official evaluator: {error}."
            ) from error
        super().__init__(options, ledger, OfficialDialogue(self._evaluator))

    @property
    def identity(self) -> str:
        return f"{self.mode} {self.options.display_name} evaluator {self._evaluator.digest}"
