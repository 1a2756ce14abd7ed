"""Which answers match which references, by each kind."""

import json
import time

import pytest

from tests.support.scoring.declared_samples import declared, graded, truth
from wardboard.scoring.declared.matching import Matcher, extract

WITHIN, CHOICE = {"kind": "number", "relative": 0.05, "absolute": 0.1}, {"kind": "choice", "letters": "ABCDE"}
ANY = {"kind": "normalised", "any_of": True}
OPTIONS = ["B", "(b)", "**B**", "B) aspirin", "B."]


@pytest.mark.parametrize(
    ("match", "gold", "right", "wrong", "unread"),
    [
        ({"kind": "exact"}, "Heart", [" Heart\n", ["Heart"]], ["heart"], [{}, ["a", "b"]]),
        ({"kind": "normalised"}, "the heart", ["A HEART.", "\uff28eart"], ["hearts"], ["...", []]),
        (
            {"kind": "number"},
            "1,000.5",
            [1000.5, "= 1,000.50 mg"],
            ["-1,000.5"],
            ["5 of 6", "12,34", "v2", "1e9999"],
        ),
        (WITHIN, 0.3, ["0.4", 0.2, "3e-1"], ["0.41"], [True, "1.2.3"]),
        (WITHIN, "100", ["105", "95 mL"], ["105.1"], ["120/80"]),
        (CHOICE, "b", OPTIONS, ["A"], ["A patient", "F", "answer: B", "BC"]),
        ({"kind": "set"}, ["Aspirin", "Iron"], ["iron, the aspirin", ["Iron", "Aspirin"]], ["iron"], [" , "]),
        (ANY, ["New York", "NYC"], ["nyc!", "the New York"], ["York"], []),
        (ANY, "NYC|LA", ["la"], ["NYC|LA"], []),
    ],
)
def test_an_answer_is_right_or_wrong_or_has_not_the_form(match, gold, right, wrong, unread):
    benchmark = declared(match=match)
    references = truth(benchmark, json.dumps({"id": 1, "gold": gold}).encode()).references
    reasons = {"right-by-rules": right, "wrong-by-rules": wrong, "wrong-not-text": unread}
    for reason, answer in ((reason, answer) for reason, answers in reasons.items() for answer in answers):
        card = graded(benchmark, json.dumps([{"id": "1", "answer": answer}]).encode(), references)
        assert card.verdicts["1"].reason == reason, answer


def test_the_f1_is_that_of_squad_and_of_the_nearest_reference():
    matcher = Matcher({"match": ANY})
    cases = {"The red car": (["a red car"], 1), "red red": (["red"], 2 / 3), "": (["red"], 0)}
    for answer, (gold, f1) in {**cases, "blue": (["red", "light blue"], 2 / 3)}.items():
        assert matcher.token_f1(answer, gold) == pytest.approx(f1), answer


def test_a_pattern_takes_the_last_place_and_a_time_that_grows_with_the_text():
    assert extract(r"([\d.]+)", "1 and 22.5 \ud800") == "22.5"
    assert extract(r"(\d*)", "none") is None
    started = time.monotonic()
    assert extract("(?:x+x+)+(y)", "x" * 1_000_000) is None
    assert extract("(a)(?:.*b)?", "a" * 1_000_000) == "a"
    assert time.monotonic() - started < 2
