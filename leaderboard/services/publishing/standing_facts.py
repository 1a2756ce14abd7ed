"""What rows of boards say of their systems, kept in step with the systems."""

from typing import Any

from django.db import transaction
from django.utils.translation import gettext_noop

from leaderboard.models import BoardAction, Standing, System
from leaderboard.models.systems import Facts
from leaderboard.services.record import events
from leaderboard.services.text import build_models_text, build_search_text

_FACTS = tuple(field.attname for field in Facts._meta.fields)
# What a fact is called in the record; texts that are worked out from others have no name.
_WORDS = {
    "name": gettext_noop("name"),
    "model_names": gettext_noop("models"),
    "organisation": gettext_noop("organisation"),
    "interaction": gettext_noop("interaction"),
    "retrieval": gettext_noop("retrieval"),
    "reasoning": gettext_noop("reasoning"),
    "open_weights": gettext_noop("open weights"),
    "team_name": gettext_noop("team"),
    "source": gettext_noop("source"),
    "source_url": gettext_noop("source"),
}


def facts_for_standing(system: System) -> dict[str, Any]:
    """Return what a row says of its system, by the fields of a row."""
    team_name = system.team.name if system.team else ""
    models = system.model_names
    return {
        **{name: getattr(system, name) for name in _FACTS},
        "team_name": team_name,
        "source": system.source,
        "source_url": system.source_url,
        "models_text": build_models_text(models),
        "search": build_search_text(
            name=system.name, organisation=system.organisation, team_name=team_name, models=models
        ),
    }


def lock_systems(**chosen: Any) -> list[System]:
    """Return the systems, with their teams, locked in the order that everybody takes."""
    rows = System.objects.select_for_update(of=("self",), no_key=True).select_related("team")
    return list(rows.filter(**chosen).order_by("pk"))


@transaction.atomic
def update_standings(**chosen: Any) -> None:
    """Bring the rows of the chosen systems, which were changed, up to date, and record what changed.

    chosen: as in a filter of systems.
    """
    # All systems before the first board, as everywhere.
    systems = {system.pk: system for system in lock_systems(**chosen)}
    rows = Standing.objects.filter(system__in=systems).select_related("benchmark")
    for row in rows.defer("benchmark__question").order_by("benchmark_id", "system_id"):
        system = systems[row.system_id]
        told = facts_for_standing(system)
        changed = [name for name, value in told.items() if getattr(row, name) != value]
        if not changed:
            # Its own page shows more of it than a row does.
            events.touch(benchmark=row.benchmark)
            continue
        for name in changed:
            setattr(row, name, told[name])
        row.save(update_fields=changed)
        words = dict.fromkeys(_WORDS[name] for name in changed if name in _WORDS)
        events.record(
            benchmark=row.benchmark,
            action=BoardAction.FACTS,
            system=system,
            reason=", ".join(words),
            rows=[row],
        )
