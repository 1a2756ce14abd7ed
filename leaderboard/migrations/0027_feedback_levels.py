"""Let feedback show the check that failed, or the expected answers."""

from django.db import migrations, models

LEVELS = [
    ("overall", "Overall score only"),
    ("by-type", "Scores by type"),
    ("by-task", "Correct or wrong, task by task"),
    ("by-check", "Correct or wrong and the check that failed, task by task"),
    ("answers", "Everything, with the expected answers: for leaderboards whose reference answers are public"),
]


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0026_lead_and_put_back"),
    ]

    operations = [
        migrations.AlterField(
            model_name="board",
            name="feedback",
            field=models.CharField(choices=LEVELS, default="by-type", max_length=10),
        ),
        migrations.AlterField(
            model_name="boardevent",
            name="feedback",
            field=models.CharField(choices=LEVELS, max_length=10),
        ),
        migrations.RemoveConstraint(model_name="board", name="benchmark_feedback_known"),
        migrations.AddConstraint(
            model_name="board",
            constraint=models.CheckConstraint(
                condition=models.Q(feedback__in=[level for level, _ in LEVELS]),
                name="benchmark_feedback_known",
            ),
        ),
    ]
