"""The metrics of a submission, computed from those of its questions, and these packed for statistics."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from wardboard.scoring.fhir_agentbench.grading.reasons import FhirReason
from wardboard.scoring.fhir_agentbench.grading.retrieval import RetrievalFigures
from wardboard.scoring.judging import Case
from wardboard.scoring.verdicts import Rate, Verdict, known_mean


@dataclass(slots=True, kw_only=True)
class GradedQuestion:
    """The results of one question.

    - outcome: the verdict, or the case that a judge has to decide.
    - retrieval: None if the gold resources are not known, or the file has no record of the question.
    - retrieved: whether any resource of a type of the gold resources was retrieved.
    - answered: whether the file has an answer: neither blank or null, nor an error or a refusal.
    - tokens, cost: as reported by the submitter, in US dollars for cost; None if not reported.
    """

    outcome: Verdict | Case
    retrieval: RetrievalFigures | None
    retrieved: bool = False
    answered: bool = False
    tokens: float | None = None
    cost: float | None = None

    @property
    def right(self) -> bool:
        return isinstance(self.outcome, Verdict) and self.outcome.correct is True

    @property
    def left_open(self) -> bool:
        return isinstance(self.outcome, Verdict) and self.outcome.reason == FhirReason.LEFT_OPEN


def rate_of(graded: Sequence[GradedQuestion]) -> Rate:
    """Return how many of `graded` are right, and how many the judge left open."""
    right, left_open = (sum(getattr(each, name) for each in graded) for name in ("right", "left_open"))
    return Rate(right=right, total=len(graded), left_open=left_open)


def f1(precision: float | None, recall: float | None) -> float | None:
    """Return 2PR/(P+R) of two means, 0..1; 0 if P+R is 0 or one is unknown, as the official evaluator has it.

    None if both are unknown.
    """
    if precision is None or recall is None:
        return None if precision is recall else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def f1_share(metrics: Mapping[str, float | None]) -> float | None:
    """Return the share of the questions that F1 is over: the smaller of those of its two means."""
    shares = [metrics.get(f"{key}_share") for key in ("precision", "recall")]
    return min((share for share in shares if share is not None), default=None)


def mean_retrieval(graded: Iterable[GradedQuestion]) -> dict[str, float | None]:
    """Return mean precision, mean recall and their F1 over `graded`.

    The two means can be over different questions: one without a precision can have a recall.
    """
    scored = [question.retrieval for question in graded if question.retrieval is not None]
    precision = known_mean(figures.precision for figures in scored)
    recall = known_mean(figures.recall for figures in scored)
    # No F1 is shown beside a mean that is not.
    of_both = None if precision is None else f1(precision, recall)
    return {"precision": precision, "recall": recall, "f1": of_both}


def count_retrieval(graded: Iterable[GradedQuestion]) -> dict[str, int]:
    """Return how many questions each figure of `mean_retrieval` is over; of F1, the fewer of its two."""
    scored = [question.retrieval for question in graded if question.retrieval is not None]
    precision = sum(figures.precision is not None for figures in scored)
    recall = sum(figures.recall is not None for figures in scored)
    return {"precision": precision, "recall": recall, "f1": min(precision, recall)}


def _stated(key: str, values: list[float | None]) -> dict[str, float | None]:
    """Return the mean of what records state, and the share of those that do: None and 0 if all state 0."""
    stated = [value for value in values if value is not None] if any(values) else []
    return {
        f"{key}_per_question": known_mean(stated),
        f"{key}_share": len(stated) / len(values) if values else None,
    }


def compute_metrics(graded: list[GradedQuestion]) -> dict[str, float | None]:
    """Return every metric by its key, computed over all questions."""
    rate, total = rate_of(graded), len(graded)
    scored = [question.retrieval for question in graded if question.retrieval is not None]
    means: dict[str, float | None] = {}
    for key in RetrievalFigures._fields:
        values = [getattr(figures, key) for figures in scored]
        means[key] = known_mean(values)
        means[f"{key}_share"] = sum(value is not None for value in values) / len(graded) if scored else None
    means |= {"f1": f1(means["precision"], means["recall"]), "f1_share": f1_share(means)}
    means["retrieval_rate"] = sum(question.retrieved for question in graded) / len(graded) if scored else None
    return {
        "answer_correctness": rate.rate,
        "answer_correctness_upper": rate.rate if rate.upper is None else rate.upper,
        "left_open": rate.left_open / total if total else None,
        **means,
        "coverage": sum(question.answered for question in graded) / total if total else None,
        **_stated("tokens", [question.tokens for question in graded]),
        **_stated("cost", [question.cost for question in graded]),
    }


_decoder = msgspec.json.Decoder(dict[str, list[float | None]])


def pack(figures: Mapping[str, Sequence[float | None]]) -> bytes:
    """Pack the figures of all tasks, in their order, by metric, for `unpack`: JSON, compressed by zlib."""
    return zlib.compress(msgspec.json.encode(figures))


def unpack(details: bytes, count: int) -> Mapping[str, Sequence[float | None]]:
    """Return what `pack` packed of `count` tasks. Raises ValueError for other bytes."""
    try:
        figures = _decoder.decode(zlib.decompress(details))
    except (zlib.error, msgspec.MsgspecError) as error:
        raise ValueError("these bytes are not packed figures of tasks") from error
    if any(len(values) != count for values in figures.values()):
        raise ValueError(f"these are not figures of {count} tasks")
    return figures
