"""Add the names of the files that are no results in the archive that a file came in."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0011_judge_answers"),
    ]

    operations = [
        migrations.AddField(
            model_name="draft",
            name="left_out",
            field=models.JSONField(db_default=[], default=list),
        ),
        migrations.AddField(
            model_name="submission",
            name="left_out",
            field=models.JSONField(blank=True, db_default=[], default=list, editable=False),
        ),
    ]
