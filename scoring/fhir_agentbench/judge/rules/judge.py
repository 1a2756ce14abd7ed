"""The judge of rules: each kind of reference has its rule; what none is sure of stays undecided."""

import logging
import re
import time
from collections.abc import Sequence

from scoring.fhir_agentbench.judge.injections.detect import is_suspect
from scoring.fhir_agentbench.judge.prepare_case import prepare_case
from scoring.fhir_agentbench.judge.rules.date_rule import judge_date
from scoring.fhir_agentbench.judge.rules.name_rule import judge_list, judge_name
from scoring.fhir_agentbench.judge.rules.no_answer_rule import judge_nothing
from scoring.fhir_agentbench.judge.rules.number_rule import judge_number
from scoring.fhir_agentbench.judge.rules.outcome import Rule, RuleOutcome
from scoring.fhir_agentbench.judge.rules.text.answers import Answer
from scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion, QuestionKind, read_question
from scoring.fhir_agentbench.judge.rules.text.references import ReferenceAnswer, ReferenceKind, read_reference
from scoring.fhir_agentbench.judge.rules.yes_no_rule import judge_side
from scoring.judging import Case, JudgeVerdict, Watch

VERSION = 1
# Cases, a few hundredths of a second; and seconds, for cases that take long.
_WATCH_EVERY, _WATCH_AFTER = 500, 0.5

logger = logging.getLogger(__name__)


class RulesJudge:
    """Decides without a model or a key, the same for ever. decide_all: no answer is left undecided.

    Source: specification section 4 (the rubric) and 6.
    """

    mode = "rules"
    identity = f"rules {VERSION}"

    def __init__(self, decide_all: bool = False) -> None:
        self.decide_all = decide_all
        self._told: set[str] = set()

    def judge(
        self, *, question: str, assumption: str | None, true_answer: str, agent_answer: str
    ) -> JudgeVerdict:
        """Return the verdict on one answer. An answer that speaks to the judge is wrong, and suspect."""
        case = prepare_case(
            Case(question=question, assumption=assumption, true_answer=true_answer, agent_answer=agent_answer)
        )
        if isinstance(case, JudgeVerdict):
            return case
        try:
            return self._judged(case)
        except Exception as error:  # one answer that no rule foresaw must not fail a whole file
            self._tell(type(error).__name__)
            wrong = False if self.decide_all else None
            return JudgeVerdict(correct=wrong, by="rules", reason=Rule.UNREADABLE.value)

    def _judged(self, case: Case) -> JudgeVerdict:
        if is_suspect(case.agent_answer):
            return JudgeVerdict(correct=False, by="rules", reason=Rule.SUSPECT.value, suspect=True)
        asked = read_question(case.question, case.assumption)
        finding = find(read_reference(case.true_answer), Answer(case.agent_answer, asked), asked)
        decided = finding.sure or self.decide_all
        return JudgeVerdict(
            correct=finding.correct if decided else None, by="rules", reason=finding.why.value
        )

    def _tell(self, what: str) -> None:
        # Its type alone, once: an error's text may quote the answer or the reference.
        if what not in self._told:
            self._told.add(what)
            logger.error("The rules failed on an answer: %s", what)

    def judge_all(self, cases: Sequence[Case], *, watch: Watch | None = None) -> list[JudgeVerdict]:
        """Return the verdicts on `cases`, in their order."""
        verdicts: list[JudgeVerdict] = []
        undecided = 0
        watched = time.monotonic()
        for case in cases:
            verdict = self.judge(
                question=case.question,
                assumption=case.assumption,
                true_answer=case.true_answer,
                agent_answer=case.agent_answer,
            )
            verdicts.append(verdict)
            undecided += verdict.correct is None
            if not watch:
                continue
            now = time.monotonic()
            if len(verdicts) % _WATCH_EVERY and now - watched < _WATCH_AFTER:
                continue
            watched = now
            if not watch(len(verdicts) - undecided, undecided):
                left = JudgeVerdict(correct=None, by="rules", reason="stopped")
                return verdicts + [left] * (len(cases) - len(verdicts))
        return verdicts


# The first are said of the order in which records were read, too, so that they only raise a doubt.
# Of each pair, who asks for the one is not answered with the other.
_OPPOSITES = tuple(
    (re.compile(rf"\b(?:{one})\b", re.I), re.compile(rf"\b(?:{other})\b", re.I))
    for one, other in (
        (r"first|earliest|initial(?:ly)?", r"last|latest|most recent(?:ly)?|final(?:ly)?"),
        (r"(?<!/)min|minimum|lowest|smallest|least", r"max|maximum|highest|largest|peak|greatest"),
        (r"admitted|admission", r"discharged?"),
        (r"input|intake", r"output"),
    )
)


def find(truth: ReferenceAnswer, answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    """Return what the rules say of `answer`: never surely right where it speaks of the opposite."""
    finding = _by_kind(truth, answer, question)
    if finding.correct and truth.values and _speaks_of_opposite(answer, question, _OPPOSITES):
        return RuleOutcome(
            finding.correct and not _speaks_of_opposite(answer, question, _OPPOSITES[1:]),
            finding.why,
            sure=False,
        )
    return finding


def _speaks_of_opposite(
    answer: Answer, question: ParsedQuestion, opposites: Sequence[tuple[re.Pattern[str], re.Pattern[str]]]
) -> bool:
    return any(
        (one.search(question.text) and not other.search(question.text) and other.search(answer.text))
        and not one.search(answer.text)
        for pair in opposites
        for one, other in (pair, pair[::-1])
    )


def _by_kind(truth: ReferenceAnswer, answer: Answer, question: ParsedQuestion) -> RuleOutcome:  # noqa: PLR0911 (a rule a line)
    """Return what the rule for the kind of `truth` says of `answer`."""
    if answer.only_asks:
        return RuleOutcome(False, Rule.HEDGED, sure=False)
    match truth.kind:
        case ReferenceKind.NO_ANSWER | ReferenceKind.NOTHING | ReferenceKind.NULL:
            return judge_nothing(truth.kind, answer, question)
        case ReferenceKind.ODD:
            return RuleOutcome(False, Rule.UNREADABLE, sure=False)
        case ReferenceKind.LIST:
            return judge_list(truth.values, answer, question)
    (value,) = truth.values
    if value.moment is not None:
        return judge_date(value.moment, answer, question)
    if value.number is None:
        return judge_name(value, answer, question)
    stance = answer.stance
    in_words = (
        stance.spoken and not stance.bare and not question.opens and question.asks is not QuestionKind.COUNT
    )
    if truth.kind is ReferenceKind.BIT and (question.asks is QuestionKind.SIDE or in_words):
        return judge_side(value.number == 1, answer, question)
    return judge_number(value.number, answer, question)
