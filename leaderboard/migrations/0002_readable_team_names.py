"""Rename teams whose names cannot be read, on their standings and in the public log too.

Early sign-ups took any name: one of control characters only, or one that reorders its neighbours. The rules
of leaderboard.services.text are repeated here, as they were then.
"""

import unicodedata
from typing import Any

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F
from django.utils import timezone

_HIDDEN_CATEGORIES = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
_JOINERS = {"\u200c", "\u200d"}
_BLANK = {"\u115f", "\u1160", "\u3164", "\uffa0", "\u2800"}


def _has_hidden_characters(text: str) -> bool:
    return any(unicodedata.category(c) in _HIDDEN_CATEGORIES and c not in _JOINERS for c in text)


def _has_visible_character(text: str) -> bool:
    return any(unicodedata.category(c)[0] in "LNPS" and c not in _BLANK for c in text)


def _make_readable(name: str) -> str:
    name = "".join(c for c in " ".join(name.split()) if not _has_hidden_characters(c))
    name = " ".join(name.split())[:120].rstrip()
    return name if _has_visible_character(name) else "Unnamed team"


def _search_text(row: Any) -> str:
    names = (row.name, row.organisation, row.team_name, *row.model_names)
    text = "\n".join(" ".join(name.casefold().split()) for name in names if name)
    return text.encode()[:2000].decode(errors="ignore")


def rename_unreadable_teams(apps: Apps, schema_editor: BaseDatabaseSchemaEditor | None) -> None:
    Team = apps.get_model("leaderboard", "Team")
    for pk, name in list(Team.objects.values_list("pk", "name")):
        if _has_hidden_characters(name) or not _has_visible_character(name):
            name = _make_readable(name)
            Team.objects.filter(pk=pk).update(name=name)
            _rename_on_standings(apps, pk, name)


def _rename_on_standings(apps: Apps, team_id: int, name: str) -> None:
    Standing = apps.get_model("leaderboard", "Standing")
    rows = Standing.objects.filter(system__team=team_id).select_related("benchmark")
    for row in rows.order_by("benchmark_id", "system_id"):
        row.team_name = name
        row.search = _search_text(row)
        row.save(update_fields=["team_name", "search"])
        _log(apps, row)


def _log(apps: Apps, row: Any) -> None:
    """Append the change of a standing to the log of its leaderboard, which is append-only."""
    BoardEvent = apps.get_model("leaderboard", "BoardEvent")
    BoardState = apps.get_model("leaderboard", "BoardState")
    PastStanding = apps.get_model("leaderboard", "PastStanding")
    state = BoardState.objects.select_for_update().get(benchmark=row.benchmark_id)
    last = BoardEvent.objects.filter(benchmark=row.benchmark_id, number=state.number).first()
    event = BoardEvent.objects.create(
        benchmark_id=row.benchmark_id,
        number=state.number + 1,
        rows_number=state.rows_number,
        at=max(timezone.now(), state.changed_at),
        action="facts",
        system_id=row.system_id,
        system_name=row.name,
        reason="team",
        revision_id=row.benchmark.active_revision_id,
        mixes_judges=row.benchmark.mixes_judges,
        feedback=row.benchmark.feedback,
        judge=last.judge if last else "",
    )
    values = {
        field.attname: getattr(row, field.attname)
        for field in row._meta.concrete_fields
        if not field.primary_key
    }
    PastStanding.objects.create(event_id=event.pk, number=event.number, **values)
    BoardState.objects.filter(pk=state.pk).update(
        number=event.number, revision=F("revision") + 1, changed_at=event.at
    )


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0001_initial")]
    operations = [migrations.RunPython(rename_unreadable_teams, migrations.RunPython.noop)]
