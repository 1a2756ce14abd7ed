"""Add how many errors and warnings a file has by code, of which a submission lists some."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0014_log_facts"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="problems_by_code",
            field=models.JSONField(blank=True, db_default={}, default=dict, editable=False),
        ),
        migrations.AddField(
            model_name="submission",
            name="warnings_by_code",
            field=models.JSONField(blank=True, db_default={}, default=dict, editable=False),
        ),
    ]
