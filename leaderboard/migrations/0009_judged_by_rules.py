"""Add what a slice of judging by rules keeps for the next one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0008_storage_token"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="judged_by_rules",
            field=models.JSONField(
                blank=True,
                editable=False,
                help_text="Verdicts that a slice keeps for the next one; hidden.",
                null=True,
            ),
        ),
    ]
