"""Let a team publish one result in 30 days on a new leaderboard; those that exist keep their number."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0005_files_and_declarations")]

    operations = [
        migrations.AlterField(
            model_name="board",
            name="publication_limit",
            field=models.PositiveIntegerField(
                blank=True, default=1, help_text="Results that a team may publish in 30 days.", null=True
            ),
        ),
    ]
