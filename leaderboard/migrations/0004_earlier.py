"""Keep the ranks of earlier leaderboards, and state of their rows what no system stated before."""

from typing import Any

from django.db import migrations


def limit_no_undecided_answers(apps: Any, schema_editor: Any) -> None:
    """Set no limit on the leaderboards that had none: no event would say why rows lose their ranks."""
    apps.get_model("leaderboard", "Board").objects.update(most_open=1)


def state_nothing_confirmed(apps: Any, schema_editor: Any) -> None:
    """Give the rows of today the values that their systems have, so that no later event states a change."""
    rows = apps.get_model("leaderboard", "Standing").objects
    rows.update(has_links=False)
    rows.filter(system__team__isnull=False).exclude(organisation="").update(organisation_confirmed=False)


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0003_claims")]

    operations = [
        migrations.RunPython(limit_no_undecided_answers, migrations.RunPython.noop),
        migrations.RunPython(state_nothing_confirmed, migrations.RunPython.noop),
    ]
