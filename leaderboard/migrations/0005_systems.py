"""Systems in an archive that waits to be submitted, of which one has to be chosen."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0004_earlier")]

    operations = [migrations.AddField("draft", "systems", models.JSONField(null=True))]
