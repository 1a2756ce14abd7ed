"""Add the declarations of benchmarks, room for their keys, and the systems of a waiting archive."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0004_earlier"),
    ]

    operations = [
        # Systems in an archive that waits to be submitted, of which one has to be chosen.
        migrations.AddField("draft", "systems", models.JSONField(null=True)),
        migrations.AlterField(
            model_name="board",
            name="benchmark",
            field=models.CharField(max_length=60),
        ),
        migrations.AlterField(
            model_name="event",
            name="action",
            field=models.CharField(
                choices=[
                    ("published", "Result published"),
                    ("withdrawn", "Result withdrawn"),
                    ("disqualified", "Result disqualified"),
                    ("reinstated", "Result reinstated"),
                    ("rescored", "Result rescored"),
                    ("reported", "Published result listed"),
                    ("unlisted", "Published result removed"),
                    ("baseline", "Baseline computed"),
                    ("activated", "New reference answers"),
                    ("settings", "Rules of the leaderboard changed"),
                    ("facts", "Facts of a system changed"),
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
                    ("benchmark.declared", "Benchmark Declared"),
                    ("system.changed", "System Changed"),
                    ("team.approval-requested", "Approval Requested"),
                    ("team.approved", "Team Approved"),
                    ("team.refused", "Team Refused"),
                    ("team.organisation-confirmed", "Organisation Confirmed"),
                    ("team.organisation-unconfirmed", "Organisation Unconfirmed"),
                    ("submission.reviewed", "Reviewed"),
                    ("doubt.reported", "Doubt Reported"),
                    ("doubt.declined", "Doubt Declined"),
                    ("doubt.accepted", "Doubt Accepted"),
                    ("board.announced", "Announced"),
                    ("board.announcement-ended", "Announcement Ended"),
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
        migrations.CreateModel(
            name="DeclaredBenchmark",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=60, unique=True)),
                ("text", models.BinaryField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "imported_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
    ]
