"""Copy the facts of systems to their standings, and keep the copies up to date."""

from typing import Any

from django.db import transaction
from django.utils.translation import gettext_noop

from leaderboard.models import BoardAction, Standing, System
from leaderboard.models.systems import Facts
from leaderboard.services.record import events
from leaderboard.services.text import build_models_text, build_search_text

_FACTS = tuple(field.attname for field in Facts._meta.fields)
# Names of facts in the public log; derived texts have none.
_NAMES = {
    "name": gettext_noop("name"),
    "model_names": gettext_noop("models"),
    "organisation": gettext_noop("organisation"),
    "interaction": gettext_noop("interaction"),
    "retrieval": gettext_noop("retrieval"),
    "reasoning": gettext_noop("reasoning"),
    "open_weights": gettext_noop("open weights"),
    "harness": gettext_noop("harness"),
    "harness_name": gettext_noop("harness"),
    "tools": gettext_noop("tools"),
    "task_memory": gettext_noop("memory of the tasks"),
    "trained_on_benchmark": gettext_noop("training on the benchmark"),
    "cost_per_task": gettext_noop("cost of a task"),
    "seconds_per_task": gettext_noop("time of a task"),
    "run_on": gettext_noop("date of the run"),
    "fhir_image": gettext_noop("image of the FHIR server"),
    "team_name": gettext_noop("team"),
    "source": gettext_noop("source"),
    "source_url": gettext_noop("source"),
}


def facts_for_standing(system: System) -> dict[str, Any]:
    """Return the facts of a system by the names of a standing's fields."""
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


def lock_systems(**lookup: Any) -> list[System]:
    """Lock the systems that match `lookup`, in the one order of locks; return them with teams."""
    rows = System.objects.select_for_update(of=("self",), no_key=True).select_related("team")
    return list(rows.filter(**lookup).order_by("pk"))


@transaction.atomic
def update_standings(**lookup: Any) -> None:
    """Copy the facts of changed systems to their standings, and log which facts changed.

    lookup: selects the systems, as in System.objects.filter.
    """
    # All systems are locked before the first leaderboard, as everywhere.
    systems = {system.pk: system for system in lock_systems(**lookup)}
    rows = Standing.objects.filter(system__in=systems).select_related("benchmark")
    for row in rows.defer("benchmark__question").order_by("benchmark_id", "system_id"):
        system = systems[row.system_id]
        facts = facts_for_standing(system)
        changed = [name for name, value in facts.items() if getattr(row, name) != value]
        if not changed:
            # The system's own page shows more facts than a standing has.
            events.touch(benchmark=row.benchmark)
            continue
        for name in changed:
            setattr(row, name, facts[name])
        row.save(update_fields=changed)
        names = dict.fromkeys(_NAMES[name] for name in changed if name in _NAMES)
        events.record(
            benchmark=row.benchmark,
            action=BoardAction.FACTS,
            system=system,
            reason=", ".join(names),
            rows=[row],
        )
