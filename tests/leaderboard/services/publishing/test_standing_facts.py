import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.models import System
from leaderboard.services.accounts import personal_team
from leaderboard.services.errors import FactsInvalid
from leaderboard.services.submissions.stated_facts import parse_facts, save_stated_system
from tests.support.factories import make_facts

KEYS = ["system", "models", "organisation", "interaction", "retrieval", "reasoning", "open_weights"]
KEYS += ["code_url", "paper_url"]

hostile_text = st.text(alphabet=st.characters(exclude_categories=()), max_size=130)
values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    hostile_text,
    st.lists(hostile_text, max_size=3),
    st.dictionaries(hostile_text, hostile_text, max_size=2),
    st.sampled_from(["", "query-generator", "code", "yes", "https://example.org/", "multi-turn"]),
)


def pointers(facts):
    with pytest.raises(FactsInvalid) as refused:
        parse_facts(facts)
    return {problem.pointer for problem in refused.value.problems}


@pytest.mark.parametrize("key", ["system", "organisation"])
def test_120_characters_pass_and_121_do_not(key):
    parse_facts(make_facts(**{key: "é" * 120}))
    assert pointers(make_facts(**{key: "é" * 121})) == {f"/{key}"}


def test_a_system_needs_a_name():
    for facts in ({}, {"system": None}, {"system": "  "}):
        assert pointers(facts) == {"/system"}


@pytest.mark.parametrize("bad", ["a\x00b", "a\ud800b", "a\x1bb"])
@pytest.mark.parametrize("key", KEYS)
def test_control_characters_and_lone_surrogates_are_a_problem_of_their_fact(key, bad):
    assert f"/{key}" in pointers(make_facts(**{key: bad}))


def test_every_wrong_fact_is_named_at_once():
    facts = make_facts(
        system="x" * 121,
        models=",".join(["m"] * 21),
        interaction="none",
        retrieval="telepathy",
        reasoning="?",
        open_weights="perhaps",
        code_url="not an address",
        paper_url="javascript:alert(1)",
    )
    assert pointers(facts) == {f"/{key}" for key in KEYS if key != "organisation"}


def test_models_are_a_list_or_a_text_with_commas():
    assert parse_facts(make_facts(models="a, b,,c ")).model_names == ("a", "b", "c")
    assert parse_facts(make_facts(models=["a, b", " c"])).model_names == ("a, b", "c")
    assert pointers(make_facts(models="m" * 121)) == {"/models"}


@pytest.mark.parametrize(
    ("stated", "expected"),
    [("yes", True), (True, True), ("0", False), (False, False), ("", None), ("unknown", None), (None, None)],
)
def test_open_weights_are_yes_no_or_unknown(stated, expected):
    assert parse_facts(make_facts(open_weights=stated)).open_weights is expected


@given(stated=st.dictionaries(st.sampled_from(KEYS), values))
@settings(max_examples=150)
@pytest.mark.django_db
def test_any_stated_facts_are_stored_or_give_serialisable_problems(user, stated):
    problems = []
    try:
        parsed = parse_facts(stated)
    except FactsInvalid as error:
        problems = error.problems
    if problems:
        assert all(problem.hint for problem in problems)
        json.dumps([problem.as_dict() for problem in problems], ensure_ascii=False).encode()
    else:
        system = save_stated_system(team=personal_team(user), facts=parsed, by=user)
        assert System.objects.get(pk=system.pk).name


@pytest.mark.parametrize("name", [True, 7, ["a"], {"a": 1}])
def test_a_name_that_is_not_text_is_one_problem(name):
    with pytest.raises(FactsInvalid) as refused:
        parse_facts(make_facts(system=name))
    assert [problem.pointer for problem in refused.value.problems] == ["/system"]


@pytest.mark.parametrize("models", [7, {"a": 1}, ["a", None], [["a"]]])
def test_models_that_are_not_text_are_a_problem(models):
    assert pointers(make_facts(models=models)) == {"/models"}
