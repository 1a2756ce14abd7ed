"""Let demonstrations that show right and wrong by task show the expected answers too, which are public."""

from typing import Any

from django.db import migrations


def show_answers(apps: Any, schema_editor: Any) -> None:
    boards = apps.get_model("leaderboard", "Board").objects.using(schema_editor.connection.alias)
    boards.filter(is_demo=True, feedback="by-task").update(feedback="answers")


def show_verdicts_alone(apps: Any, schema_editor: Any) -> None:
    boards = apps.get_model("leaderboard", "Board").objects.using(schema_editor.connection.alias)
    boards.filter(feedback__in=["by-check", "answers"]).update(feedback="by-task")


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0027_feedback_levels"),
    ]

    operations = [migrations.RunPython(show_answers, show_verdicts_alone)]
