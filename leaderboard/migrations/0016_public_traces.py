"""Let a leaderboard offer public traces, and a team make those of a result public."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0015_remarks_by_code"),
    ]

    operations = [
        migrations.AddField(
            model_name="board",
            name="public_traces",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="A team may let everyone read what its agent did at each task, once the result is "
                "published. Only where files are kept as they came, and never with credentialed data.",
            ),
        ),
        migrations.AddField(
            model_name="submission",
            name="public_traces",
            field=models.BooleanField(
                db_default=False,
                default=False,
                editable=False,
                help_text="Whether its team lets everyone read its traces while it is published.",
            ),
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
                    ("references.activated", "Activated"),
                    ("references.discarded", "Discarded"),
                    ("reported.loaded", "Reported"),
                    ("benchmark.changed", "Benchmark Changed"),
                    ("system.changed", "System Changed"),
                    ("team.approval-requested", "Approval Requested"),
                    ("team.approved", "Team Approved"),
                    ("team.refused", "Team Refused"),
                    ("submission.reviewed", "Reviewed"),
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
    ]
