"""Who decides on answers in words: the judge of a board, and what to do where it could not decide."""

from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta

from django.conf import settings
from django.utils import timezone

from leaderboard.models import Benchmark, JudgeMode
from leaderboard.services.judging.budget import DatabaseLedger
from scoring import registry
from scoring.judging import Judge

# Why a submission waits, beside what a judge says of it.
NOT_SET_UP = "judge-not-set-up"
OWN_BUDGET = "submission-budget-spent"


class JudgeNotSetUp(Exception):
    """The board is to be judged by an LLM, and the settings name none."""


def judge_of_board(benchmark: Benchmark, ledger: DatabaseLedger | None = None) -> Judge | None:
    """Return the judge of `benchmark`; None where nothing has to be judged. Raises JudgeNotSetUp."""
    if not registry.get(benchmark.family).needs_judge:
        return None
    return make_judge(benchmark.judge_mode, family=benchmark.family, ledger=ledger)


def make_judge(mode: str, *, family: str, ledger: DatabaseLedger | None = None) -> Judge:
    """Return the judge of that mode of a family, as the settings set it up. Raises JudgeNotSetUp."""
    if mode != JudgeMode.RULES and not (settings.JUDGE["api_key"] or settings.JUDGE["base_url"]):
        raise JudgeNotSetUp
    ledger = ledger or DatabaseLedger()
    judge = registry.get(family).judge(mode, options=settings.JUDGE, ledger=ledger)
    ledger.judge = judge.identity
    return judge


def current_identity(benchmark: Benchmark) -> str:
    """Return the identity of the board's judge of today, "" for none, whether it can be asked or not."""
    try:
        judge = judge_of_board(benchmark)
    except JudgeNotSetUp:
        return f"{benchmark.judge_mode}, not set up"
    return judge.identity if judge else ""


# Of several reasons the one that has to be mended first.
_ORDER = ("provider-refused", "provider-down", "budget-spent", "reply-unusable")


def why_undecided(undecided: Mapping[str, int], ledger: DatabaseLedger) -> str:
    """Return the reason that matters most of those for which verdicts are undecided."""
    why = next((reason for reason in _ORDER if reason in undecided), next(iter(undecided)))
    return OWN_BUDGET if why == "budget-spent" and ledger.own_is_spent() else why


def resume_after(why: str, resumed: int) -> timedelta | None:
    """Return after how long it is worth trying again; None: when the organiser says so."""
    if why == OWN_BUDGET:
        return None
    if why == "budget-spent":
        # The day's budget is new at midnight.
        now = timezone.now().astimezone(UTC)
        tomorrow = datetime.combine(now.date() + timedelta(days=1), time(0, 1), tzinfo=UTC)
        return tomorrow - now
    return min(timedelta(hours=1), timedelta(minutes=1) * 2 ** min(resumed, 10))


def is_given_up(why: str, resumed: int) -> bool:
    """Whether trying again is of no use. Only of replies: what is down comes back, and a budget is raised."""
    return why == "reply-unusable" and resumed >= settings.JUDGE_RESUMPTIONS
