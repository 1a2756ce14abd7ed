"""Make labelled answers in every form: right and wrong ones, always the same for the same seed."""

from enum import StrEnum
from random import Random

from tools.judge_study.agreement import Pair
from tools.judge_study.facts import make_fact
from tools.judge_study.wording import FORMS, read_wordings, write_answer

PER_FORM = 600


class Half(StrEnum):
    """Name a half of the generator: the one the rules were written with, or the one held out.

    The held-out wording was written after the last change by which the rules read more; later ones made them
    leave more open. The rules are not adjusted to it: of its answers only counts were looked at. Whoever
    adjusts the rules to it renames its file as the next of those seen, and writes a new one.
    """

    SEEN = "seen"
    HELD_OUT = "held-out"


def make_pairs(half: Half, *, per_form: int = PER_FORM, seed: int = 1) -> list[Pair]:
    """Return `per_form` labelled answers in each form, half of them right, kinds in turn."""
    wordings = read_wordings(f"{half}*")
    pairs: list[Pair] = []
    for form, kinds in FORMS.items():
        random = Random(f"{seed} {half} {form}")  # noqa: S311 (no secret)
        for number in range(per_form):
            right = number % 2 == 0
            kind = kinds[number // 2 % len(kinds)]
            wording = wordings[number // (2 * len(kinds)) % len(wordings)]
            fact = make_fact(kind, wording.words, random)
            while form in ("with a unit", "range beside the value") and not fact.unit:
                fact = make_fact(kind, wording.words, random)
            pairs.append(
                Pair(
                    question=fact.question,
                    assumption=None,
                    true_answer=fact.truth,
                    answer=write_answer(form, fact, right, wording, random),
                    error=None,
                    right=right,
                    form=form,
                )
            )
    return pairs
