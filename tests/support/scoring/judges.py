"""A judge with known verdicts, for tests."""

from wardboard.scoring.judging import Judge, JudgeVerdict


class ExactJudge(Judge):
    """Accept the literal reference answer, and `no records` if there is none.

    Answers that begin with a question mark are undecided; answers with the word "judge" are suspect.

    cases: the cases that were judged.
    """

    mode = "rules"
    identity = "exact 1"

    def __init__(self, by="rules"):
        self.by = by
        self.cases = []

    def decide(self, case):
        given, truth = case.agent_answer, case.true_answer
        if given.startswith("?"):
            return JudgeVerdict(correct=None, by=self.by, reason="unsure")
        suspect = "judge" in given
        right = given == truth or (truth == "no answer" and given == "no records")
        return JudgeVerdict(correct=right and not suspect, by=self.by, reason="exact", suspect=suspect)

    def judge_all(self, cases, *, watch=None):
        self.cases += cases
        verdicts = []
        for case in cases:
            stopped = watch is not None and not watch(len(verdicts), 0)
            halted = JudgeVerdict(correct=None, by=self.by, reason="stopped")
            verdicts.append(halted if stopped else self.decide(case))
        return verdicts
