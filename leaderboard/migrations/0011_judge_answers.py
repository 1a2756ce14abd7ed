"""Add how often the providers of judges gave an answer."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0010_judge_budget_by_team"),
    ]

    operations = [
        migrations.CreateModel(
            name="JudgeAnswers",
            fields=[
                ("status", models.CharField(max_length=20, primary_key=True, serialize=False)),
                ("count", models.PositiveBigIntegerField(default=0)),
            ],
        ),
    ]
