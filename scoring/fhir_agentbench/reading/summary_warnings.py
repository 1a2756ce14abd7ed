"""Warnings about mistakes that run through a whole file: counted by record, reported once."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from wardboard.scoring.fhir_agentbench.reading.codes import FhirCode
from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.messages import Phrase, phrase, phrase_list, phrase_n
from wardboard.scoring.reading.problems import quote
from wardboard.scoring.reading.reports.fixes import Fix, change_value

_MOST_NAMED = 5  # spellings that a warning names
_MOST_PATIENTS = 1000  # patients that are counted; a hostile file can name many
_MOST_COLLECTED = 100  # a hostile file can misspell a type differently in every record
# Code -> the message on a number of records that have it.
_COUNTED: Mapping[FhirCode, Callable[[int], Phrase]] = {
    FhirCode.RUNNERS_SENTENCE: lambda count: phrase_n(
        "the answer of {n:,} record is a sentence of the runner, such as “No final answer reached …”",
        "the answers of {n:,} records are sentences of the runner, such as “No final answer reached …”",
        count,
    ),
    FhirCode.NOT_RUN: lambda count: phrase_n(
        "{n:,} question was not run: its record holds nothing, not even an error",
        "{n:,} questions were not run: their records hold nothing, not even an error",
        count,
    ),
    FhirCode.RESOURCES_UNKNOWN: lambda count: phrase_n(
        "{n:,} record does not state what was retrieved",
        "{n:,} records do not state what was retrieved",
        count,
    ),
}


@dataclass(slots=True)
class RecordMistakes:
    """The mistakes of one record.

    respelt_types: FHIR's spelling of each misspelt resource type. slashed_id: an id with a slash, or "".
    """

    respelt_types: dict[str, str] = field(default_factory=dict)
    slashed_id: str = ""


class SummaryWarnings:
    """The mistakes of a file, counted; each warning is placed at the first record with it."""

    def __init__(self) -> None:
        self._respelt_types: dict[str, str] = {}
        self._slashed_id = ""
        self._patients: set[str] = set()
        self._records = Counter[FhirCode]()
        self._first: dict[FhirCode, Findings] = {}

    def add(self, mistakes: RecordMistakes, here: Findings) -> None:
        """Count the mistakes of one record. here: the findings at the place of its resources."""
        if mistakes.respelt_types:
            self.count(FhirCode.TYPE_SPELLING, here)
            if len(self._respelt_types) < _MOST_COLLECTED:
                self._respelt_types |= mistakes.respelt_types
        if mistakes.slashed_id:
            self.count(FhirCode.ID_PREFIXED, here)
            self._slashed_id = self._slashed_id or mistakes.slashed_id

    def add_patients(self, outside: set[str], here: Findings) -> None:
        """Count the patients of one record who are not the board's. here: the place of the record."""
        if outside:
            self.count(FhirCode.PATIENTS_OUTSIDE, here)
            if len(self._patients) < _MOST_PATIENTS:
                self._patients |= outside

    def count(self, code: FhirCode, here: Findings) -> None:
        """Count a record, at whose place `here` is."""
        self._records[code] += 1
        self._first.setdefault(code, here)

    def report(self, findings: Findings) -> None:
        """Add one warning for each kind of mistake."""
        for code, of_records in _COUNTED.items():
            if records := self._records[code]:
                self._warn(code, of_records(records), findings)
        if records := self._records[FhirCode.ID_PREFIXED]:
            message = phrase_n(
                "ids such as “{id}” contain a slash, as FHIR references do; in {n:,} record",
                "ids such as “{id}” contain a slash, as FHIR references do; in {n:,} records",
                records,
                id=quote(self._slashed_id),
            )
            fix = change_value(self._slashed_id, self._slashed_id.rpartition("/")[2])
            self._warn(FhirCode.ID_PREFIXED, message, findings, fix)
        if records := self._records[FhirCode.TYPE_SPELLING]:
            spelt = self._spellings()
            message = phrase_n(
                "{spelt}; so in {n:,} record", "{spelt}; so in {n:,} records", records, spelt=spelt
            )
            # The place is that of the first record with such a type.
            self._warn(FhirCode.TYPE_SPELLING, message, findings)
        if records := self._records[FhirCode.PATIENTS_OUTSIDE]:
            if len(self._patients) < _MOST_PATIENTS:
                patients = phrase_n("{n:,} patient", "{n:,} patients", len(self._patients))
            else:
                patients = phrase("{most:,} patients or more", most=_MOST_PATIENTS)
            message = phrase_n(
                "{patients} whom no question of the leaderboard is about; in {n:,} record",
                "{patients} whom no question of the leaderboard is about; in {n:,} records",
                records,
                patients=patients,
            )
            self._warn(FhirCode.PATIENTS_OUTSIDE, message, findings)

    def _warn(self, code: FhirCode, message: Phrase, findings: Findings, fix: Fix | None = None) -> None:
        first = self._first[code]
        findings.warning_first(code, first.base, message, line=first.line, fix=fix)

    def _spellings(self) -> Phrase:
        spellings = [
            phrase("`{found}` is spelt `{right}` in FHIR", found=quote(found), right=right)
            for found, right in list(self._respelt_types.items())[:_MOST_NAMED]
        ]
        return phrase_list(spellings, more=len(self._respelt_types) > _MOST_NAMED)
