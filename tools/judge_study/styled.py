"""Answers in styles that their writers chose, and what the rules decide of them.

Six writers who had not read the rules wrote them (`styles/`). The rules were developed with the answers of
five; nobody read those of the sixth while they were. Each answer is a wording of its own, so the number of
answers is the number of wordings.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from wardboard.scoring.judging import Case, Judge
from wardboard.scoring.statistics import wilson_interval

FOLDER = Path(__file__).with_name("styles")
ENGLISH = "en"


class Set(StrEnum):
    """Name a set of answers: the rules were developed with the first, and not with the other."""

    DEVELOPMENT = "development"
    HELD_OUT = "held-out"


@dataclass(frozen=True, slots=True)
class StyledAnswer:
    """Hold an answer, whether it is right, and who wrote it, in which style and language."""

    writer: str
    style: str
    kind: str
    language: str
    right: bool
    case: Case

    @property
    def full_style(self) -> str:
        return f"{self.writer} {self.style}"


@dataclass(slots=True)
class Outcomes:
    """Count what a judge decided of right and of wrong answers."""

    counts: Counter[tuple[bool, bool | None]]

    @property
    def right(self) -> int:
        return sum(count for (right, _), count in self.counts.items() if right)

    @property
    def wrong(self) -> int:
        return self.counts.total() - self.right

    @property
    def decided_right(self) -> int:
        """How many right answers were decided right."""
        return self.counts[True, True]

    @property
    def wrongly_rejected(self) -> int:
        return self.counts[True, False]

    @property
    def wrongly_accepted(self) -> int:
        return self.counts[False, True]

    @property
    def left_open(self) -> int:
        return self.counts[True, None] + self.counts[False, None]

    @property
    def decided_right_95(self) -> tuple[float, float]:
        """Wilson's 95% interval of the share of right answers that were decided right."""
        return wilson_interval(self.decided_right, self.right) if self.right else (0.0, 1.0)

    @property
    def wrongly_accepted_95(self) -> tuple[float, float]:
        """Wilson's 95% interval of the share of wrong answers that were accepted."""
        return wilson_interval(self.wrongly_accepted, self.wrong) if self.wrong else (0.0, 1.0)


def read_answers(which: Set) -> list[StyledAnswer]:
    """Return the answers of a set, in the order of its files."""
    lines = [
        json.loads(line)
        for path in sorted(FOLDER.glob(f"{which}-*.ndjson"))
        for line in path.read_text().splitlines()
        if line.strip()
    ]
    return [
        StyledAnswer(
            writer=line["writer"],
            style=str(line["style"]),
            kind=_KINDS.get(line["kind"], line["kind"]),
            language=line["language"],
            right=line["correct"],
            case=Case(
                question=line["question"],
                assumption=line["assumption"] or None,
                true_answer=line["true_answer"],
                agent_answer=line["agent_answer"],
            ),
        )
        for line in lines
    ]


# Each writer named the kinds in a way of their own.
_KINDS = {
    "yes_no": "yes or no",
    "yes/no": "yes or no",
    "yesno": "yes or no",
    "numbers": "numbers",
    "list of numbers": "numbers",
    "list_of_numbers": "numbers",
    "names": "list",
}


def judge_answers(answers: Iterable[StyledAnswer], judge: Judge) -> list[tuple[StyledAnswer, bool | None]]:
    """Return each answer with the verdict of `judge` on it."""
    held = list(answers)
    verdicts = judge.judge_all([answer.case for answer in held])
    return [(answer, verdict.correct) for answer, verdict in zip(held, verdicts, strict=True)]


def count(judged: Iterable[tuple[StyledAnswer, bool | None]]) -> Outcomes:
    """Count the outcomes of all answers together."""
    return Outcomes(Counter((answer.right, verdict) for answer, verdict in judged))


def count_by(judged: Iterable[tuple[StyledAnswer, bool | None]], name: str) -> Mapping[str, Outcomes]:
    """Count the outcomes by an attribute of the answers: `full_style`, `kind`, `language`."""
    counts: dict[str, Counter[tuple[bool, bool | None]]] = defaultdict(Counter)
    for answer, verdict in judged:
        counts[getattr(answer, name)][answer.right, verdict] += 1
    return {key: Outcomes(counts[key]) for key in sorted(counts)}
