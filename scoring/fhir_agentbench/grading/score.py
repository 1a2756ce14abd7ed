"""Scoring a whole submission."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from scoring.benchmark import Progress, Watch
from scoring.fhir_agentbench.grading.breakdowns import group
from scoring.fhir_agentbench.grading.details import pack
from scoring.fhir_agentbench.grading.figures import Graded, metrics_of
from scoring.fhir_agentbench.grading.precheck import decide, verdict_of
from scoring.fhir_agentbench.grading.reasons import FhirReason, reason_for
from scoring.fhir_agentbench.grading.references import FhirReference
from scoring.fhir_agentbench.grading.retrieval import retrieval
from scoring.fhir_agentbench.reading.records import AnswerRecord, Usage
from scoring.judging import Case, Judge
from scoring.verdicts import Rate, Scorecard, Verdict

_WATCH_EVERY = 100  # records
_STOPPED = "stopped"  # why a verdict is undecided: whoever watches asked for it


def score(
    records: Iterable[AnswerRecord],
    references: Mapping[str, FhirReference],
    *,
    judge: Judge,
    watch: Watch | None = None,
) -> Scorecard:
    """Score `records`, read once through, at most one a question, against every one of `references`.

    The denominator is the list of questions. A missing one is wrong, with nothing retrieved; a record of
    another question is passed over. Retrieval is worked out as the records come by and their ids are
    forgotten; the answers that the file alone does not decide are judged at the end, all together.
    """
    graded = dict[str, Graded]()
    going_on = _read_through(records, references, graded, watch)
    read = len(graded)
    absent = verdict_of(FhirReason.MISSING if going_on else FhirReason.UNDECIDED)
    # In the order of the questions from here on, whatever that of the file is.
    by_task = {
        task_id: graded.get(task_id) or _without_record(reference, absent)
        for task_id, reference in references.items()
    }
    if not going_on:
        return _scorecard(references, by_task, undecided=_leave_undecided(by_task), suspects=())

    def watch_judging(judged: int, undecided: int) -> bool:
        progress = Progress(
            total=len(references), read=read, to_judge=len(cases), judged=judged, undecided=undecided
        )
        return watch is None or watch(progress)

    undecided = Counter[str]()
    suspects = []
    cases = {task_id: one.outcome for task_id, one in by_task.items() if isinstance(one.outcome, Case)}
    judged = judge.judge_all(list(cases.values()), watch=watch_judging) if cases else ()
    for task_id, verdict in zip(cases, judged, strict=True):
        by_task[task_id].outcome = verdict_of(reason_for(verdict))
        if verdict.correct is None:
            undecided[verdict.reason] += 1
        if verdict.suspect:
            suspects.append(task_id)
    return _scorecard(references, by_task, undecided=undecided, suspects=suspects)


def _read_through(
    records: Iterable[AnswerRecord],
    references: Mapping[str, FhirReference],
    graded: dict[str, Graded],
    watch: Watch | None,
) -> bool:
    """Put what comes of `records` without a judge into `graded`; return False where `watch` says to stop."""
    total = len(references)
    for count, record in enumerate(records, 1):
        if reference := references.get(record.task_id):
            graded[record.task_id] = _grade(record, reference)
        if watch and count % _WATCH_EVERY == 0 and not watch(Progress(total=total, read=len(graded))):
            return False
    return watch is None or watch(Progress(total=total, read=len(graded)))


def _grade(record: AnswerRecord, reference: FhirReference) -> Graded:
    truth = reference.retrievable
    return Graded(
        outcome=decide(record, reference),
        retrieval=retrieval(truth, record.resources) if truth else None,
        answered=record.answer is not None,
        tokens=_tokens(record.usage),
        cost=record.usage.cost if record.usage else None,
    )


def _without_record(reference: FhirReference, verdict: Verdict) -> Graded:
    truth = reference.retrievable
    nothing = retrieval(truth, None) if truth else None
    return Graded(outcome=verdict, retrieval=nothing)


def _tokens(usage: Usage | None) -> float | None:
    """Return the tokens of one question; the sum of both kinds where only they are given."""
    if usage is None:
        return None
    if usage.total_tokens is not None:
        return usage.total_tokens
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    return usage.prompt_tokens + usage.completion_tokens


def _leave_undecided(by_task: Mapping[str, Graded]) -> Counter[str]:
    """Leave every answer that waits for a judge undecided; return how many verdicts are so, and why."""
    undecided = verdict_of(FhirReason.UNDECIDED)
    for one in by_task.values():
        if isinstance(one.outcome, Case):
            one.outcome = undecided
    return Counter({_STOPPED: sum(one.outcome is undecided for one in by_task.values())})


def _scorecard(
    references: Mapping[str, FhirReference],
    by_task: Mapping[str, Graded],
    *,
    undecided: Counter[str],
    suspects: Sequence[str],
) -> Scorecard:
    graded = list(by_task.values())
    groups = group(list(references.values()), graded)
    return Scorecard(
        overall=Rate(right=sum(one.right for one in graded), total=len(graded)),
        metrics=metrics_of(graded),
        breakdowns=groups.rates,
        group_metrics=groups.metrics,
        verdicts={key: one.outcome for key, one in by_task.items() if isinstance(one.outcome, Verdict)},
        # Without those that nothing is undecided for.
        undecided=dict(+undecided),
        suspects=tuple(suspects),
        details=pack([one.retrieval for one in graded]),
    )
