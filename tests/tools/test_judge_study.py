"""The rules on answers in many forms, made by code, right and wrong ones, and what is stated of them."""

from collections import defaultdict

import pytest

from tests.support.paths import ROOT
from tools.judge_study.__main__ import stated
from tools.judge_study.make import Half, make_pairs
from tools.judge_study.styled import ENGLISH, Set, count, judge_answers, read_answers
from tools.judge_study.wording import FORMS
from wardboard.scoring.fhir_agentbench.judge import RulesJudge
from wardboard.scoring.fhir_agentbench.judge.agreement_text import measured_agreement

RULES = RulesJudge()
PER_FORM = 300


def verdict_on(pair):
    return RULES.judge(
        question=pair.question, assumption=None, true_answer=pair.true_answer, agent_answer=pair.answer
    ).correct


@pytest.fixture(scope="module", params=list(Half))
def verdicts_by_form(request):
    verdicts = defaultdict(list)
    for pair in make_pairs(request.param, per_form=PER_FORM):
        verdicts[pair.form].append((pair.right, verdict_on(pair)))
    return request.param, verdicts


def test_fewer_than_one_wrong_answer_in_a_hundred_is_accepted_in_every_form(verdicts_by_form):
    _, verdicts = verdicts_by_form
    accepted = {
        form: sum(verdict is True for right, verdict in pairs if not right)
        for form, pairs in verdicts.items()
    }
    assert set(accepted) == set(FORMS)
    assert {form: count for form, count in accepted.items() if count >= 0.01 * PER_FORM / 2} == {}


# In which the answer is marked, or all there is.
SHOWN = (
    *("terse", "sentence", "heading", "table of one row", "fenced JSON"),
    "with a unit",
)


def test_most_right_answers_are_decided_right_in_every_form_that_shows_them(verdicts_by_form):
    _, verdicts = verdicts_by_form
    shares = {
        form: sum(verdict is True for right, verdict in pairs if right) / (PER_FORM / 2)
        for form, pairs in verdicts.items()
    }
    assert {form: shares[form] for form in SHOWN if shares[form] < 0.88} == {}


def test_hardly_any_right_answer_is_called_wrong(verdicts_by_form):
    _, verdicts = verdicts_by_form
    rejected = sum(right and verdict is False for pairs in verdicts.values() for right, verdict in pairs)
    # "N/A", which the rules take for no answer.
    assert rejected <= 0.02 * len(FORMS) * PER_FORM / 2


def test_the_same_seed_makes_the_same_answers_and_another_seed_others():
    first, again = (make_pairs(Half.SEEN, per_form=12) for _ in range(2))
    assert first == again
    assert make_pairs(Half.SEEN, per_form=12, seed=2) != first


def test_no_answer_of_one_half_occurs_in_the_other():
    seen, held_out = ({pair.question for pair in make_pairs(half, per_form=60)} for half in Half)
    assert not seen & held_out


@pytest.fixture(scope="module")
def styled():
    return {which: judge_answers(read_answers(which), RULES) for which in Set}


def test_leaderboards_and_the_readme_state_what_is_measured_on_the_held_out_answers():
    measured = measured_agreement()
    assert stated() == measured
    text = " ".join((ROOT / "README.md").read_text().split())
    share = measured["decided_right"] / measured["right"]
    assert f"decides {share:.1%} of the right answers right" in text
    assert f"accepts {measured['wrong_accepted']} of {measured['wrong']} wrong ones" in text


def test_hardly_any_answer_that_the_rules_were_developed_with_is_decided_wrongly(styled):
    outcomes = count(styled[Set.DEVELOPMENT])
    assert outcomes.wrong > 400
    assert outcomes.wrongly_accepted < 0.005 * outcomes.wrong
    assert outcomes.wrongly_rejected <= 0.005 * outcomes.right


def test_no_right_answer_in_a_language_that_is_not_read_is_called_wrong(styled):
    others = [one for one in styled[Set.DEVELOPMENT] if one[0].language != ENGLISH]
    assert len({answer.language for answer, _ in others}) == 6
    assert count(others).wrongly_rejected == 0
