"""Warnings about mistakes that run through a whole file: counted by record, reported once."""

from collections import Counter
from collections.abc import Mapping

from wardboard.scoring.fhir_agentbench.reading.codes import FhirCode
from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.messages import Phrase, phrase, phrase_n
from wardboard.scoring.reading.reports.fixes import Fix

# What is the same of all records with a code.
_SAYS: Mapping[FhirCode, Phrase] = {
    FhirCode.NOT_RUN: phrase("the question was not run: its record holds nothing, not even an error"),
    FhirCode.RESOURCES_UNKNOWN: phrase("what was retrieved is not stated"),
    FhirCode.PATIENTS_OUTSIDE: phrase("patients are named whom no question of the leaderboard is about"),
}


class SummaryWarnings:
    """The mistakes of a file, counted; each warning is placed at the first record with it, and names that."""

    def __init__(self) -> None:
        self._records = Counter[FhirCode]()
        self._first: dict[FhirCode, tuple[Findings, Phrase, Fix | None]] = {}

    def count(
        self, code: FhirCode, here: Findings, what: Phrase | None = None, fix: Fix | None = None
    ) -> None:
        """Count a record, at whose place `here` is. what: text on the first, by default its code’s."""
        self._records[code] += 1
        if code not in self._first:
            self._first[code] = here, what or _SAYS[code], fix

    def report(self, findings: Findings) -> None:
        """Add one warning for each kind of mistake."""
        for code, (first, what, fix) in self._first.items():
            message = phrase_n(
                "{what}; so in {n:,} record", "{what}; so in {n:,} records", self._records[code], what=what
            )
            findings.warning_first(code, first.base, message, line=first.line, fix=fix)
