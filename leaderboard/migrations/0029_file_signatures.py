"""Keep the Sigstore bundles of files, and what they say of the workflow that signed."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0028_activation_order'),
    ]

    operations = [
        migrations.CreateModel(
            name='FileSignature',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('issuer', models.CharField(max_length=200)),
                ('repository', models.CharField(max_length=255)),
                ('repository_id', models.CharField(max_length=64)),
                ('workflow', models.CharField(max_length=255)),
                ('ref', models.CharField(blank=True, max_length=255)),
                ('commit', models.CharField(max_length=64)),
                ('run_url', models.URLField(max_length=300)),
                ('identity', models.CharField(max_length=600)),
                ('signed_at', models.DateTimeField()),
                ('bundle', models.BinaryField()),
                ('bundle_sha256', models.CharField(max_length=64)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.RemoveConstraint(
            model_name='submission',
            name='submission_of_ci_has_job',
        ),
        migrations.AlterField(
            model_name='submission',
            name='provenance',
            field=models.CharField(choices=[('account', 'Team member (unverified)'), ('ci', 'CI job'), ('ci-attested', 'CI job, attested file'), ('sigstore', 'CI workflow (Sigstore signature)')], db_default='account', default='account', max_length=12),
        ),
        migrations.AddField(
            model_name='submission',
            name='signature',
            field=models.OneToOneField(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='submission', to='leaderboard.filesignature'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ci_job__isnull', True), ('provenance', 'account')), models.Q(('ci_job__isnull', False), ('provenance__in', ['ci', 'ci-attested'])), models.Q(('provenance', 'sigstore'), ('signature__isnull', False)), _connector='OR'), name='submission_of_ci_has_job'),
        ),
    ]
