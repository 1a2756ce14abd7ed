"""Judges that decide many answers at a time."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from wardboard.scoring.judging import Case, JudgeVerdict, Watch


class BatchJudge(ABC):
    """Judge a single answer as a batch of one."""

    @abstractmethod
    def judge_all(self, cases: Sequence[Case], *, watch: Watch | None = None) -> list[JudgeVerdict]:
        """See Judge.judge_all."""

    def judge(
        self, *, question: str, assumption: str | None, true_answer: str, agent_answer: str
    ) -> JudgeVerdict:
        """See Judge.judge."""
        case = Case(
            question=question, assumption=assumption, true_answer=true_answer, agent_answer=agent_answer
        )
        return self.judge_all([case])[0]
