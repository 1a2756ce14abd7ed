"""Choose the judge of a leaderboard, and the next step after undecided answers."""

from collections.abc import Collection, Mapping
from copy import copy
from datetime import UTC, datetime, time, timedelta
from hashlib import sha256

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from leaderboard.models import Board, Evaluation, JudgeMode
from leaderboard.services.data_class import is_llm_allowed
from leaderboard.services.judging.budget import DatabaseLedger
from wardboard.scoring import registry
from wardboard.scoring.judging import Judge, JudgeUnavailable

# Reasons why a submission waits, beside those that a judge gives.
NOT_SET_UP = "judge-not-set-up"
NO_DAY_BUDGET = "judge-without-day-budget"
NOT_DECLARED = "judge-not-declared"
UNAVAILABLE = "judge-unavailable"

# Between the identity of a judge and what the provider served.
_AS = " as "
_MOST_NAMED = 2

_WHAT_TO_SET = {
    NOT_SET_UP: "No LLM is set up: set JUDGE_API_KEY or JUDGE_BASE_URL for all processes.",
    NO_DAY_BUDGET: "The LLM has no budget for a day: set JUDGE_DAY_CALLS or JUDGE_DAY_COST for all "
    "processes, where the word none says that there is no limit.",
    NOT_DECLARED: "The leaderboard has credentialed data, and the operator has not declared "
    "that the LLM is local "
    "or retains nothing: set JUDGE_DATA to local or no-retention for all processes, if that is so.",
}


class JudgeNotSetUp(Exception):
    """The leaderboard asks an LLM, and the settings name none, or no budget for a day.

    Or the judge cannot be made from them. why: NOT_SET_UP, NO_DAY_BUDGET, NOT_DECLARED or UNAVAILABLE. The
    message says what to set.
    """

    def __init__(self, why: str, what_to_set: str = "") -> None:
        super().__init__(what_to_set or _WHAT_TO_SET[why])
        self.why = why


def asks_llm(board: Board) -> bool:
    """Return whether a language model judges on a leaderboard, alone or after rules."""
    return registry.get(board.benchmark).needs_judge and board.judge_mode != JudgeMode.RULES


def has_rules(board: Board) -> bool:
    """Return whether rules alone judge on a leaderboard, so that what they cannot read stays undecided."""
    return registry.get(board.benchmark).needs_judge and board.judge_mode == JudgeMode.RULES


def judge_of_board(board: Board, ledger: DatabaseLedger | None = None) -> Judge | None:
    """Return the judge of a leaderboard; None where answers need no judge. Raises JudgeNotSetUp."""
    if not registry.get(board.benchmark).needs_judge:
        return None
    if board.judge_mode != JudgeMode.RULES and not is_llm_allowed(board):
        raise JudgeNotSetUp(NOT_DECLARED)
    return make_judge(board.judge_mode, benchmark=board.benchmark, ledger=ledger)


def why_not_judged(board: Board, mode: str) -> str:
    """Return what to set on the server before a mode can judge on a leaderboard; "" for nothing."""
    changed = copy(board)
    changed.judge_mode = mode
    try:
        judge_of_board(changed)
    except JudgeNotSetUp as error:
        return str(error)
    return ""


def make_judge(mode: str, *, benchmark: str, ledger: DatabaseLedger | None = None) -> Judge:
    """Return a benchmark's judge of the given mode, by the settings. Raises JudgeNotSetUp."""
    if mode != JudgeMode.RULES:
        if not (settings.JUDGE["api_key"] or settings.JUDGE["base_url"]):
            raise JudgeNotSetUp(NOT_SET_UP)
        if not settings.JUDGE_HAS_DAY_BUDGET:
            raise JudgeNotSetUp(NO_DAY_BUDGET)
    ledger = ledger or DatabaseLedger()
    try:
        judge = registry.get(benchmark).judge(mode, options=settings.JUDGE, ledger=ledger)
    except JudgeUnavailable as error:
        raise JudgeNotSetUp(UNAVAILABLE, str(error)) from error
    if judge is None:
        raise ValueError(f"answers of {benchmark} need no judge")
    ledger.judge = judge.identity
    return judge


def current_identity(board: Board) -> str:
    """Return the identity of the leaderboard's current judge, set up or not; "" for none."""
    try:
        judge = judge_of_board(board)
    except JudgeNotSetUp:
        return f"{board.judge_mode}, not set up"
    return judge.identity if judge else ""


def identity_as_served(judge: Judge | None, served: Collection[str], *, board: Board) -> str:
    """Return the identity of a judge by its verdicts, such as `llm o4-mini prompt 1 as o4-mini-2025-04-16`.

    A provider that serves another build of a model makes another judge of it. A file for which no model was
    asked is of the judge of the leaderboard's last result. served: see DatabaseLedger.
    """
    names = sorted(filter(None, served))
    if judge is None or (not names and judge.mode == JudgeMode.RULES):
        return judge.identity if judge else ""
    if not names:
        results = Evaluation.objects.filter(by_judge(judge.identity), submission__board=board)
        return results.order_by("-pk").values_list("judge", flat=True).first() or judge.identity
    if len(names) > _MOST_NAMED:
        digest = sha256("\n".join(names).encode()).hexdigest()[:8]
        names = [*names[:_MOST_NAMED], f"{len(names) - _MOST_NAMED} more ({digest})"]
    return f"{judge.identity}{_AS}{', '.join(names)}"


def is_by(judge: str, identity: str) -> bool:
    """Return whether the judge of a result is the one of that identity, whatever the provider served."""
    return judge.partition(_AS)[0] == identity


def by_judge(identity: str, field: str = "judge") -> Q:
    """Return the condition of results by the judge of that identity, whatever the provider served."""
    return Q(**{field: identity}) | Q(**{f"{field}__startswith": f"{identity}{_AS}"})


_LONGEST_PAUSE = dict.fromkeys(("provider-refused", "provider-down"), timedelta(minutes=5))
# The reasons in the order in which they have to be resolved.
_PRIORITY = ("provider-refused", "provider-down", "budget-spent", "reply-unusable")


def main_reason(undecided: Mapping[str, int]) -> str:
    """Return the most important reason for undecided verdicts. undecided: reason -> how many."""
    return next((reason for reason in _PRIORITY if reason in undecided), next(iter(undecided)))


def resume_in(why: str, resumed: int) -> timedelta:
    """Return the time until the next attempt. resumed: how often in a row it was resumed without progress."""
    if why == "budget-spent":
        # The day's budget is renewed at midnight, UTC.
        now = timezone.now().astimezone(UTC)
        return datetime.combine(now.date() + timedelta(days=1), time(0, 1), tzinfo=UTC) - now
    minutes: int = 2 ** min(resumed, 10)
    return min(_LONGEST_PAUSE.get(why, timedelta(hours=1)), timedelta(minutes=minutes))


def gives_up(why: str, resumed: int) -> bool:
    """Return whether to give up, after too many unusable replies; other reasons pass."""
    return why == "reply-unusable" and resumed >= settings.JUDGE_RESUMPTIONS
