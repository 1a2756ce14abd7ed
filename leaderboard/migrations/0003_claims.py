"""Fields of the rules and marks on what a result may claim: no answers, undecided answers, links, organisations."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0002_written_once'),
    ]

    operations = [
        migrations.AddField(
            model_name='answerdigests',
            name='public_files',
            field=models.JSONField(db_default={}, default=dict),
        ),
        migrations.AddField(
            model_name='board',
            name='most_open',
            field=models.FloatField(db_default=0.3, default=0.3, help_text='Share of its answers, 0 to 1. A result of which the judge left more undecided is listed without a rank. 1 for no limit.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)], verbose_name='most undecided answers to be ranked'),
        ),
        migrations.AddField(
            model_name='board',
            name='needs_links',
            field=models.BooleanField(db_default=False, default=False, help_text='A result of a system that states no link to its code or a paper, or no contact, is listed without a rank. Nobody checks what the links lead to.', verbose_name='code or paper link, and contact required to be ranked'),
        ),
        migrations.AddField(
            model_name='paststanding',
            name='has_links',
            field=models.BooleanField(help_text='Whether the system links code or a paper, and a contact; null in older rows.', null=True),
        ),
        migrations.AddField(
            model_name='paststanding',
            name='organisation_confirmed',
            field=models.BooleanField(help_text='Whether an organiser confirmed the organisation; null in older rows.', null=True),
        ),
        migrations.AddField(
            model_name='standing',
            name='has_links',
            field=models.BooleanField(help_text='Whether the system links code or a paper, and a contact; null in older rows.', null=True),
        ),
        migrations.AddField(
            model_name='standing',
            name='organisation_confirmed',
            field=models.BooleanField(help_text='Whether an organiser confirmed the organisation; null in older rows.', null=True),
        ),
        migrations.AddField(
            model_name='submission',
            name='allow_empty',
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AddField(
            model_name='submission',
            name='no_answers',
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name='system',
            name='contact_url',
            field=models.URLField(blank=True, db_default='', default='', max_length=300),
        ),
        migrations.AddField(
            model_name='team',
            name='confirmed_organisations',
            field=models.JSONField(db_default=[], default=list, editable=False),
        ),
        migrations.AlterField(
            model_name='event',
            name='action',
            field=models.CharField(choices=[('published', 'Result published'), ('withdrawn', 'Result withdrawn'), ('disqualified', 'Result disqualified'), ('reinstated', 'Result reinstated'), ('rescored', 'Result rescored'), ('reported', 'Published result listed'), ('unlisted', 'Published result removed'), ('baseline', 'Baseline computed'), ('activated', 'New reference answers'), ('settings', 'Rules of the leaderboard changed'), ('facts', 'Facts of a system changed'), ('submission.received', 'Submitted'), ('submission.rejected', 'Rejected'), ('submission.scored', 'Scored'), ('submission.failed', 'Failed'), ('submission.incomplete', 'Incomplete'), ('submission.cancelled', 'Cancelled'), ('submission.retried', 'Retried'), ('submission.published', 'Published'), ('submission.withdrawn', 'Withdrawn'), ('submission.disqualified', 'Disqualified'), ('submission.reinstated', 'Reinstated'), ('submission.traces-changed', 'Traces Changed'), ('references.imported', 'Imported'), ('references.set-aside', 'Set Aside'), ('references.activated', 'Activated'), ('references.discarded', 'Discarded'), ('reported.loaded', 'Reported'), ('benchmark.changed', 'Benchmark Changed'), ('system.changed', 'System Changed'), ('team.approval-requested', 'Approval Requested'), ('team.approved', 'Team Approved'), ('team.refused', 'Team Refused'), ('team.organisation-confirmed', 'Organisation Confirmed'), ('team.organisation-unconfirmed', 'Organisation Unconfirmed'), ('submission.reviewed', 'Reviewed'), ('doubt.reported', 'Doubt Reported'), ('doubt.declined', 'Doubt Declined'), ('doubt.accepted', 'Doubt Accepted'), ('board.announced', 'Announced'), ('board.announcement-ended', 'Announcement Ended'), ('board.rescoring-ordered', 'Rescoring Ordered'), ('board.organiser-added', 'Organiser Added'), ('board.organiser-removed', 'Organiser Removed'), ('team.renamed', 'Team Renamed'), ('record.name-erased', 'Name Erased'), ('team.created', 'Team Created'), ('team.closed', 'Team Closed'), ('team.member-invited', 'Member Invited'), ('team.invitation-revoked', 'Invitation Revoked'), ('team.member-joined', 'Member Joined'), ('team.member-left', 'Member Left'), ('team.role-changed', 'Role Changed'), ('account.deleted', 'Account Deleted'), ('review-link.created', 'Review Link Created'), ('review-link.revoked', 'Review Link Revoked'), ('token.created', 'Token Created'), ('token.revoked', 'Token Revoked'), ('publisher.added', 'Publisher Added'), ('publisher.bound', 'Publisher Bound'), ('publisher.removed', 'Publisher Removed'), ('program.approved', 'Program Approved'), ('program.denied', 'Program Denied')], max_length=40),
        ),
    ]
