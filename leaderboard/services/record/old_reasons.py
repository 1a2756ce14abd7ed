"""Read the prose that earlier releases wrote into events; no other code parses sentences.

An event of today holds data (`services.record.event_kinds`). These patterns stay as they are, because old
events do. Anyone who changes the English name of a setting or a fact keeps the earlier one here, in
`gettext_noop`, so that old events are still translated.
"""

import re
from typing import Any

from leaderboard.models import BoardAction

_BY_ORGANISER = " (by an organiser)"
_NAMED = re.compile(
    r"(?P<what>renamed from|team renamed from|handed over by the team) “(?P<name>.*)”"
    r"(?:, (?P<others>[^“”]*))?"
)
_KINDS = {
    "renamed from": "renamed",
    "team renamed from": "team-renamed",
    "handed over by the team": "handed-over",
}
_ACTIVATED = re.compile(r"Rev\. (?P<number>\d+), (?:commitment (?P<commitment>[0-9a-f]+)|sha256 [0-9a-f]+)")


def read_old_reason(action: str, reason: str) -> dict[str, Any] | None:
    """Return the data of an event by its prose; None for the words of people.

    Changed settings and facts are named as the prose names them, in English.
    """
    match action:
        case BoardAction.SETTINGS:
            return {"kind": "settings", "changed": _split(reason)}
        case BoardAction.FACTS:
            return _read_facts(reason)
        case BoardAction.ACTIVATED if match := _ACTIVATED.fullmatch(reason):
            if match["commitment"]:
                return {"kind": "references", "number": int(match["number"]), "digest": match["commitment"]}
            # Before there were commitments, the service wrote a digest that guesses could be compared with.
            return {"kind": "references-before-commitments", "number": int(match["number"])}
    return None


def _read_facts(reason: str) -> dict[str, Any]:
    changes = reason.removesuffix(_BY_ORGANISER)
    by_organiser = changes != reason
    if match := _NAMED.fullmatch(changes):
        kind, changed = _KINDS[match["what"]], _split(match["others"] or "")
        return {"kind": kind, "from": match["name"], "changed": changed, "by_organiser": by_organiser}
    # “account of the team deleted” stands among the names of facts.
    return {"kind": "facts", "changed": _split(changes), "by_organiser": by_organiser}


def _split(names: str) -> list[str]:
    return [name for name in names.split(", ") if name]
