from typing import Any

from django.db import migrations


def forget_digests(apps: Any, schema_editor: object) -> None:
    """Delete all digests: they have another length now, and whoever looks for similar files makes them anew."""
    apps.get_model("leaderboard", "AnswerDigests").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0013_limit_entries")]

    operations = [migrations.RunPython(forget_digests, migrations.RunPython.noop)]
