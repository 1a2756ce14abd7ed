"""A judge with known verdicts, for tests."""

from wardboard.scoring.judging import JudgeVerdict


class ExactJudge:
    """Accept the literal reference answer, and `no records` if there is none.

    Answers that begin with a question mark are undecided; answers with the word "judge" are suspect.

    cases: the cases that were judged.
    """

    mode = "rules"
    identity = "exact 1"

    def __init__(self, by="rules"):
        self.by = by
        self.cases = []

    def judge(self, *, question, assumption, true_answer, agent_answer):
        if agent_answer.startswith("?"):
            return JudgeVerdict(correct=None, by=self.by, reason="unsure")
        suspect = "judge" in agent_answer
        right = agent_answer == true_answer or (true_answer == "no answer" and agent_answer == "no records")
        return JudgeVerdict(correct=right and not suspect, by=self.by, reason="exact", suspect=suspect)

    def judge_all(self, cases, *, watch=None):
        self.cases += cases
        verdicts = []
        for case in cases:
            stopped = watch is not None and not watch(len(verdicts), 0)
            verdict = self.judge(
                question=case.question,
                assumption=case.assumption,
                true_answer=case.true_answer,
                agent_answer=case.agent_answer,
            )
            verdicts.append(JudgeVerdict(correct=None, by=self.by, reason="stopped") if stopped else verdict)
        return verdicts
