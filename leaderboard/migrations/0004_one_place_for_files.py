from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0003_move_files_to_disk'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='evaluation',
            name='evaluation_once',
        ),
        migrations.RemoveConstraint(
            model_name='submission',
            name='submission_status_known',
        ),
        migrations.AlterField(
            model_name='submission',
            name='stored_as',
            field=models.UUIDField(editable=False, help_text='Its files in services.store.', unique=True),
        ),
        migrations.AddIndex(
            model_name='standing',
            index=models.Index(fields=['benchmark', 'judge', '-score'], name='standing_by_judge'),
        ),
        migrations.AddConstraint(
            model_name='benchmark',
            constraint=models.CheckConstraint(condition=models.Q(('judge_mode__in', ['rules', 'hybrid', 'llm'])), name='benchmark_judge_known'),
        ),
        migrations.AddConstraint(
            model_name='evaluation',
            constraint=models.UniqueConstraint(fields=('submission', 'revision', 'scorer_version', 'judge'), name='evaluation_once'),
        ),
        migrations.AddConstraint(
            model_name='standing',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('evaluation__isnull', False), ('kind', 'rescored')), models.Q(('evaluation__isnull', True), ('kind__in', ['reported', 'baseline'])), _connector='OR'), name='standing_rescored_has_evaluation'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['received', 'rejected', 'queued', 'scoring', 'scored', 'incomplete', 'failed', 'cancelled'])), name='submission_status_known'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'incomplete'), models.Q(('waits_for', ''), _negated=True)), models.Q(models.Q(('status', 'incomplete'), _negated=True), ('resume_at__isnull', True), ('waits_for', '')), _connector='OR'), name='submission_incomplete_waits'),
        ),
        migrations.DeleteModel(
            name='Upload',
        ),
    ]
