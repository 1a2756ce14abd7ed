"""The facts that a submitter states about a system."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Value
from django.db.models.functions import Lower
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.models import AuditEvent, System, Team, User
from leaderboard.services import audit
from leaderboard.services.errors import FactsInvalid
from leaderboard.services.publishing.standing_facts import update_standings
from leaderboard.services.text import has_hidden_characters, has_visible_character
from scoring.reading.problems import Problem, pointer, quote

_MAX_MODELS, _MAX_MODEL_NAME = 20, 120


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFacts:
    """Facts as stated; None where nothing was said, which leaves what is known of the system as it is."""

    name: str
    model_names: tuple[str, ...] | None = None
    organisation: str | None = None
    interaction: str | None = None
    retrieval: str | None = None
    reasoning: str | None = None
    open_weights: bool | None = None
    code_url: str | None = None
    paper_url: str | None = None


# What a field is called in requests, where that differs.
_KEYS = {"name": "system", "model_names": "models"}
_HINTS = {
    "name": gettext_lazy("Give the system a name of up to 120 characters."),
    "model_names": gettext_lazy(
        "Name the model or models it runs on, such as o4-mini; separate several with commas."
    ),
    "organisation": gettext_lazy("Up to 120 characters, or leave it out."),
    "interaction": gettext_lazy("One of: single-turn, multi-turn; or leave it out."),
    "retrieval": gettext_lazy("One of: query-generator, retriever, both, none; or leave it out."),
    "reasoning": gettext_lazy("One of: language, code; or leave it out."),
    "open_weights": gettext_lazy("true, false, or leave it out."),
    "code_url": gettext_lazy("A whole address that begins with https://, or leave it out."),
    "paper_url": gettext_lazy("A whole address that begins with https://, or leave it out."),
}
_WEIGHTS = {
    "": None,
    "unknown": None,
    "true": True,
    "yes": True,
    "1": True,
    "false": False,
    "no": False,
    "0": False,
}


def parse_facts(said: Mapping[str, Any]) -> StatedFacts:
    """Return the facts in `said`, whose key for the name is `system`.

    Values are text (`models` may also be a list of texts). Raises FactsInvalid with every problem.
    """
    problems: list[Problem] = []
    values: dict[str, Any] = {}
    for field in fields(StatedFacts):
        key = _KEYS.get(field.name, field.name)
        value = said.get(key)
        if field.name != "open_weights" and not _is_said_right(field.name, value):
            problems.append(_problem(key, field.name, _("It is not a text.")))
            value = None
        if field.name == "model_names":
            value = _models(value)
        elif field.name == "open_weights" and value is not None and not isinstance(value, bool):
            word = str(value).strip().lower()
            if word not in _WEIGHTS:
                problems.append(
                    _problem(
                        key, "open_weights", _("“%(word)s” is neither yes nor no.") % {"word": quote(word)}
                    )
                )
            value = _WEIGHTS.get(word)
        elif isinstance(value, str):
            value = value.strip()
        for text in value if isinstance(value, tuple) else (value,):
            if isinstance(text, str) and has_hidden_characters(text):
                problems.append(_problem(key, field.name, _("It holds control or invisible characters.")))
                value = None if field.name != "name" else "?"
                break
        values[field.name] = value
    facts = StatedFacts(**{**values, "name": values["name"] or ""})
    problems.extend(_check(facts, already={p.pointer for p in problems}))
    if problems:
        raise FactsInvalid(problems)
    return facts


def _is_said_right(field: str, value: Any) -> bool:
    if field == "model_names" and isinstance(value, (list, tuple)):
        return all(isinstance(part, str) for part in value)
    return value is None or isinstance(value, str)


def _models(value: str | list[str] | None) -> tuple[str, ...] | None:
    if value is None:
        return None
    parts = value.split(",") if isinstance(value, str) else value
    return tuple(part.strip() for part in parts if part.strip())


def _problem(key: str, field: str, message: str) -> Problem:
    return Problem(code="facts.invalid", pointer=pointer(key), message=message, hint=str(_HINTS[field]))


def _check(facts: StatedFacts, already: set[str]) -> list[Problem]:
    found = []
    if facts.model_names is not None and (
        len(facts.model_names) > _MAX_MODELS or any(len(name) > _MAX_MODEL_NAME for name in facts.model_names)
    ):
        message = _("More than %(models)s models, or a name of more than %(characters)s characters.") % {
            "models": _MAX_MODELS,
            "characters": _MAX_MODEL_NAME,
        }
        found.append(_problem("models", "model_names", message))
    if facts.name and not has_visible_character(facts.name):
        found.append(_problem(_KEYS["name"], "name", _("It holds nothing that can be seen.")))
    for key, address in (("code_url", facts.code_url), ("paper_url", facts.paper_url)):
        # The field itself takes ftp too. What is no address at all, it finds below.
        if address and address.lower().startswith(("ftp:", "ftps:")):
            found.append(_problem(key, key, _("It is not an address of the web.")))
    system = System(source="checked without a team")
    _apply(system, facts)
    try:
        # Fields only: that the name is free is the database's to say, when the row is written.
        system.clean_fields(exclude=["team", "model_names", "source_url"])
    except ValidationError as error:
        for field, messages in error.message_dict.items():
            key = _KEYS.get(field, field)
            if pointer(key) not in already:
                found.append(_problem(key, field, " ".join(messages)))
    return found


def _apply(system: System, facts: StatedFacts) -> dict[str, Any]:
    """Set what was said on `system`; return the fields that changed, each with both its values."""
    changed = {}
    for field in fields(facts):
        value = getattr(facts, field.name)
        if field.name == "model_names" and value is not None:
            value = list(value)
        # An empty text is said, and clears the fact; None is not said.
        was = getattr(system, field.name)
        if value is not None and was != value:
            setattr(system, field.name, value)
            changed[field.name] = {"was": was, "now": value}
    return changed


def save_stated_system(*, team: Team, facts: StatedFacts, by: User) -> System:
    """Return the team's system of that name with the stated facts, made or changed as needed.

    The caller holds the team's row locked, so that two uploads do not make it twice.
    """
    # Lower, as in the constraint: iexact compares in upper case, where “k” and the Kelvin sign differ.
    systems = System.objects.filter(team=team).annotate(low=Lower("name"))
    system = systems.filter(low=Lower(Value(facts.name))).first()
    if system is None:
        system = System(team=team)
        _apply(system, facts)
        system.save()
        return system
    changed = _apply(system, facts)
    if changed:
        system.save(update_fields=changed)
        audit.record(AuditEvent.Action.SYSTEM_CHANGED, actor=by, system=system.pk, fields=changed)
        update_standings(pk=system.pk)
    return system
