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
from django.db.models import Exists, F, OuterRef, QuerySet, Sum
from django.utils import timezone

from leaderboard.models import (
    Access,
    Board,
    Evaluation,
    JudgeAnswers,
    JudgedAnswer,
    JudgeDay,
    JudgeTeamDay,
    PublicVerdict,
    Submission,
    TeamApproval,
    UsedVerdicts,
)
from leaderboard.monitoring.withheld import describe
from wardboard.scoring.judging import Call

logger = logging.getLogger(__name__)

_BATCH = 500  # keys in one query
_ATTEMPTS = 4
_PARTS = ("calls", "prompt_tokens", "completion_tokens", "cost", "seconds")
# Teams that no organiser approved share so much of a day's budget, and of the room of a leaderboard.
SHARE_OF_NEW_TEAMS = 0.25
# The columns of a submission with the cost of judging it since it was received.
SPENDING = [f"judge_{part}" for part in _PARTS]


def no_spending() -> dict[str, Any]:
    """Return what `spending_since_evaluation` does where no judge was asked."""
    return dict.fromkeys(_PARTS, 0)


def spending_since_evaluation(submission_id: UUID) -> dict[str, Any]:
    """Return calls, tokens, cost (US dollars) and seconds of judging since the last evaluation."""
    total = Submission.objects.filter(pk=submission_id).values(*SPENDING).first()
    if total is None:
        return no_spending()
    earlier = list(Evaluation.objects.filter(submission=submission_id).values_list("spending", flat=True))
    return {
        part: total[f"judge_{part}"] - sum(spending.get(part, 0) for spending in earlier) for part in _PARTS
    }


class DatabaseLedger:
    """Store verdicts and their cost in the database; see wardboard.scoring.judging.Ledger.

    A submission goes by the public verdict on an answer if it was public when the file came; else by that of
    its own team; else by one that became public since. So it is judged alike however often it is rescored.

    There is one budget for an evaluation of a submission, and one for a day (UTC) over all submissions. Where
    organisers approve teams, the others share a quarter of the day's, and none takes more than it leaves. A
    call counts as soon as it is allowed. Until it is answered, its cost is taken to be that of the most
    expensive call so far, or its estimate if there was none. Spending of other workers becomes known with
    every `record`, so calls that they have in flight can exceed the day's budget.

    recorded: how often this ledger stored verdicts: each one that was paid for, and rules' many at a time.
    used: the keys of all verdicts that this ledger returned or stored.
    """

    def __init__(self, *, submission: Submission | None = None) -> None:
        self.judge = ""
        self.recorded = 0
        self.used = set[bytes]()
        self._submission = submission
        self._submission_id = submission.pk if submission else None
        self._judged_by_rules: dict[str, Mapping[str, Any]] = (
            (submission.judged_by_rules or {}) if submission else {}
        )
        self._booked = 0
        # Of the last call that was asked for.
        self._tries = 1
        self._highest_cost = self._estimate = 0.0
        # Queried at the first use: a judge that is only asked for its identity costs no query.
        self._spent: dict[str, tuple[int, float]] | None = None

    @property
    def scope(self) -> bytes:
        return hashlib.sha256(b"team %d" % self._submission.team_id).digest() if self._submission else b""

    def stored_verdicts(self, keys: Sequence[bytes]) -> Mapping[bytes, bool]:
        verdicts: dict[bytes, bool] = {}
        for start in range(0, len(keys), _BATCH):
            verdicts |= self._find_stored(keys[start : start + _BATCH])
        self.used.update(verdicts)
        return verdicts

    def _find_stored(self, keys: Sequence[bytes]) -> dict[bytes, bool]:
        received_at = self._submission.received_at if self._submission else timezone.now()
        before, since = dict[bytes, bool](), dict[bytes, bool]()
        public = PublicVerdict.objects.filter(key__in=keys).values_list("key", "correct", "created_at")
        for key, correct, published_at in public:
            (before if published_at <= received_at else since)[bytes(key)] = correct
        # The later of two equal keys wins, so the first verdict counts.
        own = _by_key(self._verdicts_of_team().filter(key__in=keys).order_by("-pk"))
        if len(own) < len(keys) and self._is_of_old_release:
            own = self._adopt([key for key in keys if key not in own]) | own
        return since | own | before

    def _verdicts_of_team(self) -> QuerySet[JudgedAnswer]:
        team = self._submission.team_id if self._submission else None
        return JudgedAnswer.objects.filter(team=team, is_unattributed=False)

    @cached_property
    def _is_of_old_release(self) -> bool:
        """Whether the submission was judged, in part at least, when verdicts were not kept by team."""
        if self._submission is None:
            return False
        unattributed = JudgedAnswer.objects.filter(is_unattributed=True)
        if unattributed.filter(created_at__gte=self._submission.received_at).exists():
            return True
        was_judged = Evaluation.objects.filter(submission=self._submission_id).exclude(judge="").exists()
        return was_judged and not UsedVerdicts.objects.filter(pk=self._submission_id).exists()

    def _adopt(self, keys: Sequence[bytes]) -> dict[bytes, bool]:
        """Store the unattributed verdicts on `keys` as the team's own, and return them."""
        rows = list(JudgedAnswer.objects.filter(is_unattributed=True, key__in=keys))
        self._store({bytes(row.key): (row.correct, row.judge) for row in rows})
        return {bytes(row.key): row.correct for row in rows}

    def _store(self, verdicts: Mapping[bytes, tuple[bool, str]]) -> None:
        team = self._submission.team_id if self._submission else None
        JudgedAnswer.objects.bulk_create(
            # Sort them: two workers that store the same verdicts must not wait for each other.
            [
                JudgedAnswer(key=key, correct=correct, judge=judge, team_id=team)
                for key, (correct, judge) in sorted(verdicts.items())
            ],
            ignore_conflicts=True,
        )

    def may_call(self, estimate: float = 0.0, *, tries: int = 1) -> bool:
        # Until the first reply, the cost of a call can only be estimated.
        self._estimate = max(self._estimate, estimate)
        self._tries = tries
        if any(self._is_spent(budget) for budget in self._budgets()):
            return False
        self._booked += tries
        return True

    def is_submission_budget_spent(self) -> bool:
        """Return whether the submission's own budget is spent, which no new day renews."""
        return "submission" in self._budgets() and self._is_spent("submission")

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
        self._highest_cost = max([self._highest_cost, *(call.cost for call in calls if not call.estimated)])
        self._booked = max(0, self._booked - booked)
        self._spent = None

    @transaction.atomic
    def _record(self, calls: Sequence[Call]) -> None:
        verdicts = {call.key: call.correct for call in calls if call.correct is not None}
        self._store({key: (correct, self.judge) for key, correct in verdicts.items()})
        spent = {
            "calls": len(calls),
            "prompt_tokens": sum(call.prompt_tokens for call in calls),
            "completion_tokens": sum(call.completion_tokens for call in calls),
            "cost": sum(call.cost for call in calls),
        }
        day, _ = JudgeDay.objects.get_or_create(day=today())
        JudgeDay.objects.filter(pk=day.pk).update(**{part: F(part) + value for part, value in spent.items()})
        if self._submission:
            of_team, _ = JudgeTeamDay.objects.get_or_create(day=day.day, team_id=self._submission.team_id)
            JudgeTeamDay.objects.filter(pk=of_team.pk).update(
                calls=F("calls") + spent["calls"], cost=F("cost") + spent["cost"]
            )
        if self._submission_id:
            # A new verdict is progress: the counters of attempts without progress start again.
            counters = {"attempts": 0, "resumed": 0} if verdicts else {}
            more = {f"judge_{part}": F(f"judge_{part}") + value for part, value in spent.items()}
            Submission.objects.filter(pk=self._submission_id).update(**more, **counters)

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

    def kept(self, digest: str) -> Mapping[str, Any] | None:
        return self._judged_by_rules.get(digest)

    def keep(self, digest: str, judged: Mapping[str, Any]) -> None:
        self._judged_by_rules[digest] = judged
        if self._submission_id is None:
            return
        rows = Submission.objects.filter(pk=self._submission_id)
        # What was kept is progress, as a verdict is.
        self.recorded += rows.update(judged_by_rules=self._judged_by_rules, attempts=0, resumed=0)

    def _budgets(self) -> dict[str, tuple[int, float]]:
        """Return the calls and dollars spent of each budget: "day", "submission" and "new-teams"."""
        if self._spent is None:
            day = JudgeDay.objects.filter(day=today()).values_list("calls", "cost").first()
            self._spent = {"day": day or (0, 0.0)}
            if self._submission:
                spending = spending_since_evaluation(self._submission.pk)
                self._spent["submission"] = (spending["calls"], spending["cost"])
                if self._is_of_new_team:
                    self._spent["new-teams"] = _spending_of_new_teams(self._submission.team_id)
        return self._spent

    @cached_property
    def _is_of_new_team(self) -> bool:
        """Whether organisers approve teams, and none has approved the one of the submission."""
        return (
            self._submission is not None
            and Board.objects.filter(access=Access.APPROVED).exists()
            and not TeamApproval.objects.approved().filter(team=self._submission.team_id).exists()
        )

    def _is_spent(self, budget: str) -> bool:
        """Return whether a budget has no room for all tries of one more call."""
        calls, cost = self._budgets()[budget]
        whose, share = ("day", SHARE_OF_NEW_TEAMS) if budget == "new-teams" else (budget, 1)
        # A call of a new team counts for the team, and for all new teams.
        booked = (self._booked + self._tries) * (2 if budget == "new-teams" else 1)
        most_calls, most_cost = (settings.JUDGE_BUDGET[f"{whose}_{part}"] for part in ("calls", "cost"))
        if most_calls is not None and calls + booked > share * most_calls:
            return True
        expected_cost = cost + booked * (self._highest_cost or self._estimate)
        return most_cost is not None and (cost >= share * most_cost or expected_cost > share * most_cost)


def _spending_of_new_teams(team_id: int) -> tuple[int, float]:
    """Return the calls and dollars that new teams took today, with those of the given one counted twice.

    This is at most what new teams may take as long as each has taken no more than it leaves to the others.
    """
    rows = JudgeTeamDay.objects.filter(day=today())
    approved = TeamApproval.objects.approved().filter(team=OuterRef("team"))
    total = rows.filter(~Exists(approved)).aggregate(calls=Sum("calls"), cost=Sum("cost"))
    calls, cost = rows.filter(team=team_id).values_list("calls", "cost").first() or (0, 0.0)
    return calls + (total["calls"] or 0), cost + (total["cost"] or 0.0)


class ReadOnlyLedger(DatabaseLedger):
    """Return the verdicts that rescoring a submission would find; allow no call, and store nothing.

    unknown: the keys that were looked up and have no verdict. A judge looks up every label that an answer can
        need, so no more calls than these can be needed, apart from repeated ones after an error.
    estimate: the cost of the most expensive of these calls by the judge's prices, in US dollars.
    """

    def __init__(self, *, submission: Submission) -> None:
        super().__init__(submission=submission)
        self.unknown = set[bytes]()
        self.estimate = 0.0

    def stored_verdicts(self, keys: Sequence[bytes]) -> Mapping[bytes, bool]:
        verdicts = super().stored_verdicts(keys)
        self.unknown.update(key for key in keys if key not in verdicts)
        return verdicts

    def may_call(self, estimate: float = 0.0, *, tries: int = 1) -> bool:
        self.estimate = max(self.estimate, estimate)
        return False

    def record(self, calls: Sequence[Call], *, booked: int = 1) -> None:
        raise TypeError("a ledger that is only read allows no call, so there is none to record")

    def keep(self, digest: str, judged: Mapping[str, Any]) -> None:
        """Keep nothing."""

    def _store(self, verdicts: Mapping[bytes, tuple[bool, str]]) -> None:
        """Store nothing: an old verdict stays as it is until it is used."""


def _by_key(rows: QuerySet[JudgedAnswer]) -> dict[bytes, bool]:
    return {bytes(key): correct for key, correct in rows.values_list("key", "correct")}


def today() -> date:
    """Return the day, in UTC, whose budget is being spent."""
    return timezone.now().astimezone(UTC).date()
