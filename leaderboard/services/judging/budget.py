"""What judging cost, and what was judged: in the database, so that nothing is paid for twice."""

import time
from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any

from django.conf import settings
from django.db import OperationalError, transaction
from django.db.models import F
from django.utils import timezone

from leaderboard.models import Evaluation, JudgedAnswer, JudgeDay, Submission
from scoring.judging import Call

_AT_ONCE = 500  # keys in one query
_TRIES = 4
_PARTS = ("calls", "prompt_tokens", "completion_tokens", "cost", "seconds")
# The columns of a submission that say what judging it took in its life.
SPENDING = [f"judge_{part}" for part in _PARTS]


def spending_since_evaluation(submission_id) -> dict[str, Any]:
    """Return what judging a submission took since its last evaluation; cost in US dollars."""
    total = Submission.objects.filter(pk=submission_id).values(*SPENDING).first()
    if total is None:
        return dict.fromkeys(_PARTS, 0)
    earlier = list(Evaluation.objects.filter(submission=submission_id).values_list("spending", flat=True))
    return {
        part: total[f"judge_{part}"] - sum(spending.get(part, 0) for spending in earlier) for part in _PARTS
    }


class DatabaseLedger:
    """Keeps verdicts and what they cost in the database; scoring.judging.Ledger says what it does.

    Budgets: of one evaluation of a submission, and of a day (UTC) over all submissions. A call that was
    allowed counts as made from then on, and until it is answered as the dearest so far (the first ones: as
    estimated); what other workers spend is learnt with every `record`, so what they have under way can pass
    the day's budget.
    recorded: how many verdicts it was given.
    """

    def __init__(self, *, submission: Submission | None = None) -> None:
        self.judge = ""
        self.recorded = 0
        self._submission_id = submission.pk if submission else None
        self._on_their_way = 0
        self._dearest = self._estimate = 0.0
        # Learnt when first asked for: a judge that is only asked its name costs no query.
        self._spent: dict[str, tuple[int, float]] | None = None

    def known(self, keys: Sequence[bytes]) -> Mapping[bytes, bool]:
        found: dict[bytes, bool] = {}
        for start in range(0, len(keys), _AT_ONCE):
            rows = JudgedAnswer.objects.filter(key__in=keys[start : start + _AT_ONCE])
            found |= {bytes(key): correct for key, correct in rows.values_list("key", "correct")}
        return found

    def may_call(self, estimate: float = 0.0) -> bool:
        # Until one was answered nobody knows what a call costs.
        self._estimate = max(self._estimate, estimate)
        if any(self._is_spent(whose) for whose in self._budgets()):
            return False
        self._on_their_way += 1
        return True

    def own_is_spent(self) -> bool:
        """Whether it is the submission's own budget that allows no more, which no new day mends."""
        return "submission" in self._budgets() and self._is_spent("submission")

    def record(self, calls: Sequence[Call]) -> None:
        for left in reversed(range(_TRIES)):
            try:
                self._record(calls)
                break
            except OperationalError:
                # Two workers wrote the same rows, or the database was away for a moment.
                if not left:
                    raise
                time.sleep(0.2 * (_TRIES - left))
        self.recorded += sum(call.correct is not None for call in calls)
        self._dearest = max(self._dearest, *(0.0 if call.estimated else call.cost for call in calls))
        self._on_their_way = max(0, self._on_their_way - len(calls))
        self._spent = None

    @transaction.atomic
    def _record(self, calls: Sequence[Call]) -> None:
        told = {call.key: call for call in calls if call.correct is not None}
        JudgedAnswer.objects.bulk_create(
            # In one order for all: two workers that are told the same must not wait for each other.
            [JudgedAnswer(key=key, correct=told[key].correct, judge=self.judge) for key in sorted(told)],
            ignore_conflicts=True,
        )
        spent = {
            "calls": len(calls),
            "prompt_tokens": sum(call.prompt_tokens for call in calls),
            "completion_tokens": sum(call.completion_tokens for call in calls),
            "cost": sum(call.cost for call in calls),
        }
        day, _ = JudgeDay.objects.get_or_create(day=_today())
        JudgeDay.objects.filter(pk=day.pk).update(**{part: F(part) + value for part, value in spent.items()})
        if self._submission_id:
            # With a new verdict it got on: what may be tried only so often is counted anew.
            got_on = {"attempts": 0, "resumed": 0} if told else {}
            more = {f"judge_{part}": F(f"judge_{part}") + value for part, value in spent.items()}
            Submission.objects.filter(pk=self._submission_id).update(**more, **got_on)

    def _budgets(self) -> dict[str, tuple[int, float]]:
        """Return calls and dollars spent by whose budget they are."""
        if self._spent is None:
            day = JudgeDay.objects.filter(day=_today()).values_list("calls", "cost").first()
            self._spent = {"day": day or (0, 0.0)}
            if self._submission_id:
                own = spending_since_evaluation(self._submission_id)
                self._spent["submission"] = (own["calls"], own["cost"])
        return self._spent

    def _is_spent(self, whose: str) -> bool:
        calls, cost = self._budgets()[whose]
        most_calls, most_cost = (settings.JUDGE_BUDGET[f"{whose}_{part}"] for part in ("calls", "cost"))
        if most_calls is not None and calls + self._on_their_way + 1 > most_calls:
            return True
        dearest = self._dearest or self._estimate
        likely = cost + self._on_their_way * dearest
        return most_cost is not None and (likely >= most_cost or likely + dearest > most_cost)


def _today():
    return timezone.now().astimezone(UTC).date()
