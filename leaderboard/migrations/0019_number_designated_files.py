"""Number the files that were designated before they had a number, in the order in which they came."""

from collections import Counter
from typing import Any

from django.db import migrations


def number(apps: Any, schema_editor: Any) -> None:
    """Number the designated files of each system on each leaderboard from 1, without those rejected."""
    submissions = apps.get_model("leaderboard", "Submission").objects
    numbers = Counter[tuple[int, int]]()
    rows = submissions.filter(designated=True).exclude(status="rejected").order_by("received_at", "pk")
    changed = []
    for row in rows.only("pk", "board_id", "system_id").iterator():
        numbers[row.board_id, row.system_id] += 1
        row.designation = numbers[row.board_id, row.system_id]
        changed.append(row)
    submissions.bulk_update(changed, ["designation"], batch_size=500)


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0018_designation_and_rules")]
    operations = [migrations.RunPython(number, migrations.RunPython.noop)]
