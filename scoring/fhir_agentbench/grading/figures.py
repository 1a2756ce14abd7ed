"""The figures of a whole submission, from those of its questions."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum

from scoring.fhir_agentbench.grading.retrieval import RetrievalFigures
from scoring.judging import Case
from scoring.verdicts import Verdict


@dataclass(slots=True, kw_only=True)
class Graded:
    """One question. outcome: the verdict, or the case that a judge has to decide.

    retrieval: None where the true resources are not known. tokens, cost: as the submitter says, None
    where nothing is said.
    """

    outcome: Verdict | Case
    retrieval: RetrievalFigures | None
    answered: bool = False
    tokens: float | None = None
    cost: float | None = None

    @property
    def right(self) -> bool:
        return isinstance(self.outcome, Verdict) and self.outcome.correct is True


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of those that there are; None over nothing. Exact, so in any order the same."""
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None


def f1(precision: float | None, recall: float | None) -> float | None:
    """Return 2PR/(P+R) of two means, 0 where P+R is not above 0, which an unknown P is not either.

    None where both are unknown: that is over nothing.
    """
    if precision is None and recall is None:
        return None
    if precision is None or recall is None or precision + recall <= 0:
        return 0.0
    return 2 * precision * recall / (precision + recall)


def retrieval_figures(graded: Iterable[Graded]) -> dict[str, float | None]:
    """Return precision, recall and f1 of some questions. The means are over different questions, as what
    has no precision can have a recall."""
    known = [one.retrieval for one in graded if one.retrieval is not None]
    precision = mean(figures.precision for figures in known)
    recall = mean(figures.recall for figures in known)
    return {"precision": precision, "recall": recall, "f1": f1(precision, recall)}


def metrics_of(graded: list[Graded]) -> dict[str, float | None]:
    """Return every metric of all questions, `graded`, by its key."""
    total = len(graded)
    known = [one.retrieval for one in graded if one.retrieval is not None]
    return {
        "answer_correctness": sum(one.right for one in graded) / total if total else None,
        **retrieval_figures(graded),
        "precision_all_types": mean(figures.precision_all_types for figures in known),
        "recall_fraction": mean(figures.recall_fraction for figures in known),
        "coverage": sum(one.answered for one in graded) / total if total else None,
        "tokens_per_question": mean(one.tokens for one in graded),
        "cost_per_question": mean(one.cost for one in graded),
    }
