"""The rules first, a language model for what they leave."""

from collections.abc import Sequence

from scoring.fhir_agentbench.judge.llm.judge import LlmJudge
from scoring.judging import Case, Judge, JudgeVerdict, Watch


class HybridJudge:
    """rules: a judge that leaves undecided what it is not sure of; llm judges that and nothing else."""

    mode = "hybrid"

    def __init__(self, rules: Judge, llm: LlmJudge) -> None:
        self._rules, self._llm = rules, llm

    @property
    def identity(self) -> str:
        return f"{self.mode} {self._llm.models} {self._rules.identity}"

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
        watched = watch or (lambda decided, undecided: True)
        going_on = True

        def watch_rules(decided: int, undecided: int) -> bool:
            nonlocal going_on
            # What the rules leave is not undecided yet.
            going_on = going_on and watched(decided, 0)
            return going_on

        verdicts = list(self._rules.judge_all(cases, watch=watch_rules))
        left = [index for index, verdict in enumerate(verdicts) if verdict.correct is None]
        if not going_on or not left:
            return verdicts
        decided_before = len(cases) - len(left)
        answers = self._llm.judge_all(
            [cases[index] for index in left],
            watch=lambda decided, undecided: watched(decided_before + decided, undecided),
        )
        for index, verdict in zip(left, answers, strict=True):
            verdicts[index] = verdict
        return verdicts
