"""Grade the answers to a declared benchmark, with the reasons of FHIR-AgentBench."""

import zlib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from wardboard.scoring.benchmark import Watch
from wardboard.scoring.declared.declaration import field_of
from wardboard.scoring.declared.matching import Matcher
from wardboard.scoring.declared.reading import DeclaredRow
from wardboard.scoring.explanations import as_text
from wardboard.scoring.fhir_agentbench.grading.figures import GradedQuestion, rate_of
from wardboard.scoring.fhir_agentbench.grading.precheck import verdict_of
from wardboard.scoring.fhir_agentbench.grading.reasons import FhirReason
from wardboard.scoring.fhir_agentbench.grading.score import judge_cases
from wardboard.scoring.judging import Case, Judge
from wardboard.scoring.verdicts import Scorecard, Verdict, known_mean

Figures = dict[str, list[float | None]]
_NOTHING = DeclaredRow(task_id="")


def score(
    records: Iterable[DeclaredRow],
    references: Mapping[str, DeclaredRow],
    rules: Mapping[str, Any],
    judge: Judge | None,
    watch: Watch | None,
) -> Scorecard:
    """Grade `records` against every task of `references`; a task without a record is wrong.

    rules: of a declaration. judge: of the answers that its match does not accept; None where it decides
    """
    answers, matcher = {record.task_id: record for record in records}, Matcher(rules)
    by_task = {
        task: GradedQuestion(outcome=_outcome(answers.get(task), reference, matcher, judge), retrieval=None)
        for task, reference in references.items()
    }
    undecided, suspects = judge_cases(by_task, judge, watch, read=len(answers)) if judge else ({}, [])
    rate, figures = rate_of(list(by_task.values())), Figures()
    metrics = {"exact_match": rate.rate}
    if judge:
        metrics["exact_match_upper"] = rate.rate if rate.upper is None else rate.upper
    for metric in rules["metrics"][1:]:
        key = metric.get("key", "token_f1")
        pairs = ((answers.get(task, _NOTHING), reference) for task, reference in references.items())
        figures[key] = [_figure(metric, answer, reference.answer, matcher) for answer, reference in pairs]
        metrics[key] = known_mean(figures[key])
        if metric["kind"] == "mean":
            metrics[f"{key}_share"] = known_mean(float(value is not None) for value in figures[key])
    labels = {part["key"]: labels_of(references, part) for part in rules["breakdowns"]}
    return Scorecard(
        overall=rate,
        metrics=metrics,
        breakdowns={
            part["key"]: {
                group: rate_of(
                    [by_task[task] for task, of_task in labels[part["key"]].items() if of_task == group]
                )
                for group in part["groups"]
            }
            for part in rules["breakdowns"]
        },
        verdicts={task: each.outcome for task, each in by_task.items() if isinstance(each.outcome, Verdict)},
        undecided=dict(undecided),
        suspects=tuple(suspects),
        details=zlib.compress(msgspec.json.encode(figures)) if figures else b"",
    )


def _outcome(
    answer: DeclaredRow | None, reference: DeclaredRow, matcher: Matcher, judge: Judge | None
) -> Verdict | Case:
    """Return what the file and the match decide, or the case that a judge has to decide."""
    if answer is None:
        return verdict_of(FhirReason.MISSING)
    text = as_text(answer.answer) or ""
    if not text.strip():
        return verdict_of(FhirReason.WRONG_NULL)
    form = matcher.form(matcher.extracted(answer.answer))
    if form is not None and matcher.is_right(form, reference.answer):
        return verdict_of(FhirReason.RIGHT_BY_RULES)
    if judge is None:
        return verdict_of(FhirReason.WRONG_NOT_TEXT if form is None else FhirReason.WRONG_BY_RULES)
    gold, question = as_text(reference.answer) or "", matcher.question(reference.fields)
    return Case(question=question, assumption=None, true_answer=gold, agent_answer=text)


def _figure(metric: Mapping[str, Any], answer: DeclaredRow, gold: Any, matcher: Matcher) -> float | None:
    """Return a figure of a task: what its row states, or its F1."""
    if metric["kind"] == "mean":
        return answer.fields.get(field_of(metric))
    return matcher.token_f1(matcher.extracted(answer.answer), gold)


def unpack(details: bytes, count: int) -> Figures:
    """Return the figures of each of `count` tasks from `details` of a Scorecard. Raises ValueError."""
    try:
        figures = msgspec.json.decode(zlib.decompress(details), type=Figures)
    except (zlib.error, msgspec.MsgspecError) as error:
        raise ValueError("these bytes are not packed figures of tasks") from error
    if any(len(values) != count for values in figures.values()):
        raise ValueError(f"these are not figures of {count} tasks")
    return figures


def labels_of(references: Mapping[str, DeclaredRow], part: Mapping[str, Any]) -> dict[str, str]:
    """Return task id -> label in a breakdown, or in clusters, without tasks that have none.

    References that were imported by another declaration may have labels that this one lacks.
    """
    name = field_of(part)
    labels = {
        task: str(each.fields[name]).strip() for task, each in references.items() if name in each.fields
    }
    return {task: label for task, label in labels.items() if label in part.get("groups", (label,))}
