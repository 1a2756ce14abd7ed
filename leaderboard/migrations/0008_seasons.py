"""Add seasons, and let a leaderboard ask for a stated cost."""

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0007_watch")]

    operations = [
        migrations.AddField(
            model_name="board",
            name="needs_cost",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="A result of a system that states no cost per task is listed without a rank. "
                "Nobody checks the cost.",
                verbose_name="cost per task required to be ranked",
            ),
        ),
        migrations.CreateModel(
            name="SealedFile",
            fields=[
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="sealed",
                        serialize=False,
                        to="leaderboard.submission",
                    ),
                ),
                ("statement", models.TextField(blank=True, default="")),
                ("embargo_until", models.DateField(null=True)),
                ("identity", models.JSONField(null=True)),
                ("result", models.TextField(default="")),
                ("scored_by", models.CharField(default="", max_length=400)),
                ("fault", models.CharField(default="", max_length=40)),
                ("retry_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("claim", models.UUIDField(null=True)),
                ("leased_until", models.DateTimeField(default=django.utils.timezone.now)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="Season",
            fields=[
                (
                    "board",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="season",
                        serialize=False,
                        to="leaderboard.board",
                    ),
                ),
                ("opens_at", models.DateTimeField()),
                ("closes_at", models.DateTimeField()),
                ("reveals_at", models.DateTimeField()),
                ("zone", models.CharField(default="UTC", max_length=40)),
                (
                    "files_of_system",
                    models.PositiveSmallIntegerField(
                        default=50, validators=[django.core.validators.MinValueValidator(1)]
                    ),
                ),
                ("pauses_board", models.BooleanField(default=True)),
                ("hides_names", models.BooleanField(default=False)),
                ("closed_at", models.DateTimeField(null=True)),
                ("revealed_at", models.DateTimeField(null=True)),
                ("table_number", models.PositiveIntegerField(null=True)),
            ],
            options={
                "ordering": ["opens_at", "pk"],
            },
        ),
        migrations.RemoveConstraint(
            model_name="submission",
            name="submission_status_known",
        ),
        migrations.AddField(
            model_name="board",
            name="season_of",
            field=models.ForeignKey(
                blank=True,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="seasons",
                to="leaderboard.board",
            ),
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
                    ("season", "Season"),
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
                    ("submission.seal-opened", "Seal Opened"),
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
        migrations.AlterField(
            model_name="submission",
            name="status",
            field=models.CharField(
                choices=[
                    ("received", "Received"),
                    ("rejected", "Rejected"),
                    ("sealed", "Sealed"),
                    ("queued", "Queued"),
                    ("scoring", "Being scored"),
                    ("scored", "Scored"),
                    ("incomplete", "Incomplete"),
                    ("failed", "Failed"),
                    ("cancelled", "Cancelled"),
                ],
                default="received",
                max_length=10,
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "status__in",
                        [
                            "received",
                            "rejected",
                            "sealed",
                            "queued",
                            "scoring",
                            "scored",
                            "incomplete",
                            "failed",
                            "cancelled",
                        ],
                    )
                ),
                name="submission_status_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="season",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("closes_at__lte", models.F("reveals_at")), ("opens_at__lt", models.F("closes_at"))
                ),
                name="season_moments_in_order",
                violation_error_message="A season opens before it closes, and is revealed afterwards.",
            ),
        ),
        migrations.AddConstraint(
            model_name="season",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("revealed_at__isnull", True), ("table_number__isnull", True)),
                    models.Q(
                        ("closed_at__isnull", False),
                        ("revealed_at__isnull", False),
                        ("table_number__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="season_revealed_has_table",
            ),
        ),
    ]
