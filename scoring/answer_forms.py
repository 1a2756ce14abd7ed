"""How many answers of a file have a form that the rules of a judge can read, without any reference."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

MOST_LISTED = 5  # answers that a report names
MOST_SECONDS = 2.0  # that looking at the answers of a file may take
# What an answer should have, so that the rules find it.
WRITE = "Final answer: …"


class UnreadAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An answer without such a form. answer: printable, and cut. run: of several, its number, from 1."""

    task: str
    answer: str
    run: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerForms:
    """The forms of the answers of a file.

    - answers: that are text, of which `readable` have a form that the rules can read
    - unread: the first that have not
    - is_part: whether there was no time to look at all of them, so that the numbers are of the first ones
    """

    answers: int
    readable: int
    unread: Sequence[UnreadAnswer] = ()
    is_part: bool = False

    def without_texts(self) -> "AnswerForms":
        """Return the same without the texts of answers."""
        return replace(self, unread=[msgspec.structs.replace(one, answer="") for one in self.unread])

    def as_dict(self) -> dict[str, Any]:
        return {**msgspec.to_builtins(self), "write": WRITE}


def join_forms(runs: Iterable[AnswerForms | None]) -> AnswerForms | None:
    """Return the forms of several runs together, None where no run has any."""
    numbered = [(number, forms) for number, forms in enumerate(runs, 1) if forms]
    if not numbered:
        return None
    unread = [
        msgspec.structs.replace(answer, run=number) for number, forms in numbered for answer in forms.unread
    ]
    return AnswerForms(
        answers=sum(forms.answers for _, forms in numbered),
        readable=sum(forms.readable for _, forms in numbered),
        unread=unread[:MOST_LISTED],
        is_part=any(forms.is_part for _, forms in numbered),
    )
