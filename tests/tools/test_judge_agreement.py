"""Measuring a judge against known verdicts, and the program for it."""

import json

from tests.support.shared_data import FHIR_AGENTBENCH, needs_shared
from tools.judge_study.agreement import Tally, measure, read_pairs
from wardboard.scoring.fhir_agentbench.judge import RulesJudge

PAIRS = FHIR_AGENTBENCH / "judge_pairs_dev.ndjson"


def pair(**changes):
    fields = {"question": "How many icu visits did patient 99990301 have?", "assumption": None}
    fields |= {"true_answer": "[[3]]", "agent_answer": "3 visits", "llm_verdict": 1, "error": None}
    return json.dumps({**fields, **changes})


def test_agreement_counts_each_way_to_disagree_and_apart_what_the_official_rules_settle():
    lines = [
        pair(form="bold"),
        pair(llm_verdict=0),
        pair(agent_answer="4", llm_verdict=1),
        pair(agent_answer="4", llm_verdict=0),
        pair(agent_answer="3 or 4"),
        "",
        pair(error="it broke", llm_verdict=0),
        pair(agent_answer=None, llm_verdict=0),
        pair(true_answer="[]", agent_answer="4", llm_verdict=0),
    ]
    result = measure(read_pairs(lines), RulesJudge())
    assert result.prechecked == Tally(both_wrong=2)
    assert result.judged == Tally(both_right=1, both_wrong=2, false_accepts=1, false_rejects=1, undecided=1)
    assert (result.judged.accuracy, result.judged.share_decided) == (0.6, 5 / 6)
    assert set(result.by_kind) == {"number", "nothing"}
    assert set(result.by_form) == {"bold"}


@needs_shared
def test_the_rules_reach_their_target_on_real_answers():
    careful = measure(read_pairs(PAIRS.read_text().splitlines()), RulesJudge())
    assert careful.judged.share_decided >= 0.9
    assert careful.judged.false_rejects == 0
    # The labels contradict the rubric on many denials of what is not there, so only the others count.
    others = [tally for kind, tally in careful.by_kind.items() if kind not in ("nothing", "null")]
    assert sum(tally.false_accepts for tally in others) <= 1
    assert careful.suspects == 0
