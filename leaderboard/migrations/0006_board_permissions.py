"""Let those who had rights on benchmarks keep them on boards, which is what these are called now."""

from typing import Any

from django.db import migrations


def rename(apps: Any, schema_editor: Any, old: str = "benchmark", new: str = "board") -> None:
    """Rename the rights of Django's admin on the table."""
    permissions = apps.get_model("auth", "Permission").objects
    for right in ("add", "change", "delete", "view"):
        rows = permissions.filter(content_type__app_label="leaderboard", codename=f"{right}_{old}")
        rows.update(codename=f"{right}_{new}", name=f"Can {right} {new}")


def rename_back(apps: Any, schema_editor: Any) -> None:
    """Rename them to what they were."""
    rename(apps, schema_editor, "board", "benchmark")


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0005_boards"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]
    operations = [migrations.RunPython(rename, rename_back)]
