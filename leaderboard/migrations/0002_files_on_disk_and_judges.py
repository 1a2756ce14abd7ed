
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='JudgedAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.BinaryField(max_length=32, unique=True)),
                ('correct', models.BooleanField()),
                ('judge', models.CharField(max_length=120)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='JudgeDay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField(unique=True)),
                ('calls', models.PositiveIntegerField(default=0)),
                ('prompt_tokens', models.PositiveBigIntegerField(default=0)),
                ('completion_tokens', models.PositiveBigIntegerField(default=0)),
                ('cost', models.FloatField(default=0)),
            ],
            options={
                'ordering': ['-day'],
            },
        ),
        migrations.AddField(
            model_name='benchmark',
            name='judge_mode',
            field=models.CharField(choices=[('rules', 'Rules'), ('hybrid', 'Rules, and an LLM for what they leave undecided'), ('llm', 'LLM')], default='rules', help_text='Who decides on answers in words, on a board whose answers are such. Model and key are settings.', max_length=10),
        ),
        migrations.AddField(
            model_name='benchmark',
            name='keep_originals',
            field=models.BooleanField(default=True, help_text='Keep files as they came, with what is never graded, such as traces.'),
        ),
        migrations.AddField(
            model_name='benchmark',
            name='mixes_judges',
            field=models.BooleanField(default=False, help_text='Rank systems together though different judges decided; the board says so.'),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='details',
            field=models.BinaryField(default=b''),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='group_metrics',
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='judge',
            field=models.CharField(blank=True, default='', max_length=120),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='spending',
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='suspects',
            field=models.JSONField(default=list),
        ),
        migrations.AddField(
            model_name='standing',
            name='group_metrics',
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name='standing',
            name='judge',
            field=models.CharField(blank=True, default='', max_length=120),
        ),
        migrations.AddField(
            model_name='standing',
            name='kind',
            field=models.CharField(choices=[('rescored', 'Rescored'), ('reported', 'Reported'), ('baseline', 'Baseline')], default='rescored', max_length=10),
        ),
        migrations.AddField(
            model_name='submission',
            name='count',
            field=models.PositiveIntegerField(blank=True, help_text='Records in the file, once checked.', null=True),
        ),
        migrations.AddField(
            model_name='submission',
            name='judge_calls',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='submission',
            name='judge_completion_tokens',
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='submission',
            name='judge_cost',
            field=models.FloatField(default=0, help_text='US dollars'),
        ),
        migrations.AddField(
            model_name='submission',
            name='judge_prompt_tokens',
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='submission',
            name='judge_seconds',
            field=models.FloatField(default=0),
        ),
        migrations.AddField(
            model_name='submission',
            name='progress',
            field=models.JSONField(blank=True, help_text='scoring.benchmark.Progress, and since when.', null=True),
        ),
        migrations.AddField(
            model_name='submission',
            name='resume_at',
            field=models.DateTimeField(blank=True, help_text='When an incomplete one is tried again.', null=True),
        ),
        migrations.AddField(
            model_name='submission',
            name='resumed',
            field=models.PositiveSmallIntegerField(default=0, help_text='How often in a row without getting on.'),
        ),
        migrations.AddField(
            model_name='submission',
            name='stored_as',
            field=models.UUIDField(editable=False, help_text='Its files in services.store.', null=True),
        ),
        migrations.AddField(
            model_name='submission',
            name='waits_for',
            field=models.CharField(blank=True, help_text='Why it is incomplete.', max_length=30),
        ),
        migrations.AlterField(
            model_name='auditevent',
            name='action',
            field=models.CharField(choices=[('submission.received', 'Submitted'), ('submission.rejected', 'Rejected'), ('submission.scored', 'Scored'), ('submission.failed', 'Failed'), ('submission.incomplete', 'Incomplete'), ('submission.cancelled', 'Cancelled'), ('submission.retried', 'Retried'), ('submission.published', 'Published'), ('submission.withdrawn', 'Withdrawn'), ('references.imported', 'Imported'), ('references.activated', 'Activated'), ('reported.loaded', 'Reported'), ('benchmark.changed', 'Benchmark Changed'), ('system.changed', 'System Changed'), ('token.created', 'Token Created'), ('token.revoked', 'Token Revoked')], max_length=40),
        ),
        migrations.AlterField(
            model_name='submission',
            name='attempts',
            field=models.PositiveSmallIntegerField(default=0, help_text='How often work on it began since it last got on.'),
        ),
        migrations.AlterField(
            model_name='submission',
            name='status',
            field=models.CharField(choices=[('received', 'Received'), ('rejected', 'Rejected'), ('queued', 'Queued'), ('scoring', 'Being scored'), ('scored', 'Scored'), ('incomplete', 'Incomplete'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='received', max_length=10),
        ),
    ]
