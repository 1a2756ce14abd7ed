import json
from datetime import date, timedelta

import pytest
from django.utils import timezone
from hypothesis import settings
from hypothesis import strategies as st

from leaderboard.models import BoardEvent, Standing, System
from leaderboard.models.systems import CONDITIONS
from leaderboard.services.accounts import personal_team
from leaderboard.services.errors import FactsInvalid
from leaderboard.services.publishing.system_facts import (
    correct_system,
    facts_to_store,
    place_system,
    stored_facts,
)
from leaderboard.services.record.event_kinds import words_of
from tests.support.examples import examples, given
from tests.support.factories import make_facts, make_published, parse_facts

KEYS = ["system", "models", "organisation", "interaction", "retrieval", "reasoning", "open_weights"]
KEYS += ["code_url", "paper_url"]
IMAGE = f"sha256:{'9f' * 32}"
RUN = {
    "harness": "own-tools",
    "harness_name": "careful-loop 2",
    "tools": "FHIR search",
    "task_memory": "no",
    "trained_on_benchmark": "no",
    "cost_per_task": "0.042",
    "seconds_per_task": "12.5",
    "run_on": "2026-03-01",
    "fhir_image": IMAGE,
}

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
    st.sampled_from([*RUN.values(), "1e400", "nan", "-0", "0x10", "1_0", "٣", "9999-12-31", "2026-02-30"]),
)


def pointers(facts):
    with pytest.raises(FactsInvalid) as refused:
        parse_facts(facts)
    return {problem.pointer for problem in refused.value.problems}


def stated(**facts):
    """Return the values of stated facts by the fields of a system."""
    return parse_facts(make_facts(**facts)).values


def test_a_name_is_needed_and_has_120_characters_at_most():
    for key in ("system", "organisation"):
        parse_facts(make_facts(**{key: "é" * 120}))
        assert pointers(make_facts(**{key: "é" * 121})) == {f"/{key}"}
    for facts in ({}, {"system": None}, {"system": "  "}):
        assert pointers(facts) == {"/system"}


def test_control_characters_and_lone_surrogates_are_a_problem_of_their_fact():
    for key in (*KEYS, *CONDITIONS):
        for bad in ("a\x00b", "a\ud800b", "a\x1bb"):
            assert f"/{key}" in pointers(make_facts(**{key: bad})), bad


@given(facts=st.dictionaries(st.sampled_from([*KEYS, *CONDITIONS]), values))
@settings(max_examples=examples(150))
@pytest.mark.django_db
def test_any_stated_facts_are_stored_or_give_serialisable_problems(user, facts):
    problems = []
    try:
        parsed = parse_facts(facts)
    except FactsInvalid as error:
        problems = error.problems
    if problems:
        assert all(problem.hint for problem in problems)
        json.dumps([problem.as_dict() for problem in problems], ensure_ascii=False).encode()
    else:
        system, _ = place_system(team=personal_team(user), facts=parsed, by=user, is_valid=True)
        stored = System.objects.get(pk=system.pk)
        assert stored.name
        assert stored.cost_per_task is None or 0 <= stored.cost_per_task <= 10_000
        assert stored.seconds_per_task is None or 0 <= stored.seconds_per_task <= 86_400
        assert stored.run_on is None or stored.run_on >= date(2020, 1, 1)
        assert stored_facts(json.loads(json.dumps(facts_to_store(parsed)))) == parsed


def test_the_conditions_of_a_run_are_read_by_their_kinds_and_stay_unknown_where_not_stated():
    parsed = {
        **RUN,
        "task_memory": False,
        "trained_on_benchmark": False,
        "cost_per_task": 0.042,
        "seconds_per_task": 12.5,
        "run_on": date(2026, 3, 1),
    }
    assert parsed.items() <= stated(**RUN).items()
    for edge in ("0", "10000", "1e-5", 0, 10_000):
        assert stated(cost_per_task=edge)["cost_per_task"] == float(edge)
    facts = parse_facts(make_facts())
    assert not set(CONDITIONS) & {*facts.values, *facts_to_store(facts)}


# Of every fact, one wrong value is in api/test_api_every_fact.
WRONG = {
    "harness": ("Official", "rounds", "own tools", 7),
    "task_memory": ("perhaps", 2),
    "cost_per_task": (
        *("10000.01", "-1", "nan", "inf", "1e999", "$1", "1,5", True),
        *(-0.01, float("nan"), float("inf"), 10**400, [1]),
    ),
    "seconds_per_task": ("86401", "0x10", "12 s"),
    "run_on": ("2019-12-31", "2026-13-01", "1.3.2026", "20260301", 20260301),
    "fhir_image": ("9f" * 32, f"{IMAGE}0", IMAGE.upper(), f"sha1:{'9f' * 20}"),
}


@pytest.mark.parametrize("key", WRONG)
def test_a_wrong_condition_is_a_problem_of_its_field_with_a_fix(key):
    for wrong in WRONG[key]:
        with pytest.raises(FactsInvalid) as refused:
            parse_facts(make_facts(**{key: wrong}))
        (problem,) = refused.value.problems
        assert (problem.code, problem.pointer) == ("facts.invalid", f"/{key}"), wrong
        assert problem.hint


def test_a_run_may_be_of_today_in_any_time_zone_and_not_later():
    now = timezone.now()
    today = (now + timedelta(hours=13)).date().isoformat()
    assert stated(run_on=today)["run_on"]
    assert pointers(make_facts(run_on=(now + timedelta(days=2)).date().isoformat())) == {"/run_on"}


def test_what_was_stated_can_be_taken_back(demo, user, good_file):
    system = make_published(user, demo, good_file, **RUN).system
    keys = "cost_per_task, task_memory,run_on,harness,tools,models,open_weights"
    facts = parse_facts({"system": "Careful agent", "take_back": keys})
    assert stored_facts(json.loads(json.dumps(facts_to_store(facts)))) == facts
    correct_system(system_id=system.pk, team=system.team, facts=facts, by=user)
    system.refresh_from_db()
    row = Standing.objects.get(system=system)
    for known in (system, row):
        assert (known.cost_per_task, known.task_memory, known.run_on, known.open_weights) == (None,) * 4
        assert (known.harness, known.tools, known.model_names) == ("", "", [])
        # What was not named stays.
        assert (known.trained_on_benchmark, known.seconds_per_task) == (False, 12.5)
    event = BoardEvent.objects.latest("number")
    assert event.action == "facts"
    assert "cost of a task" in words_of(event)
    # What is not stated any more, or never was, changes nothing.
    number = BoardEvent.objects.count()
    correct_system(system_id=system.pk, team=system.team, facts=facts, by=user)
    assert BoardEvent.objects.count() == number


def test_only_facts_can_be_taken_back():
    for keys in ("system", "cost", "cost_per_task;tools", "name", 7, ["tools"]):
        assert pointers({"system": "S", "take_back": keys}) == {"/take_back"}
