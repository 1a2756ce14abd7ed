"""Read the retrieved resources of a record, `agent_fhir_resources`, in each known form.

Source: FHIR-AgentBench evaluator: an object, the same as text in JSON or as a printed
Python value, or nothing.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from scoring.fhir_agentbench.reading.codes import FhirCode
from scoring.fhir_agentbench.reading.literals import LiteralInvalid, parse_literal, parse_plain
from scoring.fhir_agentbench.reading.summary_warnings import RecordMistakes
from scoring.reading.codes import DocumentCode
from scoring.reading.collector import Findings, Unreadable
from scoring.reading.documents import size
from scoring.reading.json_text import Repeated, object_of, repeated_key
from scoring.reading.messages import phrase
from scoring.reading.nesting import exceeded_limit
from scoring.reading.problems import quote

RESOURCES_FIELD = "agent_fhir_resources"
# The resource types that the questions need, in FHIR's spelling, to recognise misspelt ones.
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
_FHIR_SPELLING = {name.lower(): name for name in _TYPES} | {name.lower() + "s": name for name in _TYPES}
_EMPTY_TEXTS = ("", "nan")
_ERROR_KEY = "error"  # the runner's own list, not a type
_CONTAINERS = (dict, list, set)  # unhashable, so the official evaluator fails on them
_PLAIN = frozenset((str, int, float, bool))
# Built once: a hostile file needs one of these messages every few bytes.
_IDS_ARE_STRING = phrase("the ids are a string, of which each character counts as an id")
_IDS_ARE_OBJECT = phrase("the ids are an object, of which each key counts as an id")
_NOT_A_LIST = phrase("the ids are not a list; they are ignored")
_NESTED_ID = phrase("expected an id, found an object or a list")
_FIELD_IS_LIST = phrase(
    "`{field}` is a list, not an object; nothing counts as retrieved", field=RESOURCES_FIELD
)
_FIELD_IS_NUMBER = phrase(
    "`{field}` is a number, not an object; nothing counts as retrieved", field=RESOURCES_FIELD
)
_FIELD_IS_BOOLEAN = phrase(
    "`{field}` is true or false, not an object; nothing counts as retrieved", field=RESOURCES_FIELD
)
_NOT_TEXT = phrase("this is not text; it never matches a gold resource")


@dataclass(slots=True)
class LiteralParser:
    """Parse the values that a file holds as text, within one limit for all of them together."""

    characters_left: int  # characters that the slow parser of Python literals may still read

    def parse(self, text: str, findings: Findings) -> Any:
        """Return the value that `text` holds as JSON or as a printed Python value, else None.

        Raises Unreadable if the file holds more such text than its limits allow.
        """
        limits = findings.limits
        try:
            return json.loads(text, parse_constant=_parse_constant, object_pairs_hook=object_of)
        except (ValueError, RecursionError):
            pass
        try:
            if (plain := parse_plain(text, values=limits.containers)) is not None:
                return plain
            self.characters_left -= len(text)
            if self.characters_left < 0:
                message = phrase(
                    "the file holds more than {limit} of text that is not JSON in place of objects; the "
                    "rest was not read",
                    limit=size(limits.literals_bytes),
                )
                raise Unreadable(FhirCode.RESOURCES_TOO_LARGE, message)
            return parse_literal(text, values=limits.containers, check_time=findings.check_time)
        except LiteralInvalid:
            return None


def read_resources(
    value: Any, literals: LiteralParser, findings: Findings
) -> tuple[dict[str, Any] | None, RecordMistakes]:
    """Return the ids by type (None for nothing), and the mistakes to report once per file.

    Lists of text are returned as they are. A string and the keys of an object are kept, because the
    evaluator iterates over them. findings: at the record; problems and warnings are added to them.
    Raises Unreadable if the file has too much text in place of objects.
    """
    mistakes = RecordMistakes()
    by_type = _read_object(value, literals, findings)
    if by_type is None:
        return None, mistakes
    here = findings.at(RESOURCES_FIELD)
    if isinstance(by_type, Repeated):
        for key in sorted(by_type.repeated):
            here.warning(DocumentCode.DUPLICATE_KEY, (), repeated_key(key))
    resources = {}
    for kind, ids in by_type.items():
        findings.check_time()
        # A printed Python object can have keys of any kind; only text can be a resource type.
        name = str(kind)
        if name != _ERROR_KEY:
            resources[name] = _read_ids(ids, here.at(name), mistakes)
            if name not in _TYPES and (fhir_spelling := _FHIR_SPELLING.get(name.lower())):
                mistakes.respelt_types[name] = fhir_spelling
    return resources, mistakes


def _read_ids(ids: Any, here: Findings, mistakes: RecordMistakes) -> Any:
    """Return the ids of one type in the kept form; None for a value that is ignored."""
    if isinstance(ids, (list, tuple, set)):
        return _read_id_list(ids, here, mistakes)
    if isinstance(ids, str):
        here.warning(FhirCode.IDS_A_STRING, (), _IDS_ARE_STRING)
        return ids
    if isinstance(ids, dict):
        here.warning(FhirCode.IDS_AN_OBJECT, (), _IDS_ARE_OBJECT)
        return {str(key): None for key in ids}
    if ids is not None:
        here.warning(FhirCode.IDS_SKIPPED, (), _NOT_A_LIST)
    return None


def _read_id_list(ids: Iterable[Any], here: Findings, mistakes: RecordMistakes) -> Iterable[Any]:
    # A record can have thousands of ids: if all are text, no Python loop looks at each.
    kinds = set(map(type, ids))
    if kinds <= {str}:
        if not mistakes.slashed_id and "/" in "".join(ids):
            mistakes.slashed_id = next(item for item in ids if "/" in item)
        return ids
    if any(issubclass(kind, _CONTAINERS) for kind in kinds):
        position = next(n for n, item in enumerate(ids) if isinstance(item, _CONTAINERS))
        here.problem(FhirCode.NESTED_IDS, [position], _NESTED_ID)
    else:
        position = next(n for n, item in enumerate(ids) if not isinstance(item, str))
        here.warning(FhirCode.ID_NOT_TEXT, [position], _NOT_TEXT)
    return [item if type(item) in _PLAIN else None for item in ids]


def _read_object(value: Any, literals: LiteralParser, findings: Findings) -> dict[Any, Any] | None:
    """Return the object that `value` is, or holds as text; None if there is none."""
    if isinstance(value, dict):
        return value
    if isinstance(value, str):
        return _parse_object(value, literals, findings)
    if value is not None:
        message = (
            _FIELD_IS_LIST
            if isinstance(value, list)
            else _FIELD_IS_NUMBER
            if _is_number(value)
            else _FIELD_IS_BOOLEAN
        )
        findings.warning(FhirCode.NOT_RESOURCES, [RESOURCES_FIELD], message)
    return None


def _parse_object(value: str, literals: LiteralParser, findings: Findings) -> dict[Any, Any] | None:
    limits = findings.limits
    if len(value) > limits.literal_bytes:
        message = phrase("the text is longer than {limit}", limit=size(limits.literal_bytes))
        findings.problem(FhirCode.RESOURCES_TOO_LARGE, [RESOURCES_FIELD], message)
        return None
    if value.strip() in _EMPTY_TEXTS:
        return None
    if exceeded := exceeded_limit(value, limits):
        if exceeded is DocumentCode.TOO_DEEP:
            message = phrase("the text is nested more than {limit} levels deep", limit=limits.depth)
        else:
            message = phrase(
                "the text holds more than {limit:,} arrays, objects or values", limit=limits.containers
            )
        findings.problem(exceeded, [RESOURCES_FIELD], message)
        return None
    parsed = literals.parse(value, findings)
    if isinstance(parsed, dict):
        return parsed
    if parsed is not None or value.strip() not in ("null", "None", "NaN"):
        message = phrase("“{text}” holds no object; nothing counts as retrieved", text=quote(value))
        findings.warning(FhirCode.NOT_RESOURCES, [RESOURCES_FIELD], message)
    return None


def _parse_constant(name: str) -> None:
    """Read NaN and Infinity as null: they are neither ids nor usable numbers."""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
