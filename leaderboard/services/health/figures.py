"""Figures of the whole service for Prometheus, read from the database and the disk when it asks.

So they cover all processes and machines, and every web server gives the same. None may depend on a verdict:
nothing here reads a figure of a result.
"""

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Count, Sum
from django.utils import timezone
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from leaderboard.models import JudgeAnswers, JudgeDay, SigningKey, Status, Submission, SweepTimes
from leaderboard.models.emails import EMAILS
from leaderboard.services.backups.backup import last_backup
from leaderboard.services.health.queues import processes_by_lane, waiting_by_queue
from leaderboard.services.health.readiness import why_no_mail
from leaderboard.services.judging.budget import most_spent_today
from leaderboard.services.submissions import grade

_gauge = GaugeMetricFamily
FAILURES_OF = timedelta(hours=1)
# A counter that appears with its first error would hide that one from Prometheus.
_USUAL_ANSWERS = ("200", "401", "429", "500", "503", "timeout", "unreachable")
_CAUSES = {
    grade.OUR_FAULT: "our-fault",
    grade.FILE_FAULT: "file-fault",
    grade.NO_END: "interrupted",
    grade.NO_VERDICT: "no-verdict",
    grade.CHANGED: "references-changed",
}


class ServiceFigures(Collector):
    """Collects the figures; where the database is away, that it is, and what the disk has left."""

    def collect(self) -> Iterator[Metric]:
        usage = shutil.disk_usage(settings.DATA)
        yield _gauge("wardboard_disk_free_bytes", "Free space where uploads are stored.", usage.free)
        reserved = settings.UPLOAD_MIN_FREE_BYTES
        yield _gauge("wardboard_disk_reserved_bytes", "Files that would leave less are refused.", reserved)
        if (made_at := last_backup()) is not None:
            age = timezone.now().timestamp() - made_at
            yield _gauge("wardboard_backup_age_seconds", "Since the last backup by `manage backup`.", age)
        try:
            figures = list(_of_database(timezone.now()))
        except DatabaseError:
            figures = []
        yield _gauge("wardboard_database_up", "Whether the database answered.", float(bool(figures)))
        yield from figures


def _of_database(now: datetime) -> Iterator[Metric]:
    living = processes_by_lane()
    yield _by_label("wardboard_processes", "Living processes that work on a lane.", "lane", living)
    swept_at = SweepTimes.objects.values_list("ended_at", flat=True).first()
    if swept_at is not None:
        age = max(0.0, (now - swept_at).total_seconds())
        yield _gauge("wardboard_sweep_age_seconds", "Seconds since a sweep last came to its end.", age)
    queues = waiting_by_queue()
    lengths = {queue: waiting.count for queue, waiting in queues.items()}
    yield _by_label("wardboard_queue_length", "What waits, by lane.", "lane", lengths)
    seconds = {queue: waiting.seconds(now) for queue, waiting in queues.items()}
    text = "For how long the first one has waited, by lane."
    yield _by_label("wardboard_queue_oldest_seconds", text, "lane", seconds)
    of_status = dict(Submission.objects.order_by().values_list("status").annotate(Count("pk")))
    values = {status: of_status.get(status, 0) for status in Status}
    yield _by_label("wardboard_submissions", "Submissions by status.", "status", values)
    failed = Submission.objects.filter(status=Status.FAILED, moved_at__gte=now - FAILURES_OF)
    counts = Counter(_CAUSES.get(text, "other") for text in failed.values_list("failure", flat=True))
    by_cause = {cause: counts[cause] for cause in (*_CAUSES.values(), "other")}
    text = "Submissions that failed within the last hour."
    yield _by_label("wardboard_failures_last_hour", text, "cause", by_cause)
    yield from _judging()
    emails = {
        "due": sum(model.objects.filter(due_at__lte=now).count() for model in EMAILS),
        "given-up": sum(model.objects.given_up().count() for model in EMAILS),
    }
    yield _by_label("wardboard_emails", "Emails that are due, or were given up in 60 days.", "state", emails)
    is_mail_up = float(not why_no_mail())
    yield _gauge("wardboard_mail_up", "Whether emails are sent, or no mail server is configured.", is_mail_up)
    keys = SigningKey.objects.count()
    yield _gauge("wardboard_signing_keys", "Keys that have signed receipts and the log.", keys)


def _by_label(
    name: str,
    text: str,
    label: str,
    values: Mapping[Any, float],
    family: type[GaugeMetricFamily | CounterMetricFamily] = GaugeMetricFamily,
) -> Metric:
    metric = family(name, text, labels=[label])
    for value, figure in values.items():
        metric.add_metric([value], figure)
    return metric


def _judging() -> Iterator[Metric]:
    spent = JudgeDay.objects.aggregate(calls=Sum("calls", default=0), cost=Sum("cost", default=0))
    yield CounterMetricFamily("wardboard_judge_calls", "Calls of the judge.", value=spent["calls"])
    yield CounterMetricFamily("wardboard_judge_cost_dollars", "Cost of the judge.", value=spent["cost"])
    counts = dict(JudgeAnswers.objects.values_list("status", "count"))
    answers = {**dict.fromkeys(_USUAL_ANSWERS, 0), **counts}
    text = "What the judge's provider answered."
    yield _by_label("wardboard_judge_answers", text, "status", answers, CounterMetricFamily)
    used = dict(zip(("calls", "cost"), most_spent_today(), strict=True))
    limits = {kind: settings.JUDGE_BUDGET[f"day_{kind}"] for kind in used}
    # Without a limit there is no share.
    shares = {kind: used[kind] / most for kind, most in limits.items() if most}
    text = "Share of the day's budget that is spent, of the leaderboard that spent most."
    yield _by_label("wardboard_judge_day_budget_used", text, "kind", shares)
