"""Score a whole submission."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from wardboard.scoring.benchmark import Progress, Watch
from wardboard.scoring.fhir_agentbench.grading.breakdowns import group_questions
from wardboard.scoring.fhir_agentbench.grading.figures import GradedQuestion, compute_metrics, pack, rate_of
from wardboard.scoring.fhir_agentbench.grading.precheck import precheck, verdict_of
from wardboard.scoring.fhir_agentbench.grading.reasons import FhirReason, reason_from_verdict
from wardboard.scoring.fhir_agentbench.grading.references import FhirReference
from wardboard.scoring.fhir_agentbench.grading.retrieval import (
    ResourcesInvalid,
    compute_retrieval,
    counts_retrieved,
)
from wardboard.scoring.fhir_agentbench.reading.records import AnswerRecord, Usage
from wardboard.scoring.judging import Case, Judge
from wardboard.scoring.verdicts import Scorecard, Unscorable, Verdict

_WATCH_EVERY = 100  # records
_STOPPED = "stopped"  # why a verdict is undecided: `watch` asked to stop


def score(
    records: Iterable[AnswerRecord],
    references: Mapping[str, FhirReference],
    *,
    judge: Judge,
    watch: Watch | None = None,
) -> Scorecard:
    """Score `records`, at most one per question, against all `references`.

    The denominator is the list of questions: a missing one is wrong, and in no mean of its retrieval, as the
    official evaluator has no row for it. A record of another question is ignored. `records` is read once.
    Retrieval is computed while reading, so that no ids are kept; the answers that the file alone does not
    decide are judged together at the end. Raises Unscorable.
    """
    graded = dict[str, GradedQuestion]()
    completed = _grade_records(records, references, graded, watch, officially=judge.mode == "official")
    read = len(graded)
    absent = verdict_of(FhirReason.MISSING if completed else FhirReason.UNDECIDED)
    # From here on, results are in the order of the questions, not of the file.
    by_task = {
        task_id: graded.get(task_id) or GradedQuestion(outcome=absent, retrieval=None)
        for task_id in references
    }
    if not completed:
        return _scorecard(references, by_task, undecided=_leave_undecided(by_task), suspects=())
    undecided, suspects = judge_cases(by_task, judge, watch, read=read)
    return _scorecard(references, by_task, undecided=undecided, suspects=suspects)


def judge_cases(
    by_task: Mapping[str, GradedQuestion], judge: Judge, watch: Watch | None, *, read: int
) -> tuple[Counter[str], list[str]]:
    """Replace the cases among the outcomes by verdicts; return the undecided by reason, and the suspects.

    read: how many tasks the file has a record of
    """

    def watch_judging(judged: int, undecided: int) -> bool:
        progress = Progress(
            total=len(by_task), read=read, to_judge=len(cases), judged=judged, undecided=undecided
        )
        return watch is None or watch(progress)

    undecided = Counter[str]()
    suspects = []
    cases = {
        task_id: question.outcome
        for task_id, question in by_task.items()
        if isinstance(question.outcome, Case)
    }
    judged = judge.judge_all(list(cases.values()), watch=watch_judging) if cases else ()
    for task_id, verdict in zip(cases, judged, strict=True):
        by_task[task_id].outcome = verdict_of(reason_from_verdict(verdict))
        # What a judge leaves open for good is part of the result.
        if verdict.correct is None and not verdict.left_open:
            undecided[verdict.reason] += 1
        if verdict.suspect:
            suspects.append(task_id)
    return undecided, suspects


def _grade_records(
    records: Iterable[AnswerRecord],
    references: Mapping[str, FhirReference],
    graded: dict[str, GradedQuestion],
    watch: Watch | None,
    *,
    officially: bool,
) -> bool:
    """Add the results that need no judge to `graded`; return False if `watch` asks to stop."""
    total = len(references)
    for count, record in enumerate(records, 1):
        if reference := references.get(record.task_id):
            gold = reference.gold_resources
            try:
                figures = compute_retrieval(gold, record.resources) if gold else None
                outcome = precheck(record, reference, officially=officially)
            except (ArithmeticError, RecursionError, ResourcesInvalid) as error:
                raise Unscorable(record.task_id) from error
            graded[record.task_id] = GradedQuestion(
                outcome=outcome,
                retrieval=figures,
                retrieved=bool(gold and figures and counts_retrieved(gold, figures)),
                answered=record.fingerprint is not None,
                tokens=_tokens(record.usage),
                cost=record.usage.cost if record.usage else None,
            )
        if watch and count % _WATCH_EVERY == 0 and not watch(Progress(total=total, read=len(graded))):
            return False
    return watch is None or watch(Progress(total=total, read=len(graded)))


def _tokens(usage: Usage | None) -> float | None:
    """Return the tokens of a question, the total or prompt plus completion; None if unknown."""
    if usage is None:
        return None
    if usage.total_tokens is not None:
        return usage.total_tokens
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    return usage.prompt_tokens + usage.completion_tokens


def _leave_undecided(by_task: Mapping[str, GradedQuestion]) -> Counter[str]:
    """Leave every answer that waits for a judge undecided; count these verdicts by reason."""
    undecided = verdict_of(FhirReason.UNDECIDED)
    for question in by_task.values():
        if isinstance(question.outcome, Case):
            question.outcome = undecided
    return Counter({_STOPPED: sum(question.outcome is undecided for question in by_task.values())})


def _scorecard(
    references: Mapping[str, FhirReference],
    by_task: Mapping[str, GradedQuestion],
    *,
    undecided: Counter[str],
    suspects: Sequence[str],
) -> Scorecard:
    graded = list(by_task.values())
    try:
        metrics = compute_metrics(graded)
    except OverflowError as error:
        # References are bounded, so only a sum of figures that the file states can overflow.
        raise Unscorable("usage") from error
    groups = group_questions(list(references.values()), graded)
    retrieval = [question.retrieval for question in graded]
    figures = {key: [one and getattr(one, key) for one in retrieval] for key in ("precision", "recall")}
    return Scorecard(
        overall=rate_of(graded),
        metrics=metrics,
        breakdowns=groups.rates,
        group_metrics=groups.metrics,
        group_counts=groups.counts,
        verdicts={
            key: question.outcome
            for key, question in by_task.items()
            if isinstance(question.outcome, Verdict)
        },
        # The plus sign leaves out reasons whose count is 0.
        undecided=dict(+undecided),
        suspects=tuple(suspects),
        details=pack(figures),
    )
