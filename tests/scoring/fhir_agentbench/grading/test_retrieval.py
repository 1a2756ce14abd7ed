"""Retrieval metrics: every quirk of the official evaluator, with our own cases."""

from math import nan

import pytest

from wardboard.scoring.fhir_agentbench import ResourcesInvalid, RetrievalFigures, score_retrieval

TWO = {"Observation": ["a", "b"]}
PAIR = {"Medication": ["m"], "MedicationRequest": ["r"]}


def official(true, agent):
    figures = score_retrieval(true, agent)
    return figures.precision, figures.recall


def paper(true, agent):
    figures = score_retrieval(true, agent)
    return figures.precision_all_types, figures.recall_fraction


def test_a_value_that_is_not_an_object_retrieves_nothing():
    for agent in [None, nan, "", " ", "nan", "NaN", "null", "None", "[1]", [], ["a"], 7, {}]:
        assert score_retrieval(TWO, agent) == RetrievalFigures(None, 0.0, None, 0.0), agent
        assert score_retrieval({}, agent) == RetrievalFigures(1.0, 1.0, 1.0, 1.0), agent


def test_an_object_its_json_and_its_python_literal_are_the_same():
    for agent in [
        {"Observation": ["a", "b", "x", "y"]},
        '{"Observation": ["a", "b", "x", "y"]}',
        "{'Observation': ['a', 'b', 'x', 'y']}",
        "{'Observation': ('a', 'b', 'x', 'y')}",
        "  {'Observation': ['a', 'b', 'x', 'y'],}\n",
    ]:
        assert score_retrieval(TWO, agent) == RetrievalFigures(0.5, 1.0, 0.5, 1.0), agent


def test_text_that_is_not_a_literal_retrieves_nothing():
    for text in [
        "KeyError: 'entry'",
        "{'Observation': [",
        "{Observation: [a]}",
        "__import__('os')",
        "{" * 100_000,
    ]:
        assert official(TWO, text) == (None, 0.0), text


# What is shown; gold ids; retrieved ids; official precision and recall; those of the paper.
QUIRKS = [
    ("types", TWO, {"Observation": ["a", "b"], "Encounter": ["x", "y"]}, (1.0, 1.0), (0.5, 1.0)),
    ("all or nothing", TWO, {"Observation": ["a"]}, (1.0, 0.0), (1.0, 0.5)),
    ("twice", TWO, {"Observation": ["a", "a", "b", "x"]}, (0.75, 1.0), (2 / 3, 1.0)),
    ("gold twice", {"Observation": ["a", "a"]}, {"Observation": ["a"]}, (1.0, 1.0), (1.0, 1.0)),
    ("another gold type", PAIR, {"Medication": ["m", "r"]}, (1.0, 1.0), (0.5, 0.5)),
    ("errors", TWO, {"Observation": ["a", "b"], "error": ["no bundle"]}, (1.0, 1.0), (1.0, 1.0)),
    ("errors alone", {}, {"error": ["no bundle"], "Observation": None}, (1.0, 1.0), (1.0, 1.0)),
    ("spelling of a type", TWO, {"observation": ["a", "b"]}, (None, 0.0), (0.0, 0.0)),
    *(
        ("spelling of an id", {"Observation": ["a"]}, {"Observation": [spelt]}, (0.0, 0.0), (0.0, 0.0))
        for spelt in (" a", "A", "Observation/a")
    ),
    ("nothing to find", {}, {"Observation": ["x"]}, (1.0, 1.0), (0.0, None)),
    ("no gold", None, {"Observation": ["x"]}, (1.0, 1.0), (0.0, None)),
    ("a type without gold", {"Observation": []}, {"Observation": ["x"]}, (0.0, None), (0.0, None)),
    ("beside it", {"Observation": []}, {"Encounter": ["x"]}, (1.0, 1.0), (0.0, None)),
    ("none of it", {"Observation": []}, {"Observation": []}, (1.0, 1.0), (1.0, 1.0)),
    ("characters", TWO, {"Observation": "abcd"}, (0.5, 1.0), (None, 0.0)),
    ("keys", TWO, {"Observation": {"a": 1, "x": {}}}, (0.5, 0.0), (None, 0.0)),
    *(("no list", TWO, {"Observation": v}, (None, 0.0), (None, 0.0)) for v in (None, 0, 5, 1.5, True, False)),
    ("no text", TWO, {"Observation": ["a", "b", None, 1.5]}, (0.5, 1.0), (1.0, 1.0)),
    (
        "an object of another type",
        TWO,
        {"Observation": ["a", "b"], "Encounter": [{"id": "e"}, "x"]},
        (1.0, 1.0),
        (2 / 3, 1.0),
    ),
    ("a key twice", TWO, '{"Observation": ["a", "b"], "Observation": ["x"]}', (0.0, 0.0), (0.0, 0.0)),
]


def test_every_quirk_of_the_official_figures_is_kept_and_the_paper_has_none():
    for shown, true, agent, officially, by_the_paper in QUIRKS:
        assert official(true, agent) == officially, shown
        assert paper(true, agent) == by_the_paper, shown


def test_objects_and_lists_for_ids_are_refused_as_the_official_run_stops_there():
    for entry in [{"id": "a"}, ["a"]]:
        # Even after all true ids were found.
        for true, agent in [
            (TWO, ["a", entry]),
            ({"Observation": ["a"]}, ["a", entry]),
            ({"Observation": []}, [entry]),
        ]:
            with pytest.raises(ResourcesInvalid):
                score_retrieval(true, {"Observation": agent})
    assert issubclass(ResourcesInvalid, ValueError)
