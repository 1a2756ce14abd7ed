"""The hybrid judge: rules first, a language model for the rest."""

from collections.abc import Sequence

from wardboard.scoring.fhir_agentbench.judge.llm.judge import LlmJudge
from wardboard.scoring.judging import Case, Judge, JudgeVerdict, Watch


class HybridJudge(Judge):
    """Judge by rules, and ask `llm` only about answers that `rules` leaves undecided."""

    mode = "hybrid"

    def __init__(self, rules: Judge, llm: LlmJudge) -> None:
        self._rules, self._llm = rules, llm

    @property
    def identity(self) -> str:
        return f"{self.mode} {self._llm.models} {self._rules.identity}"

    def judge_all(self, cases: Sequence[Case], *, watch: Watch | None = None) -> list[JudgeVerdict]:
        report = watch or (lambda decided, undecided: True)
        running = True

        def watch_rules(decided: int, undecided: int) -> bool:
            nonlocal running
            # Answers that the rules leave open still go to the model, so none is undecided yet.
            running = running and report(decided, 0)
            return running

        verdicts = list(self._rules.judge_all(cases, watch=watch_rules))
        undecided_indices = [index for index, verdict in enumerate(verdicts) if verdict.correct is None]
        if not running or not undecided_indices:
            return verdicts
        decided_before = len(cases) - len(undecided_indices)
        answers = self._llm.judge_all(
            [cases[index] for index in undecided_indices],
            watch=lambda decided, undecided: report(decided_before + decided, undecided),
        )
        for index, verdict in zip(undecided_indices, answers, strict=True):
            verdicts[index] = verdict
        return verdicts
