from typing import Any

from django.db import migrations


def forget_digests(apps: Any, schema_editor: object) -> None:
    """Delete all digests: their length has changed. The search for similar files computes them again."""
    apps.get_model("leaderboard", "AnswerDigests").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0013_limit_entries")]

    operations = [migrations.RunPython(forget_digests, migrations.RunPython.noop)]
