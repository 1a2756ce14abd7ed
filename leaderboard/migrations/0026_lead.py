"""Keep since when the first row of a board has led significantly, and through how many new entries."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0022_reported_results"),
    ]

    operations = [
        migrations.AddField(
            model_name="boardstatistics",
            name="leads_since",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="boardstatistics",
            name="leads_through",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
    ]
