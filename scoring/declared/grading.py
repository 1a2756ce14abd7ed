"""Grade the answers to a declared benchmark."""

import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from wardboard.scoring.benchmark import Progress, Watch
from wardboard.scoring.declared.declaration import column_of
from wardboard.scoring.declared.matching import Matcher
from wardboard.scoring.declared.reading import DeclaredRow
from wardboard.scoring.explanations import as_text
from wardboard.scoring.judging import Case, Judge, JudgeVerdict
from wardboard.scoring.verdicts import Rate, Scorecard, Verdict, known_mean

TOKEN_F1 = "token_f1"


class DeclaredReason(StrEnum):
    """What decided a verdict. Stored by position: never move or remove one, and add new ones at the end."""

    RIGHT = "right"
    RIGHT_BY_LLM = "right-by-llm"
    WRONG = "wrong"
    WRONG_BY_LLM = "wrong-by-llm"
    WRONG_FORM = "wrong-form"
    WRONG_SUSPECT = "wrong-suspect"
    NO_ANSWER = "no-answer"
    MISSING = "missing"
    UNDECIDED = "undecided"
    LEFT_OPEN = "left-open"


# What the file alone gives away.
REMARKS: Mapping[str, str] = {
    DeclaredReason.NO_ANSWER: "no answer",
    DeclaredReason.MISSING: "not in the file",
    DeclaredReason.WRONG_FORM: "not of the form that is asked for",
}
_WRONG = (DeclaredReason.WRONG, DeclaredReason.WRONG_BY_LLM, DeclaredReason.WRONG_SUSPECT)
FAILURES: Mapping[str, str] = {**dict.fromkeys(_WRONG, "wrong answer"), **REMARKS}


def is_correct(reason: str) -> bool | None:
    """Return whether an answer with this reason is correct; None if it is undecided."""
    if reason in (DeclaredReason.UNDECIDED, DeclaredReason.LEFT_OPEN):
        return None
    return reason in (DeclaredReason.RIGHT, DeclaredReason.RIGHT_BY_LLM)


def score(
    records: Iterable[DeclaredRow],
    references: Mapping[str, DeclaredRow],
    rules: Mapping[str, Any],
    *,
    judge: Judge | None,
    watch: Watch | None,
) -> Scorecard:
    """Grade `records` against every task of `references`; a task without a record is wrong.

    rules: of a declaration. judge: of the answers that its match does not accept; None where it decides
    """
    answers, matcher = {record.task_id: record for record in records}, Matcher(rules)
    reasons = {task: _reason(answers.get(task), reference, matcher) for task, reference in references.items()}
    cases = {
        task: Case(
            question=str(references[task].fields.get(rules["references"]["question"], "")),
            assumption=None,
            true_answer=as_text(references[task].answer) or "",
            agent_answer=as_text(answers[task].answer) or "",
        )
        for task, reason in reasons.items()
        if judge and reason in (DeclaredReason.WRONG, DeclaredReason.WRONG_FORM)
    }

    def watch_judging(judged: int, undecided: int) -> bool:
        total = len(references)
        progress = Progress(total=total, read=total, to_judge=len(cases), judged=judged, undecided=undecided)
        return watch is None or watch(progress)

    judged = judge.judge_all(list(cases.values()), watch=watch_judging) if judge and cases else ()
    verdicts = dict(zip(cases, judged, strict=True))
    reasons |= {task: _judged_reason(verdict) for task, verdict in verdicts.items()}
    figures = {
        metric.get("key", TOKEN_F1): [
            _figure(metric, answers.get(task), reference, matcher) for task, reference in references.items()
        ]
        for metric in rules["metrics"][1:]
    }
    labels = labels_of(references, rules["breakdowns"])
    return Scorecard(
        overall=_rate(references, reasons),
        metrics=_metrics(rules, reasons, answers, figures),
        breakdowns={
            part["key"]: {
                group: _rate([task for task, label in labels[part["key"]].items() if label == group], reasons)
                for group in part["groups"]
            }
            for part in rules["breakdowns"]
        },
        verdicts={
            task: Verdict(correct=is_correct(reason), reason=reason) for task, reason in reasons.items()
        },
        # What a judge leaves open for good is part of the result.
        undecided=Counter(each.reason for each in judged if each.correct is None and not each.left_open),
        suspects=tuple(task for task, verdict in verdicts.items() if verdict.suspect),
        details=zlib.compress(msgspec.json.encode(figures)) if figures else b"",
    )


def unpack(details: bytes, count: int) -> dict[str, list[float | None]]:
    """Return the figures of each task from `details` of a Scorecard. Raises ValueError for others."""
    try:
        figures = msgspec.json.decode(zlib.decompress(details), type=dict[str, list[float | None]])
    except (zlib.error, msgspec.MsgspecError) as error:
        raise ValueError("these bytes are not packed figures of tasks") from error
    if any(len(values) != count for values in figures.values()):
        raise ValueError(f"these are not figures of {count} tasks")
    return figures


def _figure(
    metric: Mapping[str, Any],
    answer: DeclaredRow | None,
    reference: DeclaredRow,
    matcher: Matcher,
) -> float | None:
    """Return the figure of a task: its F1, which is 0 without an answer, or what its row states."""
    if metric["kind"] == "mean":
        return answer.fields.get(metric.get("field", metric["key"])) if answer else None
    return matcher.token_f1(matcher.extracted(answer.answer), reference.answer) if answer else 0.0


def _metrics(
    rules: Mapping[str, Any],
    reasons: Mapping[str, DeclaredReason],
    answers: Mapping[str, DeclaredRow],
    figures: Mapping[str, Sequence[float | None]],
) -> dict[str, float | None]:
    rate, total = _rate(reasons, reasons), len(reasons) or 1
    stated = {key: [value for value in values if value is not None] for key, values in figures.items()}
    answered = [task for task in reasons if task in answers and answers[task].fingerprint is not None]
    means = [metric["key"] for metric in rules["metrics"] if metric["kind"] == "mean"]
    upper = {"exact_match_upper": rate.rate if rate.upper is None else rate.upper}
    return {
        "exact_match": rate.rate,
        **(upper if "judge" in rules else {}),
        **{key: known_mean(values) for key, values in stated.items()},
        **{f"{key}_share": len(stated[key]) / total for key in means},
        "coverage": len(answered) / total,
    }


def labels_of(
    references: Mapping[str, DeclaredRow], parts: Sequence[Mapping[str, Any]]
) -> dict[str, dict[str, str]]:
    """Return key of a breakdown, or of clusters, -> task id -> label, without tasks that have none."""
    return {
        part["key"]: {
            task: str(label).strip()
            for task, each in references.items()
            if (label := each.fields.get(column_of(part))) is not None
        }
        for part in parts
    }


def _reason(answer: DeclaredRow | None, reference: DeclaredRow, matcher: Matcher) -> DeclaredReason:
    """Return what the file and the match decide."""
    if answer is None:
        return DeclaredReason.MISSING
    if not (as_text(answer.answer) or "").strip():
        return DeclaredReason.NO_ANSWER
    form = matcher.form(matcher.extracted(answer.answer))
    if form is None:
        return DeclaredReason.WRONG_FORM
    return DeclaredReason.RIGHT if matcher.is_right(form, reference.answer) else DeclaredReason.WRONG


def _judged_reason(verdict: JudgeVerdict) -> DeclaredReason:
    if verdict.correct is None:
        return DeclaredReason.LEFT_OPEN if verdict.left_open else DeclaredReason.UNDECIDED
    if verdict.suspect and not verdict.correct:
        return DeclaredReason.WRONG_SUSPECT
    return DeclaredReason.RIGHT_BY_LLM if verdict.correct else DeclaredReason.WRONG_BY_LLM


def _rate(tasks: Collection[str], reasons: Mapping[str, DeclaredReason]) -> Rate:
    counts = Counter(reasons[task] for task in tasks)
    right = counts[DeclaredReason.RIGHT] + counts[DeclaredReason.RIGHT_BY_LLM]
    return Rate(right=right, total=len(tasks), left_open=counts[DeclaredReason.LEFT_OPEN])
