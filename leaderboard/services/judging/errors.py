"""The known errors of judges, and figures corrected for them. The labelled pairs themselves are not kept."""

import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Protocol

from leaderboard.models import Board, JudgeErrors
from leaderboard.services.judging.references import references_of
from wardboard.scoring import registry
from wardboard.scoring.judging import Judge
from wardboard.scoring.reading.problems import SubmissionInvalid
from wardboard.scoring.statistics.misclassification import (
    CorrectedRate,
    JudgeErrorCounts,
    corrected_rate,
    effective_total,
)

_ID, _LABEL = "question_id", "label"


class PairsRefused(ValueError):
    """Labelled pairs cannot be used. The message names a line and never quotes it."""


class PairsUndecided(Exception):
    """The judge left answers undecided for now, by a fault or a budget; the same command goes on later."""


class JudgedFigure(Protocol):
    """A row: its score and the ends of its interval, in 0..1, and the number of answers."""

    @property
    def score(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...
    @property
    def total(self) -> int | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownErrors:
    """The errors of a judge on a leaderboard. source: who labelled."""

    counts: JudgeErrorCounts
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedFigure:
    """A corrected score, beside what it was corrected by."""

    corrected: CorrectedRate
    errors: KnownErrors


def errors_by_judge(board: Board) -> Mapping[str, KnownErrors]:
    """Return identity of a judge -> its known errors on the leaderboard."""
    return {
        row.judge: KnownErrors(
            counts=JudgeErrorCounts(
                both_right=row.both_right,
                false_rejects=row.false_rejects,
                false_accepts=row.false_accepts,
                both_wrong=row.both_wrong,
            ),
            source=row.source,
        )
        for row in JudgeErrors.objects.filter(board=board)
    }


def correct(figure: JudgedFigure, errors: KnownErrors, *, runs: int = 1) -> CorrectedFigure | None:
    """Return the corrected figure; None where too little is known of the judge or of the figure.

    runs: over how many runs its answers are; a further run says nothing about other tasks
    """
    if figure.score is None or figure.low is None or figure.high is None or not figure.total:
        return None
    total = effective_total(figure.score, figure.total / runs, (figure.low, figure.high))
    corrected = corrected_rate(figure.score, total, errors.counts)
    return CorrectedFigure(corrected=corrected, errors=errors) if corrected else None


def count_errors(board: Board, lines: Iterable[str], judge: Judge) -> JudgeErrorCounts:
    """Put labelled answers to `judge`, as a file with them would be graded, and count its errors.

    lines: JSON objects, each a record of a result file with a `label` more, 1 for right and 0 for wrong. A
    question may occur several times. What the judge leaves open for good counts as rejected, as it does in
    the rank. Raises PairsRefused, and PairsUndecided.
    """
    counts = dict.fromkeys(((label, verdict) for label in (True, False) for verdict in (True, False)), 0)
    rounds = _rounds(lines)
    if not rounds:
        raise PairsRefused("there are no labelled answers")
    for records, labels in rounds:
        for task_id, verdict in _verdicts(board, records, judge).items():
            counts[labels[task_id], verdict] += 1
    return JudgeErrorCounts(
        both_right=counts[True, True],
        false_rejects=counts[True, False],
        false_accepts=counts[False, True],
        both_wrong=counts[False, False],
    )


def _rounds(lines: Iterable[str]) -> Sequence[tuple[list[dict[str, Any]], dict[str, bool]]]:
    """Return the records and their labels, in rounds in which each question occurs once at most."""
    rounds: list[tuple[list[dict[str, Any]], dict[str, bool]]] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        record = _record(number, line)
        task_id, label = record[_ID], record.pop(_LABEL)
        turn = seen[task_id] = seen.get(task_id, -1) + 1
        if turn == len(rounds):
            rounds.append(([], {}))
        records, labels = rounds[turn]
        records.append(record)
        labels[task_id] = bool(label)
    return rounds


def _record(number: int, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        # Without the parser's words, which quote the line.
        raise PairsRefused(f"line {number} is not JSON") from None
    if not isinstance(record, dict) or not isinstance(record.get(_ID), str):
        raise PairsRefused(f"line {number} is not an object with a {_ID}")
    if record.get(_LABEL) not in (0, 1):
        raise PairsRefused(f"line {number}: the {_LABEL} is neither 0 nor 1")
    return {"agent_fhir_resources": None, **record}


def _verdicts(board: Board, records: Sequence[dict[str, Any]], judge: Judge) -> dict[str, bool]:
    benchmark, revision = registry.get(board.benchmark), board.active_revision
    if revision is None:
        raise PairsRefused("the leaderboard has no references yet")
    references = references_of(revision)
    unknown = sum(record[_ID] not in references for record in records)
    if unknown:
        raise PairsRefused(f"{unknown} questions are not on this leaderboard")
    chosen = {record[_ID]: references[record[_ID]] for record in records}
    file = BytesIO("\n".join(map(json.dumps, records)).encode())
    with tempfile.TemporaryFile() as kept:
        try:
            benchmark.read(
                file, task_ids=tuple(chosen), version=board.version, limits=benchmark.limits, keep=kept
            )
        except SubmissionInvalid as error:
            raise PairsRefused("some answers cannot be read as records of a result file") from error
        kept.seek(0)
        card = benchmark.score(benchmark.records(kept), chosen, judge=judge)
    if card.undecided:
        raise PairsUndecided(", ".join(card.undecided))
    return {task_id: verdict.correct is True for task_id, verdict in card.verdicts.items()}
