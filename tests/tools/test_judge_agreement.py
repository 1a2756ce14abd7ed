"""Measuring a judge against known verdicts, and the program for it."""

from tests.support.shared_data import FHIR_AGENTBENCH, needs_shared
from tools.judge_study.agreement import measure, read_pairs
from wardboard.scoring.fhir_agentbench.judge import RulesJudge


@needs_shared
def test_the_rules_reach_their_target_on_real_answers():
    pairs = (FHIR_AGENTBENCH / "judge_pairs_dev.ndjson").read_text().splitlines()
    careful = measure(read_pairs(pairs), RulesJudge())
    assert careful.judged.share_decided >= 0.9
    assert careful.judged.false_rejects == 0
    # The labels contradict the rubric on many denials of what is not there, so only the others count.
    others = [tally for kind, tally in careful.by_kind.items() if kind not in ("nothing", "null")]
    assert sum(tally.false_accepts for tally in others) <= 1
    assert careful.suspects == 0
