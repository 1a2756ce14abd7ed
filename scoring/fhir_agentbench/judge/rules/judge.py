"""The judge that decides by rules, one per kind of reference; unsure answers stay undecided."""

import hashlib
import logging
import re
from collections.abc import Sequence
from time import monotonic

from wardboard.scoring.fhir_agentbench.judge.injections.detect import is_suspect
from wardboard.scoring.fhir_agentbench.judge.rules.date_rule import judge_date
from wardboard.scoring.fhir_agentbench.judge.rules.decide import decide
from wardboard.scoring.fhir_agentbench.judge.rules.name_rule import judge_list, judge_name
from wardboard.scoring.fhir_agentbench.judge.rules.no_answer_rule import judge_no_answer
from wardboard.scoring.fhir_agentbench.judge.rules.number_rule import judge_number
from wardboard.scoring.fhir_agentbench.judge.rules.outcome import Rule, RuleOutcome, unsure
from wardboard.scoring.fhir_agentbench.judge.rules.text.answers import Answer
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import (
    ParsedQuestion,
    QuestionKind,
    read_question,
)
from wardboard.scoring.fhir_agentbench.judge.rules.text.references import (
    ReferenceAnswer,
    ReferenceKind,
    read_reference,
)
from wardboard.scoring.fhir_agentbench.judge.rules.yes_no_rule import judge_yes_no
from wardboard.scoring.judging import Case, Judge, JudgeVerdict, Keeper, Watch

# Raised with every change of a verdict.
VERSION = 7
# Call `watch` after so many cases, a few hundredths of a second, or so many seconds if cases are slow.
_WATCH_EVERY, _WATCH_AFTER = 500, 0.5
_KEEP_AFTER = 5.0  # seconds of judging that an interruption may cost

logger = logging.getLogger(__name__)


class RulesJudge(Judge):
    """Decide deterministically, without a model or a key.

    - is_last: nobody decides after these rules, so that what they leave undecided is left open for good.
    - keeper: keeps verdicts while judging a file takes long, so that it can go on after an interruption.

    The rules follow the rubric in the prompt of FHIR-AgentBench's evaluator, by which its LLM judges.
    """

    mode = "rules"
    identity = f"rules {VERSION}"

    def __init__(self, *, is_last: bool = False, keeper: Keeper | None = None) -> None:
        self.is_last = is_last
        self._keeper = keeper
        self._logged: set[str] = set()

    def _judge(self, case: Case) -> JudgeVerdict:
        """Return the verdict on one answer. An answer that addresses the judge is wrong and suspect."""
        try:
            if is_suspect(case.agent_answer):
                return self._verdict(False, Rule.SUSPECT.value, suspect=True)
            question = read_question(case.question, case.assumption)
            outcome = decide(case.agent_answer, read_reference(case.true_answer), question, apply_rules)
        except Exception as error:  # one unforeseen answer must not fail a whole file
            # Each type is logged once, without its text, which may quote the answer or the reference.
            if (name := type(error).__name__) not in self._logged:
                self._logged.add(name)
                logger.error("The rules failed on an answer: %s", name)
            outcome = unsure(Rule.UNREADABLE)
        return self._verdict(outcome.correct, outcome.rule.value)

    def _verdict(self, correct: bool | None, reason: str, *, suspect: bool = False) -> JudgeVerdict:
        is_open = self.is_last and correct is None
        return JudgeVerdict(correct=correct, by="rules", reason=reason, suspect=suspect, left_open=is_open)

    def judge_all(self, cases: Sequence[Case], *, watch: Watch | None = None) -> list[JudgeVerdict]:
        """Return the verdicts on `cases`, in their order."""
        verdicts = self._kept(cases)
        undecided = sum(_is_undecided(verdict) for verdict in verdicts)
        began = last_watch = last_kept = monotonic()
        for case in cases[len(verdicts) :]:
            verdicts.append(self._judge(case))
            undecided += _is_undecided(verdicts[-1])
            if not watch:
                continue
            now = monotonic()
            if len(verdicts) % _WATCH_EVERY and now - last_watch < _WATCH_AFTER:
                continue
            last_watch = now
            if now - last_kept >= _KEEP_AFTER:
                last_kept = now
                self._keep(cases, verdicts)
            if not watch(len(verdicts) - undecided, undecided):
                undecided_verdict = JudgeVerdict(correct=None, by="rules", reason="stopped")
                return verdicts + [undecided_verdict] * (len(cases) - len(verdicts))
        if monotonic() - began >= _KEEP_AFTER:
            self._keep(cases, verdicts)
        return verdicts

    def _keep(self, cases: Sequence[Case], verdicts: Sequence[JudgeVerdict]) -> None:
        if self._keeper:
            kept = [[verdict.correct, verdict.reason, verdict.suspect] for verdict in verdicts]
            self._keeper.keep(self._digest(cases), {"verdicts": kept})

    def _kept(self, cases: Sequence[Case]) -> list[JudgeVerdict]:
        """Return the verdicts that were kept of these very cases, if any."""
        kept = self._keeper.kept(self._digest(cases)) if self._keeper else None
        return [
            self._verdict(correct, reason, suspect=suspect)
            for correct, reason, suspect in (kept["verdicts"] if kept else ())
        ]

    def _digest(self, cases: Sequence[Case]) -> str:
        digest = hashlib.sha256(self.identity.encode())
        for case in cases:
            digest.update(repr(case).encode(errors="backslashreplace"))
        return digest.hexdigest()


def _is_undecided(verdict: JudgeVerdict) -> bool:
    return verdict.correct is None and not verdict.left_open


# An answer with one word of a pair does not answer a question with the other. The first pair can also
# describe the order in which records were read, so it only makes an outcome unsure.
_OPPOSITES = tuple(
    (re.compile(rf"\b(?:{first})\b", re.I), re.compile(rf"\b(?:{second})\b", re.I))
    for first, second in (
        (r"first|earliest|initial(?:ly)?", r"last|latest|most recent(?:ly)?"),
        (r"(?<!/)min|minimum|lowest|smallest|least", r"max|maximum|highest|largest|peak|greatest"),
        (r"admitted|admission", r"discharged?"),
        (r"input|intake", r"output"),
    )
)
# What is of someone else, or was not done.
_NOT_GIVEN = re.compile(
    r"\b(?:(?:another|different|wrong) (?:patient|person)|roommate|neighbou?r|mother|father|brother|sister|"
    r"son|daughter|wife|husband|withheld|considered|recommended|suggested|discussed|offered|avoided|omitted|"
    r"skipped|ruled out)\b",
    re.I,
)


def apply_rules(reference: ReferenceAnswer, answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    """Return the rules' outcome for `answer`, open where a right one mentions the opposite."""
    outcome = _apply_rule_for_kind(reference, answer, question)
    is_other = any(
        (first.search(question.text) and not second.search(question.text) and second.search(answer.text))
        and not first.search(answer.text)
        for pair in _OPPOSITES
        for first, second in (pair, pair[::-1])
    ) or _NOT_GIVEN.search(answer.text)
    if outcome.correct and reference.values and is_other:
        return unsure(Rule.CONTRADICTION)
    return outcome


def _apply_rule_for_kind(reference: ReferenceAnswer, answer: Answer, question: ParsedQuestion) -> RuleOutcome:  # noqa: PLR0911 (a rule a line)
    if answer.is_question:
        return unsure(Rule.HEDGED)
    match reference.kind:
        case ReferenceKind.NO_ANSWER | ReferenceKind.NOTHING | ReferenceKind.NULL:
            return judge_no_answer(reference.kind, answer, question)
        case ReferenceKind.ODD:
            return unsure(Rule.UNREADABLE)
        case ReferenceKind.LIST:
            return judge_list(reference.values, answer, question)
    (value,) = reference.values
    if value.date is not None:
        return judge_date(value.date, answer, question)
    if value.number is None:
        return judge_name(value, answer, question)
    stance = answer.stance
    in_words = (
        stance.explicit
        and not stance.bare
        and not question.is_open
        and question.kind is not QuestionKind.COUNT
    )
    if reference.kind is ReferenceKind.BIT and (question.kind is QuestionKind.YES_NO or in_words):
        return judge_yes_no(value.number == 1, answer, question)
    return judge_number(value.number, answer, question)
