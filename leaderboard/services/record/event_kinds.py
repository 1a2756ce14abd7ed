"""The events whose data the service writes itself: what each kind holds, and its words.

The log makes the words when it shows them, in the language of the reader, so they can change at any time.
Kinds and keys cannot: the chain holds digests of them (`services.record.chain`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from leaderboard.models import BoardAction, BoardEvent
from leaderboard.services.rows.lead_rules import LeadRule
from leaderboard.services.text import join_names
from wardboard.scoring.facts import IN_ROWS

# Settings whose changes readers of the board should know of, with their names in the log.
SETTINGS = {
    "title": gettext_noop("title"),
    "question": gettext_noop("question"),
    "feedback": gettext_noop("feedback level"),
    "judge_mode": gettext_noop("judge"),
    "mixes_judges": gettext_noop("ranking across judges"),
    "access": gettext_noop("who may submit"),
    "daily_limit": gettext_noop("daily limit"),
    "monthly_limit": gettext_noop("monthly limit"),
    "revision_limit": gettext_noop("limit per revision of the reference answers"),
    "newcomer_limit": gettext_noop("limit before approval"),
    "publication_limit": gettext_noop("limit on publications"),
    "rounding": gettext_noop("rounding of new results"),
    LeadRule.RUNS.value: gettext_noop("least number of runs to be ranked"),
    LeadRule.TRACES.value: gettext_noop("trace of every answer required to be ranked"),
    LeadRule.HARNESS.value: gettext_noop("official harness required to be ranked"),
    LeadRule.ROUNDS.value: gettext_noop("most rounds of a task to be ranked"),
    LeadRule.OPEN.value: gettext_noop("most undecided answers to be ranked"),
    LeadRule.LINKS.value: gettext_noop("code or paper link, and contact required to be ranked"),
    LeadRule.COST.value: gettext_noop("cost per task required to be ranked"),
    "is_demo": gettext_noop("demonstration"),
    "unranked_lane_of": gettext_noop("unranked lane"),
    "public_traces": gettext_noop("public traces"),
    "data_class": gettext_noop("class of the data"),
    "benchmark": gettext_noop("declaration of the benchmark"),
    "zone": gettext_noop("time zone"),
    "opens_at": gettext_noop("opening"),
    "closes_at": gettext_noop("close"),
    "reveals_at": gettext_noop("reveal"),
    "files_of_system": gettext_noop("files of a system"),
    "pauses_board": gettext_noop("pause of the leaderboard"),
    "hides_names": gettext_noop("embargo of names"),
}
# Facts of a system whose changes readers should know of, likewise; texts derived from facts have no name.
FACTS = {
    **{fact.field: fact.log_name for fact in IN_ROWS},
    "team_name": gettext_noop("team"),
    "organisation_confirmed": gettext_noop("confirmation of the organisation"),
    "has_links": gettext_noop("links"),
    "source": gettext_noop("source"),
    "source_url": gettext_noop("source"),
}


@dataclass(frozen=True, slots=True)
class EventKind:
    """A kind of event.

    keys: of its data, beside `kind`: `changed` lists keys of SETTINGS or FACTS, `from` is an earlier name
    text: the words before the names of what changed; the values of the keys are filled in, `from` as `name`
    """

    action: BoardAction
    keys: tuple[str, ...]
    text: str = ""


NO_VALUE = "–"
_NAMED = ("from", "changed", "by_organiser")
KINDS = {
    "settings": EventKind(BoardAction.SETTINGS, ("changed",)),
    # rules, was: all of `LeadRules`, from then on and before, so that the rules of any time are known
    "rules": EventKind(BoardAction.SETTINGS, ("changed", "rules", "was")),
    # from: a string that rows state; to: the name of its model
    "model": EventKind(
        BoardAction.SETTINGS, ("from", "to"), gettext_noop("“%(name)s” is the model “%(to)s”")
    ),
    "facts": EventKind(BoardAction.FACTS, ("changed", "by_organiser")),
    "renamed": EventKind(BoardAction.FACTS, _NAMED, gettext_noop("renamed from “%(name)s”")),
    "team-renamed": EventKind(BoardAction.FACTS, _NAMED, gettext_noop("team renamed from “%(name)s”")),
    "account-deleted": EventKind(
        BoardAction.FACTS, ("changed", "by_organiser"), gettext_noop("account of the team deleted")
    ),
    # digest: the first digits of the commitment
    "references": EventKind(
        BoardAction.ACTIVATED,
        ("number", "digest"),
        gettext_noop("Rev. %(number)s"),
    ),
    # set_aside: ids of tasks. The reasons may have to be erased, so the revision has them, and no event.
    "references-set-aside": EventKind(
        BoardAction.ACTIVATED,
        ("number", "digest", "set_aside"),
        gettext_noop("Rev. %(number)s; tasks set aside: %(tasks)s"),
    ),
    # changes: of each field its name, and its values before and now in print
    "season": EventKind(BoardAction.SEASON, ("changes", "conditions")),
    # files: the digests of each entry and of its statement, "" for none; digest: of these lines, sorted
    "season-closed": EventKind(
        BoardAction.SEASON,
        ("entries", "digest", "files"),
        gettext_noop("closed; sealed systems: %(entries)s; digest %(digest)s"),
    ),
    "season-file-opened": EventKind(
        BoardAction.SEASON,
        ("sha256", "reason"),
        gettext_noop("an organiser opened the sealed file %(sha256)s: %(reason)s"),
    ),
    # named: file digests of the systems that a fault of the service kept from a score
    "season-revealed": EventKind(
        BoardAction.SEASON,
        ("entries", "named"),
        gettext_noop("revealed; systems: %(entries)s"),
    ),
    "result-added": EventKind(BoardAction.REPORTED, ("by_organiser",)),
    "result-added-without-rank": EventKind(
        BoardAction.REPORTED, ("by_organiser",), gettext_noop("without a rank")
    ),
    "result-corrected": EventKind(BoardAction.REPORTED, ("by_organiser",), gettext_noop("corrected")),
    "result-removed": EventKind(BoardAction.UNLISTED, ("reason", "by_organiser"), "%(reason)s"),
    "result-not-ranked": EventKind(
        BoardAction.UNLISTED,
        ("reason", "by_organiser"),
        gettext_noop("now listed without a rank: %(reason)s"),
    ),
}


def check(action: BoardAction, data: Mapping[str, Any]) -> None:
    """Raise ValueError for data that are not of a kind of `action`, or have other keys than it."""
    kind = KINDS.get(data["kind"])
    if kind is None or kind.action != action or data.keys() != {"kind", *kind.keys}:
        raise ValueError(f"An event {action} cannot hold {dict(data)}.")


def words_of_change(key: str, was: str, now: str) -> str:
    """Return the words for a changed setting with its values before and now."""
    values = _(now) if was == NO_VALUE else f"{_(was)} → {_(now)}"
    return f"{_(SETTINGS[key])}: {values}"


def words_of(event: BoardEvent) -> str:
    """Return what the log says of an event beside its figures, in the language of the reader."""
    data = event.data
    if data is None:
        return event.reason
    kind = KINDS.get(data["kind"])
    if kind is None:
        return ""  # of a later release, which serves beside this one during an upgrade
    values = {**data, "name": data.get("from"), "tasks": join_names(data.get("set_aside", ()))}
    first = [_(kind.text) % values] if kind.text else []
    names = {**SETTINGS, **FACTS}
    changed = dict.fromkeys(_(names.get(key, key)) for key in data.get("changed", ()))
    first += [words_of_change(*change) for change in data.get("changes", ())]
    words = join_names([*first, *changed])
    if not data.get("by_organiser"):
        return words
    return (_("%(changes)s (by an organiser)") % {"changes": words}).strip()
