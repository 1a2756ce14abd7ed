"""Add webhooks of teams with their calls, and the events and emails about them."""

import django.db.models.deletion
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0022_reported_results'),
    ]

    operations = [
        migrations.AlterField(
            model_name='auditevent',
            name='action',
            field=models.CharField(choices=[('submission.received', 'Submitted'), ('submission.rejected', 'Rejected'), ('submission.scored', 'Scored'), ('submission.failed', 'Failed'), ('submission.incomplete', 'Incomplete'), ('submission.cancelled', 'Cancelled'), ('submission.retried', 'Retried'), ('submission.published', 'Published'), ('submission.withdrawn', 'Withdrawn'), ('submission.disqualified', 'Disqualified'), ('submission.reinstated', 'Reinstated'), ('submission.traces-changed', 'Traces Changed'), ('references.imported', 'Imported'), ('references.set-aside', 'Set Aside'), ('references.activated', 'Activated'), ('references.discarded', 'Discarded'), ('reported.loaded', 'Reported'), ('benchmark.changed', 'Benchmark Changed'), ('system.changed', 'System Changed'), ('team.approval-requested', 'Approval Requested'), ('team.approved', 'Team Approved'), ('team.refused', 'Team Refused'), ('submission.reviewed', 'Reviewed'), ('doubt.reported', 'Doubt Reported'), ('doubt.declined', 'Doubt Declined'), ('doubt.accepted', 'Doubt Accepted'), ('board.announced', 'Announced'), ('board.announcement-ended', 'Announcement Ended'), ('team.quota-granted', 'Quota Granted'), ('team.quota-ended', 'Quota Ended'), ('board.rescoring-ordered', 'Rescoring Ordered'), ('board.organiser-added', 'Organiser Added'), ('board.organiser-removed', 'Organiser Removed'), ('team.renamed', 'Team Renamed'), ('record.name-erased', 'Name Erased'), ('team.created', 'Team Created'), ('team.closed', 'Team Closed'), ('team.member-invited', 'Member Invited'), ('team.invitation-revoked', 'Invitation Revoked'), ('team.member-joined', 'Member Joined'), ('team.member-left', 'Member Left'), ('team.role-changed', 'Role Changed'), ('system.handed-over', 'System Handed Over'), ('account.deleted', 'Account Deleted'), ('review-link.created', 'Review Link Created'), ('review-link.revoked', 'Review Link Revoked'), ('token.created', 'Token Created'), ('token.revoked', 'Token Revoked'), ('publisher.added', 'Publisher Added'), ('publisher.bound', 'Publisher Bound'), ('publisher.removed', 'Publisher Removed'), ('webhook.added', 'Webhook Added'), ('webhook.removed', 'Webhook Removed'), ('webhook.switched-off', 'Webhook Switched Off'), ('program.approved', 'Program Approved'), ('program.denied', 'Program Denied')], max_length=40),
        ),
        migrations.AlterField(
            model_name='notification',
            name='kind',
            field=models.CharField(choices=[('submission', 'A submission is scored or failed'), ('decision', 'A result is disqualified or reinstated'), ('rescored', 'A result is rescored'), ('approval', 'A team is approved or refused'), ('announcement', 'An announcement'), ('token', 'A token expires soon'), ('team', 'Somebody joins a team, or the role of the person in one changes'), ('webhook', 'A webhook of the team is switched off'), ('invitation', 'An invitation to a team'), ('desk', 'What needs an organiser'), ('asked', 'A team asks for approval'), ('failures', 'Submissions fail or are stuck'), ('suspects', 'Suspect or similar files'), ('limits', 'A budget or a disk is nearly used up')], max_length=20),
        ),
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('url', models.CharField(max_length=500)),
                ('encrypted_secret', models.TextField()),
                ('added_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('failures', models.PositiveSmallIntegerField(default=0)),
                ('off_at', models.DateTimeField(null=True)),
                ('off_reason', models.CharField(blank=True, choices=[('gone', 'Its server answered 410 Gone'), ('failures', 'Too many calls in a row were given up')], default='', max_length=10)),
                ('added_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='leaderboard.team')),
            ],
            options={
                'ordering': ['added_at', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='WebhookCall',
            fields=[
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('due_at', models.DateTimeField(null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('sent_at', models.DateTimeField(null=True)),
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('event', models.CharField(max_length=60)),
                ('kind', models.CharField(choices=[('submission.scored', 'A submission is scored'), ('submission.rejected', 'A file has errors'), ('submission.failed', 'A submission could not be scored'), ('submission.published', 'A result is published'), ('submission.rescored', 'A result is scored again'), ('webhook.test', 'A test')], max_length=30)),
                ('payload', models.JSONField()),
                ('status', models.PositiveSmallIntegerField(null=True)),
                ('problem', models.CharField(blank=True, choices=[('name-unknown', 'The name of the server has no address'), ('address-not-public', 'The name of the server leads to an address that is not public'), ('no-answer', 'The server did not answer in time'), ('tls', 'The certificate of the server is not valid for its name'), ('redirect', 'The server redirects, which is not followed'), ('status', 'The server answered with an error')], default='', max_length=20)),
                ('submission', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboard.submission')),
                ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='calls', to='leaderboard.webhook')),
            ],
        ),
        migrations.AddConstraint(
            model_name='webhook',
            constraint=models.UniqueConstraint(fields=('team', 'url'), name='webhook_once_a_team'),
        ),
        migrations.AddConstraint(
            model_name='webhook',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('off_at__isnull', True), ('off_reason', '')), models.Q(('off_at__isnull', False), ('off_reason__in', ['gone', 'failures'])), _connector='OR'), name='webhook_off_has_reason'),
        ),
        migrations.AddIndex(
            model_name='webhookcall',
            index=models.Index(fields=['due_at'], name='webhook_call_by_due'),
        ),
        migrations.AddConstraint(
            model_name='webhookcall',
            constraint=models.UniqueConstraint(fields=('webhook', 'event'), name='webhook_call_once'),
        ),
    ]
