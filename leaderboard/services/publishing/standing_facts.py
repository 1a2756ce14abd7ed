"""Copy the facts of systems to their standings, and keep the copies up to date."""

from collections.abc import Collection, Mapping
from typing import Any

from django.db import transaction

from leaderboard.models import BoardAction, Standing, System
from leaderboard.services.record import events
from leaderboard.services.record.event_kinds import FACTS
from leaderboard.services.text import build_models_text, build_search_text
from wardboard.scoring.facts import IN_ROWS


def facts_for_standing(system: System) -> dict[str, Any]:
    """Return the facts of a system by the names of a standing's fields."""
    team_name = system.team.name if system.team else ""
    models = system.model_names
    return {
        **{fact.field: getattr(system, fact.field) for fact in IN_ROWS},
        "team_name": team_name,
        "source": system.source,
        "source_url": system.source_url,
        "models_text": build_models_text(models),
        "search": build_search_text(
            name=system.name, organisation=system.organisation, team_name=team_name, models=models
        ),
    }


def lock_systems(**lookup: Any) -> list[System]:
    """Lock the systems that match `lookup`, in the one order of locks; return them with teams."""
    rows = System.objects.select_for_update(of=("self",), no_key=True).select_related("team")
    return list(rows.filter(**lookup).order_by("pk"))


@transaction.atomic
def update_standings(*, is_by_organiser: bool = False, is_handed_over: bool = False, **lookup: Any) -> None:
    """Copy the facts of changed systems to their standings, and log which facts changed.

    is_by_organiser: whether an organiser changed them, which the public log says
    is_handed_over: whether they went to another team, likewise
    lookup: selects the systems, as in System.objects.filter.
    """
    # All systems are locked before the first leaderboard, as everywhere.
    systems = {system.pk: system for system in lock_systems(**lookup)}
    rows = Standing.objects.filter(system__in=systems).select_related("board")
    for row in rows.defer("board__question").order_by("board_id", "system_id"):
        system = systems[row.system_id]
        facts = facts_for_standing(system)
        changed = [name for name, value in facts.items() if getattr(row, name) != value]
        if not changed:
            # The system's own page shows more facts than a standing has.
            events.touch(board=row.board)
            continue
        before = {"name": row.name, "team_name": row.team_name}
        for name in changed:
            setattr(row, name, facts[name])
        row.save(update_fields=changed)
        data = _data(before, facts, changed, is_handed_over=is_handed_over)
        data["by_organiser"] = is_by_organiser
        change = events.Change(action=BoardAction.FACTS, system=system, data=data, rows=[row])
        events.record(change, board=row.board)


def _data(
    before: Mapping[str, str], facts: Mapping[str, Any], changed: Collection[str], *, is_handed_over: bool
) -> dict[str, Any]:
    """Return what the public log says of changed facts, except who changed them."""
    logged = [name for name in changed if name in FACTS]
    if "name" in changed:
        logged.remove("name")
        return {"kind": "renamed", "from": before["name"], "changed": logged}
    if "team_name" not in changed or not before["team_name"]:
        return {"kind": "facts", "changed": logged}
    logged.remove("team_name")
    if not facts["team_name"]:
        return {"kind": "account-deleted", "changed": logged}
    kind = "handed-over" if is_handed_over else "team-renamed"
    return {"kind": kind, "from": before["team_name"], "changed": logged}
