"""Read the retrieved resources of a record, `agent_fhir_resources`, in each known form.

Source: FHIR-AgentBench evaluator: an object, the same as text in JSON or as a printed
Python value, or nothing.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wardboard.scoring.fhir_agentbench.reading.codes import FhirCode
from wardboard.scoring.fhir_agentbench.reading.fields import RESOURCES_FIELD
from wardboard.scoring.fhir_agentbench.reading.literals import LiteralInvalid, parse_literal, parse_plain
from wardboard.scoring.fhir_agentbench.reading.summary_warnings import SummaryWarnings
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.limits import size
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.nesting import complexity_message, is_too_complex
from wardboard.scoring.reading.problems import quote
from wardboard.scoring.reading.reports.fixes import Fix, change_value

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
_LARGEST_ID = 10**30  # of a number that a fix writes as text
_EMPTY_TEXTS = ("", "nan")
_ERROR_KEY = "error"  # the runner's own list, not a type
_PLAIN = frozenset((str, int, float, bool))
_ID = re.compile(r"[A-Za-z0-9.-]{1,64}")  # one id, not several in one text; source: FHIR, datatype id
# These messages are built once: a hostile file needs one every few bytes.
_NOT_A_LIST = phrase("the ids are not a list")
_NOT_AN_OBJECT = phrase("`{field}` is not an object; nothing counts as retrieved", field=RESOURCES_FIELD)
_AS_OBJECT = phrase('Write them as an object, not as text: {"Observation": ["<id>", ...]}.')
_EACH_AS_TEXT = phrase("Write each id as text, and leave out null.")
_NOT_TEXT = phrase("this is not text; it never matches a gold resource")


@dataclass(slots=True)
class LiteralParser:
    """A parser of the values that a file holds as text, with one limit for all of them together."""

    characters_left: int  # characters that the slow parser of Python literals may still read

    def parse(self, text: str, findings: Findings) -> Any:
        """Return the value that `text` holds as JSON or as a printed Python value, else None.

        Raises Unreadable if the file holds more such text than its limits allow.
        """
        limits = findings.limits
        try:
            # NaN and Infinity are null: they are neither ids nor usable numbers.
            return json.loads(text, parse_constant=lambda name: None)
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
                raise Unreadable(DocumentCode.TEXT_TOO_LARGE, message, hint=_AS_OBJECT)
            parsed = parse_literal(text, values=limits.containers, check_time=findings.check_time)
        except LiteralInvalid:
            return None
        return _with_lists(parsed) if isinstance(parsed, dict) else parsed


def read_resources(value: Any, findings: Findings, summary: SummaryWarnings) -> dict[str, Any] | None:
    """Return the ids by type; None for nothing.

    value: as parse_resources returns it where it is text. findings: at the record. summary: of the file, in
    which mistakes that run through it are counted.
    Lists of text are returned as they are. A string and the keys of an object are kept, because the
    evaluator iterates over them.
    """
    if not isinstance(value, dict):
        if value is not None:
            findings.warning(FhirCode.NOT_RESOURCES, [RESOURCES_FIELD], _NOT_AN_OBJECT)
        return None
    here = findings.at(RESOURCES_FIELD)
    resources = {}
    for name, ids in value.items():
        findings.check_time()
        if name != _ERROR_KEY:
            resources[name] = _read_ids(ids, here.at(name))
    _count_mistakes(resources, here, summary)
    return resources


def _count_mistakes(resources: Mapping[str, Any], here: Findings, summary: SummaryWarnings) -> None:
    """Count a record with a type or an id in another spelling than FHIR's, by the first of each."""
    respelt = (name for name in resources if name not in _TYPES and name.lower() in _FHIR_SPELLING)
    if name := next(respelt, None):
        right = _FHIR_SPELLING[name.lower()]
        message = phrase("`{found}` is spelt `{right}` in FHIR", found=quote(name), right=right)
        summary.count(FhirCode.TYPE_SPELLING, here, message)
    # A record can have thousands of ids: no Python loop looks at each unless one has a slash.
    lists = (ids for ids in resources.values() if isinstance(ids, list) and set(map(type, ids)) <= {str})
    if with_slash := next((ids for ids in lists if "/" in "".join(ids)), None):
        slashed = next(item for item in with_slash if "/" in item)
        message = phrase("ids such as “{id}” contain a slash, as FHIR references do", id=quote(slashed))
        fix = change_value(slashed, slashed.rpartition("/")[2])
        summary.count(FhirCode.ID_PREFIXED, here, message, fix)


def _read_ids(ids: Any, here: Findings) -> Any:
    """Return the ids of one type in the kept form; None for a value that is ignored."""
    if isinstance(ids, list):
        return _read_id_list(ids, here)
    if isinstance(ids, str):
        fix = change_value(ids, [ids]) if _ID.fullmatch(ids) else None
        here.warning(FhirCode.IDS, (), _NOT_A_LIST, fix=fix)
        return ids
    if ids is not None:
        here.warning(FhirCode.IDS, (), _NOT_A_LIST)
    return {str(key): None for key in ids} if isinstance(ids, dict) else None


def _read_id_list(ids: list[Any], here: Findings) -> list[Any]:
    kinds = set(map(type, ids))
    if kinds <= {str}:
        return ids
    # Objects and lists break the schema, and are reported already.
    if not any(issubclass(kind, dict | list | set) for kind in kinds):
        position = next(n for n, item in enumerate(ids) if not isinstance(item, str))
        here.warning(FhirCode.IDS, [position], _NOT_TEXT, _EACH_AS_TEXT, _as_text(ids[position]))
    return [item if type(item) in _PLAIN else None for item in ids]


def _as_text(value: Any) -> Fix | None:
    return change_value(value, str(value)) if type(value) is int and abs(value) < _LARGEST_ID else None


def parse_resources(value: str, literals: LiteralParser, findings: Findings) -> dict[str, Any] | None:
    """Return the object that the text of a record's resources holds; None if there is none.

    findings: at the record; problems and warnings are added to them.
    Raises Unreadable if the file has too much text in place of objects.
    """
    limits = findings.limits
    if len(value) > limits.literal_bytes:
        message = phrase("the text is longer than {limit}", limit=size(limits.literal_bytes))
        findings.problem(DocumentCode.TEXT_TOO_LARGE, [RESOURCES_FIELD], message, _AS_OBJECT)
        return None
    if value.strip() in _EMPTY_TEXTS:
        return None
    if is_too_complex(value, limits):
        findings.problem(DocumentCode.TOO_COMPLEX, [RESOURCES_FIELD], complexity_message(limits))
        return None
    parsed = literals.parse(value, findings)
    if isinstance(parsed, dict):
        return parsed
    if parsed is not None or value.strip() not in ("null", "None", "NaN"):
        message = phrase("“{text}” holds no object; nothing counts as retrieved", text=quote(value))
        findings.warning(FhirCode.NOT_RESOURCES, [RESOURCES_FIELD], message)
    return None


def _with_lists(value: dict[str, Any]) -> dict[str, Any]:
    """Return a printed Python object with lists in place of its tuples and sets.

    A tuple among the ids becomes None: as an id it is not text, but the official evaluator can hash it.
    """
    lists = {key: items for key, items in value.items() if isinstance(items, list | tuple | set)}
    return value | {
        key: [None if isinstance(item, tuple) else item for item in items] for key, items in lists.items()
    }
