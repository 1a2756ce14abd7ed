"""Let a leaderboard be the unranked lane of another one."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0023_webhooks"),
    ]

    operations = [
        migrations.AddField(
            model_name="board",
            name="unranked_lane_of",
            field=models.OneToOneField(
                blank=True,
                help_text="Its tasks are public, and none of them counts there: teams run gates on it, "
                "and nothing on it is published or ranked. It cannot be changed once a file was sent.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="unranked_lane",
                to="leaderboard.board",
            ),
        ),
    ]
