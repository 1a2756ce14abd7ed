"""Add what judging took for each team on a day, of which new teams have a share."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0009_judged_by_rules"),
    ]

    operations = [
        migrations.CreateModel(
            name="JudgeTeamDay",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("day", models.DateField()),
                ("calls", models.PositiveIntegerField(default=0)),
                ("cost", models.FloatField(default=0)),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="leaderboard.team"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("day", "team"), name="judge_day_once_a_team")
                ],
            },
        ),
    ]
