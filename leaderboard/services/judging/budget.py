"""Store verdicts of judges and their cost in the database; no team pays for one twice."""

import hashlib
import logging
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, date
from functools import cached_property
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import OperationalError, transaction
from django.db.models import F, Max
from django.utils import timezone

from leaderboard.models import (
    Access,
    Evaluation,
    JudgeAnswers,
    JudgedAnswer,
    JudgeDay,
    PublicVerdict,
    Submission,
    TeamApproval,
    Work,
)
from leaderboard.monitoring.withheld import describe
from wardboard.scoring.judging import Call

logger = logging.getLogger(__name__)

_BATCH = 500  # keys in one query
_ATTEMPTS = 4
_PARTS = ("calls", "prompt_tokens", "completion_tokens", "cost", "seconds")
# Teams that no organiser approved share so much of a day's budget, and of the room of a leaderboard.
SHARE_OF_NEW_TEAMS = 0.25


def spending_since_evaluation(submission_id: UUID) -> dict[str, Any]:
    """Return calls, tokens, cost (US dollars) and seconds of judging since the last evaluation."""
    total = Work.objects.filter(pk=submission_id).values(*(f"judge_{part}" for part in _PARTS)).first()
    if total is None:
        return dict.fromkeys(_PARTS, 0)
    earlier = list(Evaluation.objects.filter(submission=submission_id).values_list("spending", flat=True))
    return {
        part: total[f"judge_{part}"] - sum(spending.get(part, 0) for spending in earlier) for part in _PARTS
    }


# A verdict, and what the provider named that gave it.
_Stored = tuple[bool, str]


class DatabaseLedger:
    """Store verdicts and their cost in the database; see wardboard.scoring.judging.Ledger.

    A submission goes by the public verdict on an answer if it was public when the file came; else by that of
    its own team; else by one that became public since. So it is judged alike however often it is rescored.

    There is one budget for a leaderboard and day (UTC). Where its organisers approve teams, the others share
    a quarter of it. A call counts as soon as it is allowed. Until it is answered, its cost is taken to be
    that of the most expensive call so far, or its estimate if there was none. Spending of other workers
    becomes known with every `record`, so calls that they have in flight can exceed the budget.

    submission: None only where a judge is asked for its identity.

    recorded: how often this ledger stored verdicts: each one that was paid for, and rules' many at a time.
    used: the keys of all verdicts that this ledger returned or stored.
    served: what the providers of these verdicts named, see wardboard.scoring.judging.Call.
    """

    def __init__(self, *, submission: Submission | None = None) -> None:
        self.judge = ""
        self.recorded = 0
        self.used = set[bytes]()
        self.served = set[str]()
        self._submission = submission
        self._team = submission.team_id if submission else None
        self._booked = 0
        self._highest_cost = self._estimate = 0.0
        # Queried at the first use: a judge that is only asked for its identity costs no query.
        self._day: JudgeDay | None = None

    @property
    def scope(self) -> bytes:
        return hashlib.sha256(b"team %d" % self._team).digest() if self._team else b""

    def stored_verdicts(self, keys: Sequence[bytes]) -> Mapping[bytes, bool]:
        found = self.find_stored(keys)
        self.used.update(found)
        self.served.update(served for _, served in found.values())
        return {key: correct for key, (correct, _) in found.items()}

    def find_stored(self, keys: Sequence[bytes]) -> dict[bytes, _Stored]:
        """Return key -> verdict and what the provider named, for those of `keys` that have one."""
        found: dict[bytes, _Stored] = {}
        received_at = self._submission.received_at if self._submission else timezone.now()
        for start in range(0, len(keys), _BATCH):
            batch = keys[start : start + _BATCH]
            before, since = dict[bytes, _Stored](), dict[bytes, _Stored]()
            public = PublicVerdict.objects.filter(key__in=batch)
            for key, correct, served, at in public.values_list("key", "correct", "served", "created_at"):
                (before if at <= received_at else since)[bytes(key)] = correct, served
            # The later of two equal keys wins, so the first verdict counts.
            stored = JudgedAnswer.objects.filter(team=self._team, key__in=batch).order_by("-pk")
            rows = stored.values_list("key", "correct", "served")
            own = {bytes(key): (correct, served) for key, correct, served in rows}
            found |= since | own | before
        return found

    def _store(self, verdicts: Mapping[bytes, _Stored]) -> None:
        JudgedAnswer.objects.bulk_create(
            # Sort them: two workers that store the same verdicts must not wait for each other.
            [
                JudgedAnswer(key=key, correct=correct, judge=self.judge, served=served, team_id=self._team)
                for key, (correct, served) in sorted(verdicts.items())
            ],
            ignore_conflicts=True,
        )

    def may_call(self, estimate: float = 0.0, *, tries: int = 1) -> bool:
        # Until the first reply, the cost of a call can only be estimated.
        self._estimate = max(self._estimate, estimate)
        if self._submission is None:
            return False
        if self._day is None:
            days = JudgeDay.objects.filter(day=today(), board=self._submission.board_id)
            self._day = days.first() or JudgeDay(day=today(), board_id=self._submission.board_id)
        booked, day = self._booked + tries, self._day
        if not self._has_room(day.calls, day.cost, booked):
            return False
        if self._is_of_new_team and not self._has_room(
            day.new_calls, day.new_cost, booked, share=SHARE_OF_NEW_TEAMS
        ):
            return False
        self._booked = booked
        return True

    def _has_room(self, calls: int, cost: float, booked: int, *, share: float = 1.0) -> bool:
        """Return whether a share of the day's budget allows what is spent of it and what is booked."""
        most_calls, most_cost = settings.JUDGE_BUDGET["day_calls"], settings.JUDGE_BUDGET["day_cost"]
        if most_calls is not None and calls + booked > share * most_calls:
            return False
        expected_cost = cost + booked * (self._highest_cost or self._estimate)
        return most_cost is None or (cost < share * most_cost and expected_cost <= share * most_cost)

    def record(self, calls: Sequence[Call], *, booked: int = 1) -> None:
        for retries_left in reversed(range(_ATTEMPTS if calls else 0)):
            try:
                self._record(calls)
                break
            except OperationalError:
                # Two workers wrote the same rows, or the database was away for a moment: try again.
                if not retries_left:
                    raise
                time.sleep(0.2 * (_ATTEMPTS - retries_left))
        self.recorded += sum(call.correct is not None for call in calls)
        self.used.update(call.key for call in calls if call.correct is not None)
        self.served.update(call.served for call in calls if call.correct is not None)
        self._highest_cost = max([self._highest_cost, *(call.cost for call in calls if not call.estimated)])
        self._booked = max(0, self._booked - booked)
        self._day = None

    @transaction.atomic
    def _record(self, calls: Sequence[Call]) -> None:
        verdicts = {call.key: (call.correct, call.served) for call in calls if call.correct is not None}
        self._store(verdicts)
        spent = {
            "calls": len(calls),
            "prompt_tokens": sum(call.prompt_tokens for call in calls),
            "completion_tokens": sum(call.completion_tokens for call in calls),
            "cost": sum(call.cost for call in calls),
        }
        if self._submission is None:
            return
        of_day = {part: F(part) + value for part, value in spent.items()}
        if self._is_of_new_team:
            of_day |= {f"new_{part}": F(f"new_{part}") + spent[part] for part in ("calls", "cost")}
        day, _ = JudgeDay.objects.get_or_create(day=today(), board_id=self._submission.board_id)
        JudgeDay.objects.filter(pk=day.pk).update(**of_day)
        # A new verdict is progress: the counters of attempts without progress start again.
        counters = {"attempts": 0, "resumed": 0} if verdicts else {}
        more = {f"judge_{part}": F(f"judge_{part}") + value for part, value in spent.items()}
        Work.objects.filter(pk=self._submission.pk).update(**more, **counters)

    def count_answers(self, answers: Mapping[str, int]) -> None:
        try:
            with transaction.atomic():
                # Sort them, as verdicts are.
                for status, number in sorted(answers.items()):
                    row, _ = JudgeAnswers.objects.get_or_create(status=status)
                    JudgeAnswers.objects.filter(pk=row.pk).update(count=F("count") + number)
        except OperationalError as error:
            # A figure for operators holds up no judging.
            logger.warning("answers of the judge were not counted: %s", describe(error))

    @cached_property
    def _judged_by_rules(self) -> dict[str, Mapping[str, Any]]:
        return (self._submission.work.judged_by_rules or {}) if self._submission else {}

    def kept(self, digest: str) -> Mapping[str, Any] | None:
        return self._judged_by_rules.get(digest)

    def keep(self, digest: str, judged: Mapping[str, Any]) -> None:
        self._judged_by_rules[digest] = judged
        if self._submission is None:
            return
        rows = Work.objects.filter(pk=self._submission.pk)
        # What was kept is progress, as a verdict is.
        self.recorded += rows.update(judged_by_rules=self._judged_by_rules, attempts=0, resumed=0)

    @cached_property
    def _is_of_new_team(self) -> bool:
        """Whether the organisers of the leaderboard approve teams, and have not approved this one."""
        return (
            self._submission is not None
            and self._submission.board.access == Access.APPROVED
            and not TeamApproval.objects.approved()
            .filter(team=self._team, board=self._submission.board_id)
            .exists()
        )


class ReadOnlyLedger(DatabaseLedger):
    """Return the verdicts that rescoring a submission would find; allow no call, and store nothing."""

    def may_call(self, estimate: float = 0.0, *, tries: int = 1) -> bool:
        return False

    def record(self, calls: Sequence[Call], *, booked: int = 1) -> None:
        raise TypeError("a ledger that is only read allows no call, so there is none to record")

    def keep(self, digest: str, judged: Mapping[str, Any]) -> None:
        """Keep nothing."""


def most_spent_today() -> tuple[int, float]:
    """Return the most calls, and the most US dollars, that a leaderboard spent of its budget today."""
    spent = JudgeDay.objects.filter(day=today()).aggregate(
        calls=Max("calls", default=0), cost=Max("cost", default=0.0)
    )
    return spent["calls"], spent["cost"]


def today() -> date:
    """Return the day, in UTC, whose budget is being spent."""
    return timezone.now().astimezone(UTC).date()
