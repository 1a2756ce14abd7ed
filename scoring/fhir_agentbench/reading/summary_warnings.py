"""Slips that run through a whole file: counted record by record, and said once."""

from collections import Counter
from dataclasses import dataclass, field

from scoring.fhir_agentbench.reading.codes import FhirCode
from scoring.reading.collector import Findings
from scoring.reading.messages import Said, say, say_list, say_n
from scoring.reading.problems import quote

_NAMED = 5  # spellings that a warning names
_KEPT = 100  # spellings that are kept at most: a hostile file can have one of its own in every record


@dataclass(slots=True)
class Slips:
    """What is to be said of one record. spelt: what FHIR spells a type that is spelt otherwise, by how it
    is spelt. slashed: an id with a slash, "" for none."""

    spelt: dict[str, str] = field(default_factory=dict)
    slashed: str = ""


class SlipCount:
    """Counts the slips of a file, of which the warnings stand at the first record that has them."""

    def __init__(self) -> None:
        self._spelt: dict[str, str] = {}
        self._slashed = ""
        self._records = Counter[FhirCode]()
        self._first: dict[FhirCode, Findings] = {}

    def add(self, slips: Slips, here: Findings) -> None:
        """here: the findings at the place of the resources."""
        if slips.spelt:
            self._count(FhirCode.TYPE_SPELLING, here)
            if len(self._spelt) < _KEPT:
                self._spelt |= slips.spelt
        if slips.slashed:
            self._count(FhirCode.ID_PREFIXED, here)
            self._slashed = self._slashed or slips.slashed

    def _count(self, code: FhirCode, here: Findings) -> None:
        self._records[code] += 1
        self._first.setdefault(code, here)

    def remark(self, findings: Findings) -> None:
        """Add a warning for each kind of slip."""
        if records := self._records[FhirCode.ID_PREFIXED]:
            message = say_n(
                "ids such as “{id}” have a slash, as references have; so in {n:,} record",
                "ids such as “{id}” have a slash, as references have; so in {n:,} records",
                records,
                id=quote(self._slashed),
            )
            self._warn(FhirCode.ID_PREFIXED, message, findings)
        if records := self._records[FhirCode.TYPE_SPELLING]:
            spelt = self._spellings()
            message = say_n(
                "{spelt}; so in {n:,} record", "{spelt}; so in {n:,} records", records, spelt=spelt
            )
            self._warn(FhirCode.TYPE_SPELLING, message, findings)

    def _warn(self, code: FhirCode, message: Said, findings: Findings) -> None:
        first = self._first[code]
        findings.warning_first(code, first.base, message, line=first.line)

    def _spellings(self) -> Said:
        shown = [
            say("`{found}` is spelt `{right}` in FHIR", found=quote(found), right=right)
            for found, right in list(self._spelt.items())[:_NAMED]
        ]
        return say_list(shown, more=len(self._spelt) > _NAMED)
