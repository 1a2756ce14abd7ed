"""Apply what teams state about their systems, or keep it with a submission until that is published."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import transaction
from django.db.models import QuerySet, Value
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.models import AuditEvent, Board, Status, Submission, System, Team, User
from leaderboard.models.seasons import why_closed
from leaderboard.services import audit
from leaderboard.services.errors import FactsInvalid, NotFound, WrongState
from leaderboard.services.publishing.standings import lock_systems, save_changes, update_standings
from leaderboard.services.record.past import is_public
from leaderboard.services.rows.same_name import name_keys
from wardboard.scoring.facts import OF_SYSTEM, Kind, as_json
from wardboard.scoring.reading.problems import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFacts:
    """Facts about a system, by the fields of its model.

    values: the stated facts except the name; "" clears a fact, and a fact that is not in it keeps its value
    taken_back: the fields of known facts that are no longer stated
    """

    name: str
    values: Mapping[str, Any]
    taken_back: tuple[str, ...] = ()


def values_of(facts: StatedFacts) -> dict[str, Any]:
    """Return the fields of a system that the facts set, with those that are taken back as not stated."""
    unstated = System()
    taken_back = {name: getattr(unstated, name) for name in facts.taken_back}
    return {"name": facts.name, **facts.values, **taken_back}


def differing_facts(submission: Submission, facts: StatedFacts) -> tuple[bool, list[str]]:
    """Return whether the facts name another system than the submission's, and the fields that differ.

    They differ from what waits with the submission or, without that, from its system. A name is the same in
    every spelling that finds the system.
    """
    found = find_system(team=submission.team, name=facts.name)
    is_of_other = found is None or found.pk != submission.system_id
    waiting = submission.stated_facts
    current = vars(submission.system) | (values_of(stored_facts(waiting)) if waiting is not None else {})
    others = [name for name, value in values_of(facts).items() if current.get(name) != value]
    return is_of_other, [name for name in others if name != "name" or is_of_other]


def find_system(*, team: Team, name: str) -> System | None:
    """Return the team's system of that name: the one so written, in any case, else one that looks alike."""
    return _namesake(System.objects.filter(team=team), name)


def _namesake(systems: QuerySet[System], name: str) -> System | None:
    # The constraint uses Lower too: iexact compares in upper case, where “k” and the Kelvin sign differ.
    written = systems.alias(lower_name=Lower("name")).filter(lower_name=Lower(Value(name))).first()
    if written is not None:
        return written
    keys = name_keys(name)
    names = systems.order_by("pk").values_list("pk", "name")
    found = next((pk for pk, other in names.iterator() if not keys.isdisjoint(name_keys(other))), None)
    return None if found is None else systems.filter(pk=found).first()


def facts_to_store(facts: StatedFacts) -> dict[str, Any]:
    """Return the stated facts as JSON, for `stored_facts`."""
    stored = {name: as_json(value) for name, value in {"name": facts.name, **facts.values}.items()}
    return stored | ({"taken_back": list(facts.taken_back)} if facts.taken_back else {})


def stored_facts(stored: Mapping[str, Any]) -> StatedFacts:
    """Return the facts that a submission keeps until its file proves valid."""
    values = {
        fact.field: date.fromisoformat(value) if fact.kind is Kind.DAY else value
        for fact in OF_SYSTEM
        if not fact.is_required and (value := stored.get(fact.field)) is not None
    }
    return StatedFacts(name=stored["name"], values=values, taken_back=tuple(stored.get("taken_back", ())))


def place_system(
    *, team: Team, facts: StatedFacts, by: User, is_valid: bool | None
) -> tuple[System, list[str] | None]:
    """Return the team's system of that name, and the fields of it that wait with the submission.

    They wait until the file proves valid, and those of a public system until its result is published; None
    where nothing waits. A new system has the stated facts, and so has one that was never on a leaderboard.
    The caller holds the team's row locked, so that two uploads do not create the system twice.

    is_valid: whether the file is; None where that is not known yet. One that is rejected changes nothing.
    """
    system = find_system(team=team, name=facts.name)
    if system is None:
        return System.objects.create(team=team, **values_of(facts)), None
    if is_valid is False:
        return system, None
    if not is_valid or is_public(system.pk):
        waiting = list(_changes(system, _without_name(facts)))
        return system, waiting if waiting or not is_valid else None
    _save_changes(system, values_of(facts), by=by)
    return system, None


def apply_waiting_facts(submission: Submission, *, by: User) -> None:
    """Apply the facts that were stated with a submission, in the transaction that publishes it.

    They wait on where its system has no name for now, in a season.
    """
    if submission.stated_facts is None or submission.system.team_id is None:
        return
    facts = _without_name(stored_facts(submission.stated_facts))
    (system,) = lock_systems(pk=submission.system_id)
    _save_changes(system, facts, by=by)
    submission.system, submission.stated_facts = system, None
    submission.save(update_fields=["stated_facts"])


@transaction.atomic
def correct_system(*, system_id: int, team: Team | None, facts: StatedFacts, by: User) -> list[str]:
    """Change facts of a system, its name included, at once; return the changed fields.

    The log of each leaderboard of a public system states the change, and whether an organiser made it.
    team: whose system it must be; None for an organiser. The caller checks that the organiser may correct it.
    Raises NotFound, FactsInvalid.
    """
    # Lock submissions before systems, as everywhere.
    waiting = list(
        Submission.objects.filter(system=system_id, stated_facts__isnull=False)
        .select_for_update(of=("self",))
        .order_by("pk")
    )
    locked = lock_systems(pk=system_id, **({} if team is None else {"team": team}))
    if not locked:
        raise NotFound(_("You have no such system."))
    (system,) = locked
    sealed = Submission.objects.filter(system=system, status=Status.SEALED).select_related("board__season")
    if any(why_closed(one.board, timezone.now()) for one in sealed):
        message = _("It has a sealed file in a season that is closed.")
        hint = _("Correct its details once the season is revealed.")
        raise FactsInvalid([Problem(code="facts.sealed", pointer="/system", message=message, hint=hint)])
    values = values_of(facts)
    refuse_taken_name(system, values["name"])
    changed = _save_changes(system, values, by=by, is_by_organiser=team is None)
    # Corrected facts of unpublished submissions would undo the correction.
    for submission in waiting:
        stated = submission.stated_facts or {}
        kept = {name: None if name in changed else value for name, value in stated.items()}
        kept["taken_back"] = [name for name in stated.get("taken_back", ()) if name not in changed]
        submission.stated_facts = {**kept, "name": system.name}
        submission.save(update_fields=["stated_facts"])
    return changed


@transaction.atomic
def confirm_organisation(*, submission: Submission, seen: str, by: User, is_confirmed: bool) -> None:
    """Confirm that a team speaks for an organisation, in all its systems that state it, or take that back.

    seen: the name that the organiser read. Raises WrongState where the submission states another by now.
    """
    if not seen or seen != submission.stated_organisation:
        raise WrongState("The stated organisation has changed: look at it again.")
    team = Team.objects.select_for_update(no_key=True).get(pk=submission.team_id)
    if (seen in team.confirmed_organisations) == is_confirmed:
        return
    others = [name for name in team.confirmed_organisations if name != seen]
    team.confirmed_organisations = [*others, seen] if is_confirmed else others
    team.save(update_fields=["confirmed_organisations"])
    action = AuditEvent.Action(f"team.organisation-{'' if is_confirmed else 'un'}confirmed")
    audit.record(action, actor=by, submission=submission, organisation=seen)
    update_standings(is_by_organiser=True, team=team, organisation=seen)


def refuse_taken_name(system: System, name: str) -> None:
    """Raise FactsInvalid if another system of the same team or source has the name."""
    others = System.objects.filter(team=system.team_id, source=system.source).exclude(pk=system.pk)
    if _namesake(others, name) is not None:
        problem = Problem(
            code="facts.invalid",
            pointer="/system",
            message=_("Another system of yours has this name, or one that looks the same."),
            hint=_("Choose another name."),
        )
        raise FactsInvalid([problem])


def changes_of(system: System, facts: StatedFacts) -> dict[str, tuple[Any, Any]]:
    """Return what the facts would change of a system: field -> value now and then."""
    return _changes(system, values_of(facts))


def _without_name(facts: StatedFacts) -> dict[str, Any]:
    # Another spelling of a name finds the system; only a correction renames it.
    return {name: value for name, value in values_of(facts).items() if name != "name"}


def _changes(system: System, values: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    return {name: (was, now) for name, now in values.items() if (was := getattr(system, name)) != now}


def _save_changes(
    system: System, values: Mapping[str, Any], *, by: User, is_by_organiser: bool = False
) -> list[str]:
    changes = _changes(system, values)
    if save_changes(system, values):
        fields = {name: {"was": as_json(was), "now": as_json(now)} for name, (was, now) in changes.items()}
        # Log it for each board, so that all its organisers find what one of them changed.
        held = Submission.objects.filter(system=system).values("board")
        boards = Board.objects.without_references().filter(pk__in=held) if is_by_organiser else None
        for board in boards or [None]:
            audit.record(
                AuditEvent.Action.SYSTEM_CHANGED, actor=by, board=board, system=system.pk, fields=fields
            )
        update_standings(is_by_organiser=is_by_organiser, pk=system.pk)
    return list(changes)
