"""Who decides on answers in words: the judge of a board, what it may cost, and what it has said before."""

import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from leaderboard.models import Benchmark, JudgedAnswer, JudgeDay, JudgeMode, Submission
from scoring import registry
from scoring.judging import Call, Judge

logger = logging.getLogger(__name__)

_AT_ONCE = 500  # keys in one query
# The columns of a submission that say what judging it took.
SPENDING = ["judge_calls", "judge_prompt_tokens", "judge_completion_tokens", "judge_cost", "judge_seconds"]


class JudgeNotSetUp(Exception):
    """The board is to be judged by an LLM, and the settings name none."""


def judge_of(benchmark: Benchmark, *, submission: Submission | None = None) -> Judge | None:
    """Return the judge of `benchmark` at its work on `submission`; None where nothing has to be judged.

    Raises JudgeNotSetUp.
    """
    if not registry.get(benchmark.family).needs_judge:
        return None
    return judge_for(benchmark.judge_mode, submission=submission)


def judge_for(mode: str, *, submission: Submission | None = None) -> Judge:
    """Return the judge of that mode, as the settings set it up. Raises JudgeNotSetUp."""
    # Here: the client of the LLM takes long to import, and most processes never ask one.
    from scoring.fhir_agentbench.judge import HybridJudge, LlmJudge, LlmOptions, RulesJudge  # noqa: PLC0415

    if mode == JudgeMode.RULES:
        return RulesJudge(decide_all=True)
    if not (settings.JUDGE["api_key"] or settings.JUDGE["base_url"]):
        raise JudgeNotSetUp
    options = LlmOptions(**settings.JUDGE)
    llm = LlmJudge(options, ledger=DatabaseLedger(judge=f"llm {options.model}", submission=submission))
    return llm if mode == JudgeMode.LLM else HybridJudge(RulesJudge(decide_all=False), llm)


def identity_of(benchmark: Benchmark) -> str:
    """Return the identity of the board's judge of today, "" for none, whether it can be asked or not."""
    if not registry.get(benchmark.family).needs_judge:
        return ""
    try:
        return judge_for(benchmark.judge_mode).identity
    except JudgeNotSetUp:
        return f"{benchmark.judge_mode}, not set up"


class DatabaseLedger:
    """Keeps verdicts and what they cost in the database; scoring.judging.Ledger says what it does.

    Budgets: of a submission, and of a day (UTC) over all submissions. A call that was allowed counts as
    made from then on, and until it is answered as the dearest so far; what other workers spend is learnt
    with every `record`.
    """

    def __init__(self, *, judge: str, submission: Submission | None) -> None:
        self._judge = judge
        self._submission_id = submission.pk if submission else None
        self._on_their_way = 0
        self._dearest = 0.0
        # Learnt when first asked for: a judge that is only asked its name costs no query.
        self._day: tuple[int, float] | None = None
        self._own = (0, 0.0)

    def known(self, keys: Sequence[bytes]) -> Mapping[bytes, bool]:
        found: dict[bytes, bool] = {}
        for start in range(0, len(keys), _AT_ONCE):
            rows = JudgedAnswer.objects.filter(key__in=keys[start : start + _AT_ONCE])
            found |= {bytes(key): correct for key, correct in rows.values_list("key", "correct")}
        return found

    def may_call(self) -> bool:
        if self._day is None:
            self._learn()
        if not self._is_within_budget():
            return False
        self._on_their_way += 1
        return True

    def record(self, calls: Sequence[Call]) -> None:
        with transaction.atomic():
            JudgedAnswer.objects.bulk_create(
                [
                    JudgedAnswer(key=call.key, correct=call.correct, judge=self._judge)
                    for call in calls
                    if call.correct is not None
                ],
                # Another worker may have been told the same.
                ignore_conflicts=True,
            )
            spent = {
                "calls": len(calls),
                "prompt_tokens": sum(call.prompt_tokens for call in calls),
                "completion_tokens": sum(call.completion_tokens for call in calls),
                "cost": sum(call.cost for call in calls),
            }
            day, _ = JudgeDay.objects.get_or_create(day=_today())
            JudgeDay.objects.filter(pk=day.pk).update(**{k: F(k) + v for k, v in spent.items()})
            if self._submission_id:
                # With a new verdict it got on: what may be tried only so often is counted anew.
                got_on = {"attempts": 0, "resumed": 0} if any(c.correct is not None for c in calls) else {}
                Submission.objects.filter(pk=self._submission_id).update(
                    **{f"judge_{k}": F(f"judge_{k}") + v for k, v in spent.items()}, **got_on
                )
        self._dearest = max(self._dearest, *(call.cost for call in calls))
        self._learn(settled=len(calls))

    def _learn(self, settled: int = 0) -> None:
        day = JudgeDay.objects.filter(day=_today()).values("calls", "cost").first()
        row = Submission.objects.filter(pk=self._submission_id).values("judge_calls", "judge_cost").first()
        self._on_their_way = max(0, self._on_their_way - settled)
        self._day = (day["calls"], day["cost"]) if day else (0, 0.0)
        self._own = (row["judge_calls"], row["judge_cost"]) if row else (0, 0.0)

    def _is_within_budget(self) -> bool:
        budget = settings.JUDGE_BUDGET
        spent = {"day": self._day} | ({"submission": self._own} if self._submission_id else {})
        for whose, (calls, cost) in spent.items():
            most_calls, most_cost = budget[f"{whose}_calls"], budget[f"{whose}_cost"]
            if most_calls is not None and calls + self._on_their_way + 1 > most_calls:
                return False
            likely = cost + self._on_their_way * self._dearest
            if most_cost is not None and (likely >= most_cost or likely + self._dearest > most_cost):
                return False
        return True


def _today():
    return timezone.now().astimezone(UTC).date()


def spending_of(submission: Submission) -> dict[str, Any]:
    """Return what judging a submission took so far; cost in US dollars."""
    if not submission.judge_calls:
        return {}
    return {
        "calls": submission.judge_calls,
        "prompt_tokens": submission.judge_prompt_tokens,
        "completion_tokens": submission.judge_completion_tokens,
        "cost": submission.judge_cost,
        "seconds": round(submission.judge_seconds, 3),
    }


# Of several reasons the one that has to be mended first.
_ORDER = ("provider-refused", "provider-down", "budget-spent", "reply-unusable")


def why_undecided(undecided: Mapping[str, int]) -> str:
    """Return the reason that matters most of those for which verdicts are undecided."""
    return next((reason for reason in _ORDER if reason in undecided), next(iter(undecided)))


def resume_after(why: str, resumed: int) -> timedelta | None:
    """Return after how long it is worth trying again; None: when the organiser says so."""
    if why == "budget-spent":
        # The day's budget is new at midnight; a submission's own is the organiser's to raise.
        now = timezone.now().astimezone(UTC)
        tomorrow = datetime.combine(now.date() + timedelta(days=1), time(0, 1), tzinfo=UTC)
        return tomorrow - now
    return min(timedelta(hours=1), timedelta(minutes=1) * 2**resumed)
