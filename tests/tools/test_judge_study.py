"""The rules on answers in many forms, made by code, right and wrong ones, and what is stated of them."""

from collections import defaultdict

import pytest

from tests.support.paths import ROOT
from tests.support.shared_data import FHIR_AGENTBENCH, needs_shared
from tools.judge_study.__main__ import stated
from tools.judge_study.agreement import measure, read_pairs
from tools.judge_study.make import Half, make_pairs
from tools.judge_study.styled import ENGLISH, Set, count, judge_answers, read_answers
from tools.judge_study.wording import FORMS
from wardboard.scoring.fhir_agentbench.judge import RulesJudge
from wardboard.scoring.fhir_agentbench.judge.agreement_text import measured_agreement

RULES = RulesJudge()
PER_FORM = 300
# In which the answer is marked, or all there is.
SHOWN = ("terse", "sentence", "heading", "table of one row", "fenced JSON", "with a unit")


@pytest.mark.parametrize("half", Half)
def test_in_every_form_hardly_any_answer_is_decided_wrongly_and_most_that_are_shown_are_decided(half):
    verdicts = defaultdict(list)
    for pair in make_pairs(half, per_form=PER_FORM):
        verdict = RULES.judge(
            question=pair.question, assumption=None, true_answer=pair.true_answer, agent_answer=pair.answer
        )
        verdicts[pair.form].append((pair.right, verdict.correct))
    counts = {
        form: (pairs.count((True, True)), pairs.count((True, False)), pairs.count((False, True)))
        for form, pairs in verdicts.items()
    }
    assert set(counts) == set(FORMS)
    half_of_form = PER_FORM / 2
    assert {form: wrong for form, (*_, wrong) in counts.items() if wrong >= 0.01 * half_of_form} == {}
    assert {form: counts[form] for form in SHOWN if counts[form][0] < 0.88 * half_of_form} == {}
    # "N/A", which the rules take for no answer.
    assert sum(rejected for _, rejected, _ in counts.values()) <= 0.02 * len(FORMS) * half_of_form


def test_leaderboards_and_the_readme_state_what_is_measured_on_the_held_out_answers():
    measured = measured_agreement()
    assert stated() == measured
    text = " ".join((ROOT / "README.md").read_text().split())
    share = measured["decided_right"] / measured["right"]
    assert f"decides {share:.1%} of the right answers right" in text
    assert f"accepts {measured['wrong_accepted']} of {measured['wrong']} wrong ones" in text


def test_hardly_any_answer_that_the_rules_were_developed_with_is_decided_wrongly():
    styled = judge_answers(read_answers(Set.DEVELOPMENT), RULES)
    outcomes = count(styled)
    assert outcomes.wrong > 400
    assert outcomes.wrongly_accepted < 0.005 * outcomes.wrong
    assert outcomes.wrongly_rejected <= 0.005 * outcomes.right
    # Nor is a right one called wrong that is in a language that is not read.
    others = [one for one in styled if one[0].language != ENGLISH]
    assert len({answer.language for answer, _ in others}) == 6
    assert count(others).wrongly_rejected == 0


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
