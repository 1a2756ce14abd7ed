"""Put values into words, in many forms."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tools.judge_study.facts import KINDS, Fact, Vocabulary, make_value

_FOLDER = Path(__file__).with_name("wordings")
# Form of an answer -> the kinds of truth that have it.
FORMS: Mapping[str, Sequence[str]] = {
    "terse": KINDS,
    "sentence": KINDS,
    "reasoning first": KINDS,
    "steps, then a final answer": KINDS,
    "heading": KINDS,
    "bold": KINDS,
    "table of one row": KINDS,
    "fenced JSON": KINDS,
    "with a unit": ("number",),
    "range beside the value": ("number",),
    "other numbers before": KINDS,
    "explained afterwards": KINDS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Hold one way to put values into words, from a file of `wordings/`.

    In `sentences` of numbers, what follows a stroke is for measured values. Braces: value, topic, p
    (patient), y (year), decoy (another value), sentence, json, unit, low, high, many, few.
    """

    words: Vocabulary
    sentences: Mapping[str, Sequence[str]]
    short_none: Sequence[str]
    reasons: Sequence[str]
    steps: Sequence[str]
    conclusions: Sequence[str]
    markers: Sequence[str]
    headings: Sequence[str]
    bold: Sequence[str]
    tables: Sequence[str]
    json: Sequence[str]
    ranges: Sequence[str]
    earlier: Sequence[str]
    explained: Sequence[str]


def read_wordings(names: str) -> list[Wording]:
    """Return the wordings in the files whose names match the pattern `names`, in the order of the names."""
    texts = [path.read_text() for path in sorted(_FOLDER.glob(f"{names}.json"))]
    return [Wording(**data | {"words": Vocabulary(**data["words"])}) for data in map(json.loads, texts)]


def write_answer(form: str, fact: Fact, right: bool, wording: Wording, random: Random) -> str:
    """Return an answer in `form` that gives the right or the wrong value of `fact`."""
    values = fact.right if right else fact.wrong
    other = fact.wrong if right else fact.right
    value = _write_value(fact, values, wording, random)
    sentence = _write_sentence(fact, values, wording, random)
    # A wrong answer has the right value elsewhere half of the time, and the reverse.
    is_decoy = bool(other) and fact.asks not in ("list", "yes-no") and random.random() < 0.5
    decoy = other[0] if is_decoy else make_value(fact, wording.words, random)
    number = float(values[0]) if fact.asks == "number" and values else 50.0
    fill = {
        "value": value,
        "sentence": sentence,
        "decoy": decoy,
        "topic": fact.topic,
        "p": fact.patient,
        "y": fact.year,
        "json": json.dumps(_json_value(fact, values)),
        "unit": fact.unit,
        "low": f"{number * 0.6:.0f}",
        "high": f"{number * 1.3 + 2:.0f}",
        "many": str(random.randint(100, 900)),
        "few": str(random.randint(41, 99)),
    }

    match form:
        case "reasoning first":
            lead, conclusion = random.choice(wording.reasons), random.choice(wording.conclusions)
            fill["sentence"] = _lower_first(sentence)
            template = f"{lead} {conclusion}"
        case "steps, then a final answer":
            template = "\n".join(wording.steps) + "\n\n" + random.choice(wording.markers)
        case "with a unit" if random.random() < 0.5:
            template = "{value} {unit}"
        case "with a unit":
            fill["sentence"] = sentence.rstrip(".")
            template = "{sentence} {unit}."
        case _:
            template = random.choice(_templates_of(form, wording))
    return template.format(**fill)


def _templates_of(form: str, wording: Wording) -> Sequence[str]:
    return {
        "terse": ("{value}",),
        "sentence": ("{sentence}",),
        "heading": wording.headings,
        "bold": wording.bold,
        "table of one row": wording.tables,
        "fenced JSON": wording.json,
        "range beside the value": wording.ranges,
        "other numbers before": wording.earlier,
        "explained afterwards": wording.explained,
    }[form]


def _write_value(fact: Fact, values: Sequence[str], wording: Wording, random: Random) -> str:
    if not values:
        return random.choice(wording.short_none)
    return random.choice((", ", "; ")).join(values)


def _write_sentence(fact: Fact, values: Sequence[str], wording: Wording, random: Random) -> str:
    kind = fact.asks if values else "none"
    kind = values[0].lower() if values and fact.asks == "yes-no" else kind
    template = random.choice(wording.sentences[kind])
    counted, _, measured = template.partition("|")
    template = measured if fact.unit and measured else counted
    text = ", ".join(values[:-1]) + " and " + values[-1] if len(values) > 1 else "".join(values)
    return template.format(value=text, topic=fact.topic, p=fact.patient, y=fact.year)


def _json_value(fact: Fact, values: Sequence[str]) -> str | float | list[str] | None:
    if not values:
        return None
    if fact.asks == "number":
        return float(values[0]) if "." in values[0] else int(values[0])
    return list(values) if len(values) > 1 else values[0]


def _lower_first(sentence: str) -> str:
    return sentence if sentence.startswith("I ") else sentence[0].lower() + sentence[1:]
