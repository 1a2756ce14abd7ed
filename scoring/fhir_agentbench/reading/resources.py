"""Reading `agent_fhir_resources`: what was retrieved, in whichever form it was written.

Source: FHIR-AgentBench, its evaluator (specification 3): an object, the same as text in JSON or as a
printed Python value, or nothing.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from scoring.fhir_agentbench.reading.codes import FhirCode
from scoring.fhir_agentbench.reading.literals import LiteralInvalid, parse_literal, parse_plain
from scoring.fhir_agentbench.reading.summary_warnings import Slips
from scoring.reading.codes import DocumentCode
from scoring.reading.collector import Findings, Unreadable
from scoring.reading.documents import size
from scoring.reading.json_text import Repeated, object_of, repeated_key
from scoring.reading.limits import Limits
from scoring.reading.messages import say
from scoring.reading.nesting import limit_passed
from scoring.reading.problems import quote

FIELD = "agent_fhir_resources"
# What the benchmark's questions need, spelt as FHIR does, to tell a slip from a type of no use here.
_TYPES = (
    "Condition",
    "Encounter",
    "Location",
    "Medication",
    "MedicationAdministration",
    "MedicationDispense",
    "MedicationRequest",
    "Observation",
    "Patient",
    "Procedure",
    "Specimen",
)
_SPELT = {name.lower(): name for name in _TYPES} | {name.lower() + "s": name for name in _TYPES}
_NOTHING = ("", "nan")
_NAMED_ERROR = "error"  # the runner's own list, not a type
_NESTED = (dict, list, set)  # what cannot be looked up, and stops the evaluator
_PLAIN = frozenset((str, int, float, bool))
# Made once: a hostile file earns these for every few bytes.
_A_STRING = say("the ids are a string, of which each character counts as an id")
_AN_OBJECT = say("the ids are an object, of which each key counts as an id")
_NO_LIST = say("the ids are no list; they are passed over")
_NESTED_ID = say("an object or a list stands in place of an id")
_LIST = say("`{field}` is a list, no object; nothing counts as retrieved", field=FIELD)
_NUMBER = say("`{field}` is a number, no object; nothing counts as retrieved", field=FIELD)
_TRUE_OR_FALSE = say("`{field}` is true or false, no object; nothing counts as retrieved", field=FIELD)
_NO_TEXT = say("this is not text; no true id is equal to it")


@dataclass(slots=True)
class Literals:
    """Parses the values that a file holds as text, within limits on all of them together."""

    left: int  # characters that may still be read by what is not a parser of JSON

    def parse(self, text: str, limits: Limits) -> Any:
        """Return what `text`, within `limits`, holds as JSON or as a printed Python value, else None.

        Raises Unreadable where the file holds more of this than it may.
        """
        try:
            return json.loads(text, parse_constant=_constant, object_pairs_hook=object_of)
        except (ValueError, RecursionError):
            pass
        try:
            if (plain := parse_plain(text, values=limits.containers)) is not None:
                return plain
            self.left -= len(text)
            if self.left < 0:
                message = say(
                    "the file holds more than {limit} of text that is not JSON in place of objects; "
                    "what follows was not read",
                    limit=size(limits.literals_bytes),
                )
                raise Unreadable(FhirCode.RESOURCES_TOO_LARGE, message)
            return parse_literal(text, values=limits.containers)
        except LiteralInvalid:
            return None


def read_resources(value: Any, literals: Literals, findings: Findings) -> tuple[dict[str, Any] | None, Slips]:
    """Return ids by type, None for nothing, and the slips that are to be said once for the whole file.

    Lists of text are returned as they are. What the evaluator makes something else of is kept as it needs
    it: a string, and the keys of an object. findings: at the record, to which remarks are added.
    Raises Unreadable where the file has too much text in place of objects.
    """
    slips = Slips()
    found = _object(value, literals, findings)
    if found is None:
        return None, slips
    here = findings.at(FIELD)
    if isinstance(found, Repeated):
        for key in sorted(found.repeated):
            here.warning(DocumentCode.DUPLICATE_KEY, (), repeated_key(key))
    resources = {}
    for kind, ids in found.items():
        # A printed Python object can have keys of any kind; none but text is a type.
        name = str(kind)
        if name != _NAMED_ERROR:
            resources[name] = _ids(ids, here.at(name), slips)
            if name not in _TYPES and (right := _SPELT.get(name.lower())):
                slips.spelt[name] = right
    return resources, slips


def _ids(ids: Any, here: Findings, slips: Slips) -> Any:
    """Return the ids of one type as they are kept; None for a value that is passed over."""
    if isinstance(ids, (list, tuple, set)):
        return _list(ids, here, slips)
    if isinstance(ids, str):
        here.warning(FhirCode.IDS_A_STRING, (), _A_STRING)
        return ids
    if isinstance(ids, dict):
        here.warning(FhirCode.IDS_AN_OBJECT, (), _AN_OBJECT)
        return {str(key): None for key in ids}
    if ids is not None:
        here.warning(FhirCode.IDS_SKIPPED, (), _NO_LIST)
    return None


def _list(ids: Iterable[Any], here: Findings, slips: Slips) -> Iterable[Any]:
    # A record can have thousands of ids: where all are text, none is looked at by a loop in Python.
    kinds = set(map(type, ids))
    if kinds <= {str}:
        if not slips.slashed and "/" in "".join(ids):
            slips.slashed = next(one for one in ids if "/" in one)
        return ids
    if any(issubclass(kind, _NESTED) for kind in kinds):
        position = next(n for n, one in enumerate(ids) if isinstance(one, _NESTED))
        here.problem(FhirCode.NESTED_IDS, [position], _NESTED_ID)
    else:
        position = next(n for n, one in enumerate(ids) if not isinstance(one, str))
        here.warning(FhirCode.ID_NOT_TEXT, [position], _NO_TEXT)
    return [one if type(one) in _PLAIN else None for one in ids]


def _object(value: Any, literals: Literals, findings: Findings) -> dict[Any, Any] | None:
    """Return the object that `value` is or holds as text, None where there is none."""
    if isinstance(value, dict):
        return value
    if isinstance(value, str):
        return _object_of_text(value, literals, findings)
    if value is not None:
        message = _LIST if isinstance(value, list) else _NUMBER if _is_number(value) else _TRUE_OR_FALSE
        findings.warning(FhirCode.NOT_RESOURCES, [FIELD], message)
    return None


def _object_of_text(value: str, literals: Literals, findings: Findings) -> dict[Any, Any] | None:
    limits = findings.limits
    if len(value) > limits.literal_bytes:
        message = say("the text is longer than {limit}", limit=size(limits.literal_bytes))
        findings.problem(FhirCode.RESOURCES_TOO_LARGE, [FIELD], message)
        return None
    if value.strip() in _NOTHING:
        return None
    if passed := limit_passed(value, limits):
        if passed is DocumentCode.TOO_DEEP:
            message = say("the text is nested more than {limit} levels deep", limit=limits.depth)
        else:
            message = say(
                "the text holds more than {limit:,} arrays, objects or values", limit=limits.containers
            )
        findings.problem(passed, [FIELD], message)
        return None
    parsed = literals.parse(value, limits)
    if isinstance(parsed, dict):
        return parsed
    if parsed is not None or value.strip() not in ("null", "None", "NaN"):
        message = say("“{text}” holds no object; nothing counts as retrieved", text=quote(value))
        findings.warning(FhirCode.NOT_RESOURCES, [FIELD], message)
    return None


def _constant(name: str) -> None:
    """NaN and Infinity are neither ids nor figures of any use."""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
