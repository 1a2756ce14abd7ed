"""Measure the judges of FHIR-AgentBench for the organiser's command, with a table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wardboard.scoring.fhir_agentbench.judge.agreement import Agreement, Pair, Tally, measure, read_pairs
from wardboard.scoring.fhir_agentbench.judge.rules import RulesJudge
from wardboard.scoring.judging import Judge

_HEAD = (
    f"{'':<28}{'pairs':>7}{'decided':>9}{'share':>8}{'agree':>8}{'95% interval':>16}{'kappa':>8}"
    f"{'false +':>9}{'false -':>9}"
)


@dataclass(frozen=True, slots=True)
class AgreementTable:
    """The figures of one judge. Documented in wardboard.scoring.judging.MeasuredAgreement."""

    agreement: Agreement

    def as_json(self) -> Mapping[str, Any]:
        return self.agreement.as_json()

    def as_table(self, name: str) -> str:
        agreement = self.agreement
        rows = [
            f"{agreement.judge}, {name}",
            _HEAD,
            *[_row(kind, tally) for kind, tally in sorted(agreement.by_kind.items())],
            *[_row(form, tally) for form, tally in agreement.by_form.items()],
            _row("all judged", agreement.judged),
            _row("settled before", agreement.prechecked),
            f"suspect: {agreement.suspects}",
        ]
        return "\n".join(rows) + "\n"


class FhirAgreementStudy:
    """Documented in wardboard.scoring.judging.AgreementStudy."""

    def read(self, lines: Iterable[str]) -> Sequence[Pair]:
        return read_pairs(lines)

    def rules_judge(self) -> Judge:
        return RulesJudge()

    def measure(self, pairs: Sequence[Pair], judge: Judge) -> AgreementTable:
        return AgreementTable(measure(pairs, judge))


def _row(name: str, tally: Tally) -> str:
    shares = [
        "-" if share is None else f"{share:.3f}"
        for share in (tally.share_decided, tally.accuracy, tally.kappa)
    ]
    interval = "-" if tally.interval is None else "{:.3f} to {:.3f}".format(*tally.interval)
    return (
        f"{name:<28}{tally.pairs:>7}{tally.decided:>9}{shares[0]:>8}{shares[1]:>8}{interval:>16}{shares[2]:>8}"
        f"{tally.false_accepts:>9}{tally.false_rejects:>9}"
    )
