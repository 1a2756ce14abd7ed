"""Add the reports of doubtful reference answers, and their events."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0020_tasks_set_aside"),
    ]

    operations = [
        migrations.CreateModel(
            name="Doubt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "board",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="doubts",
                        to="leaderboard.board",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="doubts",
                        to="leaderboard.team",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="doubts",
                        to="leaderboard.submission",
                    ),
                ),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="leaderboard.referencerevision",
                    ),
                ),
                (
                    "reported_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "decided_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("task_id", models.CharField(max_length=200)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("wrong-answer", "The reference answer is wrong"),
                            ("several-answers", "More than one answer is right"),
                            ("unclear-task", "The task can be read in more than one way"),
                            ("data", "The patient’s data lack the answer or contradict it"),
                            ("other", "Something else"),
                        ],
                        max_length=20,
                    ),
                ),
                ("text", models.CharField(blank=True, max_length=1000)),
                ("reported_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "Not decided yet"), ("accepted", "Accepted: set aside"), ("declined", "Declined")],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("answer", models.CharField(blank=True, max_length=300)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-reported_at", "-pk"],
            },
        ),
        migrations.AlterField(
            model_name="auditevent",
            name="action",
            field=models.CharField(
                choices=[
                    ("submission.received", "Submitted"),
                    ("submission.rejected", "Rejected"),
                    ("submission.scored", "Scored"),
                    ("submission.failed", "Failed"),
                    ("submission.incomplete", "Incomplete"),
                    ("submission.cancelled", "Cancelled"),
                    ("submission.retried", "Retried"),
                    ("submission.published", "Published"),
                    ("submission.withdrawn", "Withdrawn"),
                    ("submission.disqualified", "Disqualified"),
                    ("submission.reinstated", "Reinstated"),
                    ("submission.traces-changed", "Traces Changed"),
                    ("references.imported", "Imported"),
                    ("references.set-aside", "Set Aside"),
                    ("references.activated", "Activated"),
                    ("references.discarded", "Discarded"),
                    ("reported.loaded", "Reported"),
                    ("benchmark.changed", "Benchmark Changed"),
                    ("system.changed", "System Changed"),
                    ("team.approval-requested", "Approval Requested"),
                    ("team.approved", "Team Approved"),
                    ("team.refused", "Team Refused"),
                    ("submission.reviewed", "Reviewed"),
                    ("doubt.reported", "Doubt Reported"),
                    ("doubt.declined", "Doubt Declined"),
                    ("doubt.accepted", "Doubt Accepted"),
                    ("board.announced", "Announced"),
                    ("board.announcement-ended", "Announcement Ended"),
                    ("team.quota-granted", "Quota Granted"),
                    ("team.quota-ended", "Quota Ended"),
                    ("board.rescoring-ordered", "Rescoring Ordered"),
                    ("board.organiser-added", "Organiser Added"),
                    ("board.organiser-removed", "Organiser Removed"),
                    ("team.renamed", "Team Renamed"),
                    ("record.name-erased", "Name Erased"),
                    ("team.created", "Team Created"),
                    ("team.closed", "Team Closed"),
                    ("team.member-invited", "Member Invited"),
                    ("team.invitation-revoked", "Invitation Revoked"),
                    ("team.member-joined", "Member Joined"),
                    ("team.member-left", "Member Left"),
                    ("team.role-changed", "Role Changed"),
                    ("system.handed-over", "System Handed Over"),
                    ("account.deleted", "Account Deleted"),
                    ("review-link.created", "Review Link Created"),
                    ("review-link.revoked", "Review Link Revoked"),
                    ("token.created", "Token Created"),
                    ("token.revoked", "Token Revoked"),
                    ("publisher.added", "Publisher Added"),
                    ("publisher.bound", "Publisher Bound"),
                    ("publisher.removed", "Publisher Removed"),
                    ("program.approved", "Program Approved"),
                    ("program.denied", "Program Denied"),
                ],
                max_length=40,
            ),
        ),
        migrations.AddIndex(
            model_name="doubt",
            index=models.Index(fields=["team", "reported_at"], name="doubt_of_team_by_time"),
        ),
        migrations.AddConstraint(
            model_name="doubt",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "open")),
                fields=("board", "team", "task_id"),
                name="doubt_open_once_a_team",
            ),
        ),
        migrations.AddConstraint(
            model_name="doubt",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("kind__in", ["wrong-answer", "several-answers", "unclear-task", "data", "other"])
                ),
                name="doubt_kind_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="doubt",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["open", "accepted", "declined"])), name="doubt_state_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="doubt",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("decided_at__isnull", True), ("state", "open")),
                    models.Q(models.Q(("state", "open"), _negated=True), ("decided_at__isnull", False)),
                    _connector="OR",
                ),
                name="doubt_decided_or_not",
            ),
        ),
    ]
