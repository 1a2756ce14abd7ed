"""Protocols for free-text answers: judges, and ledgers of paid calls."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from wardboard.scoring.reading.messages import Phrase, phrase

_REASONS = {
    "provider-down": phrase("The judge model is not responding right now."),
    "provider-refused": phrase(
        "The provider of the judge model refuses our requests. The organisers have to resolve this."
    ),
    "budget-spent": phrase("The budget for judging is used up for now."),
    "reply-unusable": phrase("The judge model gave no usable reply to some answers; we are asking it again."),
}


def why_incomplete(code: str) -> Phrase:
    """Return why answers are still undecided. code: `waits_for` of the API."""
    if code.startswith("judge-"):
        return phrase("This leaderboard’s judge is not set up yet. The organisers have to do this.")
    return _REASONS.get(code) or phrase("Some answers could not be judged yet.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An answer to judge.

    - true_answer: the reference, prepared by the benchmark's own rule
    - answer_is_null: there is no answer, and `agent_answer` is what Python prints for it; only for a judge
      that is asked about missing answers too
    """

    question: str
    assumption: str | None
    true_answer: str
    agent_answer: str
    answer_is_null: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeVerdict:
    """A judge's verdict on one answer.

    - correct: None is undecided, which is not wrong
    - left_open: undecided for good, as by rules without a model after them; else another attempt may decide
    - by: the one that decided, or was asked last; "official" whether it was asked or its verdict was kept
    - reason: a short stable code (`number-equal`, `provider-down`), never text of an answer or a reference
    - suspect: the answer addresses the judge instead of answering; the organiser should look at it
    """

    correct: bool | None
    by: Literal["rules", "llm", "official"]
    reason: str
    suspect: bool = False
    left_open: bool = False


class JudgeUnavailable(Exception):
    """A judge cannot be made from the operator's settings. The message says what to set, without secrets."""


def leaves_open(judge: str) -> bool:
    """Return whether the judge with the identity `judge` may leave answers open: rules without a model."""
    return judge.startswith("rules ")


# It is called with the number of cases decided and undecided so far, at least once a second during judging;
# False asks the judge to stop, which leaves the rest undecided with reason `stopped`.
Watch = Callable[[int, int], bool]


class Judge(Protocol):
    """A judge of free-text answers.

    identity: mode, model and versions in a line, such as `hybrid o4-mini prompt 1 rules 7`. Two judges with
        the same identity are one judge; verdicts of others are not comparable with theirs.
    """

    @property
    def mode(self) -> str: ...

    @property
    def identity(self) -> str: ...

    def judge(
        self, *, question: str, assumption: str | None, true_answer: str, agent_answer: str
    ) -> JudgeVerdict:
        """Return the verdict on one answer."""
        case = Case(
            question=question, assumption=assumption, true_answer=true_answer, agent_answer=agent_answer
        )
        return self.judge_all([case])[0]

    def judge_all(self, cases: Sequence[Case], *, watch: Watch | None = None) -> Sequence[JudgeVerdict]:
        """Return the verdicts on `cases`, in their order.

        It raises no error of a provider: the case stays undecided, with the error as its reason.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of a provider.

    - key: sha256 of everything that the verdict depends on
    - correct: None if the reply was of no use, though it was paid for
    - cost: US dollars
    - served: the model and fingerprint that the provider named, where it named another than was asked for
    - estimated: tokens and cost are guesses: no reply came (a timeout or an error of the provider), which
      many providers bill all the same
    """

    key: bytes
    correct: bool | None
    prompt_tokens: int
    completion_tokens: int
    cost: float
    estimated: bool = False
    served: str = ""


class Keeper(Protocol):
    """A store for the verdicts of a judge that costs nothing but time, while it works through a file.

    digest: of all that the verdicts depend on; a submission of several runs has several digests.
    """

    def kept(self, digest: str) -> Mapping[str, Any] | None:
        """Return what was kept last; None for nothing."""

    def keep(self, digest: str, judged: Mapping[str, Any]) -> None:
        """Keep `judged`, which is JSON, in place of what was kept; once this returns, it survives a kill."""


class Ledger(Keeper, Protocol):
    """A ledger that keeps paid verdicts, so that none is paid for twice, and enforces the budget.

    scope: whose calls these are. A provider that recognises repeated calls must not take those of another
        scope for repetitions: it would answer faster, and so reveal what was sent before.
    """

    @property
    def scope(self) -> bytes: ...

    def stored_verdicts(self, keys: Sequence[bytes]) -> Mapping[bytes, bool]:
        """Return key -> verdict for those of `keys` that have one."""

    def may_call(self, estimate: float = 0.0, *, tries: int = 1) -> bool:
        """Return whether the budget allows one more call, and book its tries, which then count as made.

        One thread calls all methods. estimate: likely cost of a try in US dollars, used until a call has
        been answered. tries: how often it is sent at most.
        """

    def record(self, calls: Sequence[Call], *, booked: int = 1) -> None:
        """Keep `calls` in place of so many tries that were booked; then they survive a kill."""

    def count_answers(self, answers: Mapping[str, int]) -> None:
        """Count what the provider answered, billed or not.

        answers: HTTP status, `timeout` or `unreachable` -> how often.
        """
