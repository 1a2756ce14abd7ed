"""Let a leaderboard ask for a stated cost."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0007_watch")]

    operations = [
        migrations.AddField(
            model_name="board",
            name="needs_cost",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="A result of a system that states no cost per task is listed without a rank. "
                "Nobody checks the cost.",
                verbose_name="cost per task required to be ranked",
            ),
        ),
    ]
