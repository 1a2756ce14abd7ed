"""Say of the rows of today that no organisation is confirmed and no contact linked, as the systems say."""

from typing import Any

from django.db import migrations


def state_nothing_confirmed(apps: Any, schema_editor: Any) -> None:
    """Give the rows of today the values that their systems have, so that no later event states a change."""
    rows = apps.get_model("leaderboard", "Standing").objects
    rows.update(has_links=False)
    rows.filter(system__team__isnull=False).exclude(organisation="").update(organisation_confirmed=False)


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0004_ranges")]

    operations = [migrations.RunPython(state_nothing_confirmed, migrations.RunPython.noop)]
