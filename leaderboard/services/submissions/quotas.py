"""Enforce how many files a team may send in 24 hours. Callers hold the team's row locked."""

import math
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q
from django.utils.translation import gettext, ngettext

from leaderboard.models import Benchmark, Status, Submission, Team
from leaderboard.services.errors import QuotaSpent
from leaderboard.services.submissions.grade import FILE_FAULT

_DAY = timedelta(hours=24)


def spend_submission(benchmark: Benchmark, team: Team, now: datetime) -> None:
    """Raise QuotaSpent if the team's daily limit was scored in the last 24 hours."""
    if benchmark.daily_limit is None:
        return
    # Rejected files do not count: they were not scored. Failed ones count if a judge was paid, or if it was
    # the file's own fault: as they cost us the same, they would be a way round the limit.
    spent = (
        Submission.objects.filter(benchmark=benchmark, team=team, received_at__gt=now - _DAY)
        .exclude(status=Status.REJECTED)
        .exclude(~Q(failure=FILE_FAULT), status=Status.FAILED, judge_calls=0)
        .order_by("received_at")
        .values_list("received_at", flat=True)[: benchmark.daily_limit]
    )
    if len(spent) < benchmark.daily_limit:
        return
    wait = math.ceil((spent[0] + _DAY - now).total_seconds()) if spent else int(_DAY.total_seconds())
    raise QuotaSpent(
        # Without the team's name: a personal team has its owner's, which may be any word.
        ngettext(
            "Your team has sent %(count)s file to %(title)s in the last 24 hours, which is the limit. "
            "Checking a file without submitting it is not counted.",
            "Your team has sent %(count)s files to %(title)s in the last 24 hours, which is the limit. "
            "Checking a file without submitting it is not counted.",
            benchmark.daily_limit,
        )
        % {"count": benchmark.daily_limit, "title": gettext(benchmark.title)},
        retry_after=max(wait, 1),
    )


def spend_rejection(team: Team, now: datetime) -> None:
    """Raise QuotaSpent where too many of the team's files were rejected in the last 24 hours.

    Called for files that may be invalid: each costs a row, and a large one a minute of a worker.
    """
    allowed = settings.UPLOAD_REJECTED_PER_DAY
    if not allowed:
        return
    rejected = Submission.objects.filter(
        Q(status=Status.REJECTED) | Q(failure=FILE_FAULT), team=team, received_at__gt=now - _DAY
    )
    # The newest ones, up to the limit: once the oldest of them is a day old, another file is accepted.
    newest = list(rejected.order_by("-received_at").values_list("received_at", flat=True)[:allowed])
    if len(newest) < allowed:
        return
    raise QuotaSpent(
        ngettext(
            "%(count)s file of your team was rejected in the last 24 hours, which is the limit. Check files "
            "without submitting them until there are no problems left.",
            "%(count)s files of your team were rejected in the last 24 hours, which is the limit. Check "
            "files without submitting them until there are no problems left.",
            allowed,
        )
        % {"count": allowed},
        retry_after=max(1, math.ceil((newest[-1] + _DAY - now).total_seconds())),
    )
