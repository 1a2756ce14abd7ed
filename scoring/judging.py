"""Judging answers in words: what every judge takes and gives, and what keeps its paid verdicts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One answer to be judged. true_answer: what the benchmark's own rule makes of the reference."""

    question: str
    assumption: str | None
    true_answer: str
    agent_answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeVerdict:
    """What a judge says of one answer.

    correct: None is undecided, which is not wrong. by: who said so; of the undecided, who was last asked.
    reason: a short stable code (`number-equal`, `provider-down`), never text of an answer or a reference.
    suspect: the answer speaks to the judge instead of answering, which the organiser should look at.
    """

    correct: bool | None
    by: Literal["rules", "llm", "cache"]
    reason: str
    suspect: bool = False


# Called with how many cases are decided and undecided so far, at least once a second while a judge
# works; False asks it to stop, which leaves the rest undecided with reason `stopped`.
Watch = Callable[[int, int], bool]


class Judge(Protocol):
    """identity: mode, model and versions in a line, such as `hybrid o4-mini prompt 1 rules 1`. Two judges
    with the same identity are one judge; verdicts of others are not comparable with theirs."""

    @property
    def mode(self) -> str: ...

    @property
    def identity(self) -> str: ...

    def judge(
        self, *, question: str, assumption: str | None, true_answer: str, agent_answer: str
    ) -> JudgeVerdict:
        """Return the verdict on one answer."""

    def judge_all(self, cases: Sequence[Case], *, watch: Watch | None = None) -> Sequence[JudgeVerdict]:
        """Return the verdicts on `cases`, in their order. No error of a provider is raised: what it left
        undecided has the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a provider. key: sha256 of all that the verdict depends on.

    correct: None where the reply was of no use, which was paid for all the same. cost: US dollars.
    estimated: it was sent and no reply came (too late, an error of the provider's), which many bill; its
    tokens and cost are guesses.
    """

    key: bytes
    correct: bool | None
    prompt_tokens: int
    completion_tokens: int
    cost: float
    estimated: bool = False


class Ledger(Protocol):
    """Keeps what was paid for, so that nothing is paid for twice, and says when the money is spent."""

    def known(self, keys: Sequence[bytes]) -> Mapping[bytes, bool]:
        """Return the verdicts kept for those of `keys` that there are any for."""

    def may_call(self, estimate: float = 0.0) -> bool:
        """Whether the budget allows one more call, which then counts as made; asked from the thread that
        calls `record`, as all of this is. estimate: what the call may cost, in US dollars, which is to go by
        as long as none was answered."""

    def record(self, calls: Sequence[Call]) -> None:
        """Keep `calls`: when this returns, they survive a kill."""


class MeasuredAgreement(Protocol):
    """How far one judge agrees with known verdicts. Gives away no answer and no reference."""

    def as_json(self) -> Mapping[str, Any]:
        """Return the figures as JSON."""

    def as_table(self, name: str) -> str:
        """Return the figures as a table of text under `name`."""


class AgreementStudy(Protocol):
    """Measures how far judges agree with known verdicts on the same answers."""

    def read(self, lines: Iterable[str]) -> Sequence[Any]:
        """Return the judged answers in `lines`, one a line. Raises ValueError."""

    def rules_judges(self) -> Mapping[str, Judge]:
        """Return the rules to measure by a short name: made to decide on everything last."""

    def measure(self, pairs: Sequence[Any], judge: Judge) -> MeasuredAgreement:
        """Return how far `judge` agrees with the verdicts of `pairs`."""

    def kept_at(self) -> Path:
        """Return the file with the figures that the leaderboards state."""
