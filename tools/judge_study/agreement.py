"""Measure how far a judge agrees with verdicts of people or of an LLM on the same answers."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from wardboard.scoring.fhir_agentbench.grading.precheck import precheck
from wardboard.scoring.fhir_agentbench.grading.references import FhirReference
from wardboard.scoring.fhir_agentbench.judge.rules.text.references import read_reference
from wardboard.scoring.fhir_agentbench.reading.records import AnswerRecord
from wardboard.scoring.judging import Case, Judge
from wardboard.scoring.statistics import wilson_interval
from wardboard.scoring.verdicts import Verdict

_HEAD = (
    f"{'':<28}{'pairs':>7}{'decided':>9}{'share':>8}{'agree':>8}{'95% interval':>16}{'kappa':>8}"
    f"{'false +':>9}{'false -':>9}"
)


class PairsInvalid(ValueError):
    """Report a file that is not a list of judged answers, by its line and without a quote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Hold an answer and the verdict to compare with: `right`.

    error: the agent's, None for none. form: of the answer ("terse"), "" where it is not known.
    """

    question: str
    assumption: str | None
    true_answer: str = field(repr=False)
    answer: Any = field(repr=False)
    error: str | None
    right: bool
    form: str = ""


@dataclass(slots=True)
class Tally:
    """Count answers by the verdicts of both judges."""

    both_right: int = 0
    both_wrong: int = 0
    false_accepts: int = 0
    false_rejects: int = 0
    undecided: int = 0

    def add(self, verdict: bool | None, right: bool) -> None:
        """Count one answer. verdict: the judge's; right: that of the judge it is compared with."""
        if verdict is None:
            self.undecided += 1
        elif verdict:
            self.both_right += right
            self.false_accepts += not right
        else:
            self.false_rejects += right
            self.both_wrong += not right

    @property
    def decided(self) -> int:
        return self.both_right + self.both_wrong + self.false_accepts + self.false_rejects

    @property
    def pairs(self) -> int:
        return self.decided + self.undecided

    @property
    def share_decided(self) -> float | None:
        """The share of all answers that were decided, 0..1; None if there are none."""
        return self.decided / self.pairs if self.pairs else None

    @property
    def accuracy(self) -> float | None:
        """The share of decided answers on which both agree, 0..1; None if there are none."""
        return (self.both_right + self.both_wrong) / self.decided if self.decided else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% Wilson interval of `accuracy`, 0..1; None if nothing was decided."""
        return wilson_interval(self.both_right + self.both_wrong, self.decided) if self.decided else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa over the decided answers: agreement beyond chance, -1..1.

        None if nothing was decided, or if chance alone would give full agreement.
        """
        total = self.decided
        if not total:
            return None
        accepted, correct = self.both_right + self.false_accepts, self.both_right + self.false_rejects
        by_chance = (accepted * correct + (total - accepted) * (total - correct)) / total**2
        agreed = (self.both_right + self.both_wrong) / total
        return (agreed - by_chance) / (1 - by_chance) if by_chance < 1 else None


@dataclass(slots=True, kw_only=True)
class Agreement:
    """Hold the agreement of one judge.

    - prechecked: answers that the official rules decide before any judge: errors, null, token limit.
    - judged: all other answers.
    - by_kind, by_form: the judged answers by kind of reference, and by form of answer where it is known.
    - suspects: how many judged answers were suspect.
    """

    judge: str
    prechecked: Tally = field(default_factory=Tally)
    judged: Tally = field(default_factory=Tally)
    by_kind: dict[str, Tally] = field(default_factory=dict)
    by_form: dict[str, Tally] = field(default_factory=dict)
    suspects: int = 0


def as_table(agreement: Agreement, name: str) -> str:
    """Return the figures as a table of text under `name`."""
    rows = [
        f"{agreement.judge}, {name}",
        _HEAD,
        *[_row(kind, tally) for kind, tally in sorted(agreement.by_kind.items())],
        *[_row(form, tally) for form, tally in agreement.by_form.items()],
        _row("all judged", agreement.judged),
        _row("decided before", agreement.prechecked),
        f"suspect: {agreement.suspects}",
    ]
    return "\n".join(rows) + "\n"


def _row(name: str, tally: Tally) -> str:
    shares = [
        "-" if share is None else f"{share:.3f}"
        for share in (tally.share_decided, tally.accuracy, tally.kappa)
    ]
    interval = "-" if tally.interval is None else "{:.3f} to {:.3f}".format(*tally.interval)
    return (
        f"{name:<28}{tally.pairs:>7}{tally.decided:>9}{shares[0]:>8}{shares[1]:>8}{interval:>16}{shares[2]:>8}"
        f"{tally.false_accepts:>9}{tally.false_rejects:>9}"
    )


def read_pairs(lines: Iterable[str]) -> list[Pair]:
    """Return the judged answers in `lines`, each a JSON object. Raises PairsInvalid.

    Fields: question, true_answer, agent_answer, llm_verdict (or verdict: 0, 1, true or false), and
    optionally assumption, error and form.
    """
    return [_pair(number, line) for number, line in enumerate(lines, start=1) if line.strip()]


def _pair(number: int, line: str) -> Pair:
    try:
        data = json.loads(line)
        verdict = data["llm_verdict"] if "llm_verdict" in data else data["verdict"]
        if verdict not in (0, 1):
            raise PairsInvalid(f"line {number}: the verdict is neither 0 nor 1")
        return Pair(
            question=str(data["question"]),
            assumption=data.get("assumption"),
            true_answer=str(data["true_answer"]),
            answer=data["agent_answer"],
            error=None if data.get("error") is None else str(data["error"]),
            right=bool(verdict),
            form=str(data.get("form") or ""),
        )
    except KeyError as error:
        raise PairsInvalid(f"line {number}: there is no {error.args[0]}") from error
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, PairsInvalid):
            raise
        raise PairsInvalid(f"line {number} is not a JSON object") from None


def measure(pairs: Iterable[Pair], judge: Judge) -> Agreement:
    """Return how far `judge` agrees with the verdicts of `pairs`."""
    result = Agreement(judge=judge.identity)
    left: list[tuple[Case, Pair]] = []
    officially = judge.mode == "official"
    for pair in pairs:
        prechecked = _precheck(pair, officially=officially)
        if isinstance(prechecked, Verdict):
            result.prechecked.add(prechecked.correct, pair.right)
        else:
            left.append((prechecked, pair))
    verdicts = judge.judge_all([case for case, _ in left])
    for (case, pair), verdict in zip(left, verdicts, strict=True):
        right = pair.right
        kind = str(read_reference(case.true_answer).kind)
        result.judged.add(verdict.correct, right)
        result.by_kind.setdefault(kind, Tally()).add(verdict.correct, right)
        if pair.form:
            result.by_form.setdefault(pair.form, Tally()).add(verdict.correct, right)
        result.suspects += verdict.suspect
    return result


def _precheck(pair: Pair, *, officially: bool) -> Verdict | Case:
    record = AnswerRecord(task_id="", answer=pair.answer, failed=bool(pair.error and pair.error.strip()))
    # The gold resources are not known, so the reference answer is taken as it is.
    reference = FhirReference(
        task_id="", question=pair.question, assumption=pair.assumption, true_answer=pair.true_answer
    )
    return precheck(record, reference, officially=officially)
