"""Make questions with a known answer, and values that are wrong for them. Everything is made up."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

KINDS = ("number", "date", "list", "name", "yes-no", "none")
_EMPTY = ("no answer", "[]", "[[None]]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Hold one made-up question and what is true of it.

    - kind: of the truth, one of KINDS.
    - asks: the kind of value asked for; that of the truth, except where there is none.
    - question, truth: as in a file of references.
    - right, wrong: the value of a right and of a wrong answer, several texts for a list; "" says that
      there is none.
    - topic: what is counted, measured or given, as part of a sentence.
    - unit: of the value; "" for none.
    - patient, year: digits.
    """

    kind: str
    asks: str
    question: str
    truth: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    topic: str
    unit: str
    patient: str
    year: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Hold the words of one wording.

    - questions: by kind of value asked for, pairs of a question and the topic in a sentence about it.
    - names: by topic word in braces, what it can be filled with.
    - measured: name, unit, lowest, highest, decimals.
    """

    questions: Mapping[str, Sequence[tuple[str, str]]]
    drugs: Sequence[str]
    procedures: Sequence[str]
    organisms: Sequence[str]
    measured: Sequence[tuple[str, str, float, float, int]]


def make_fact(kind: str, words: Vocabulary, random: Random) -> Fact:
    """Return a question whose truth is of `kind`."""
    asks = random.choice([one for one in KINDS if one not in ("none", "yes-no")]) if kind == "none" else kind
    question, topic = random.choice(words.questions[asks])
    lab, unit, low, high, decimals = random.choice(words.measured)
    fill = {
        "p": str(random.randint(99_900_000, 99_999_999)),
        "y": str(random.randint(2110, 2190)),
        "drug": random.choice(words.drugs),
        "procedure": random.choice(words.procedures),
        "lab": lab,
    }
    measures = "{lab}" in question
    pool = words.organisms if "organism" in question else words.procedures
    pool = words.drugs if "drug" in question or "medication" in question else pool
    make: Mapping[str, Callable[[], tuple[str, tuple[str, ...], tuple[str, ...]]]] = {
        "number": lambda: _number(random, (low, high, decimals) if measures else (2, 40, 0)),
        "date": lambda: _date(random, int(fill["y"])),
        "list": lambda: _list(random, pool),
        "name": lambda: _name(random, pool),
        "yes-no": lambda: _side(random),
    }
    truth, right, wrong = make[asks]()
    if kind == "none":
        truth, right, wrong = random.choice(_EMPTY), (), right
    return Fact(
        kind=kind,
        asks=asks,
        question=question.format(**fill),
        truth=truth,
        right=right,
        wrong=wrong,
        topic=topic.format(**fill),
        unit=unit if measures else "",
        patient=fill["p"],
        year=fill["y"],
    )


def make_value(fact: Fact, words: Vocabulary, random: Random) -> str:
    """Return another value of the kind that `fact` asks for: a decoy, neither right nor wrong there."""
    taken = set(fact.right) | set(fact.wrong)
    while True:
        match fact.asks:
            case "number":
                value = str(random.randint(41, 97))
            case "date":
                value = f"{fact.year}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
            case _:
                value = random.choice([*words.drugs, *words.procedures, *words.organisms])
        if value not in taken and not any(value == text[:10] for text in taken):
            return value


def _number(random: Random, scale: tuple[float, float, int]) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    low, high, decimals = scale
    value = round(random.uniform(low, high), decimals)
    step = max(3.0, round((high - low) / 4))
    wrong = round(value + random.choice((-1, 1)) * random.uniform(2, step), decimals)
    wrong = wrong if wrong > 0 else round(value + step, decimals)
    wrong = wrong + 3 if round(wrong) == round(value) else wrong
    text, wrong_text = f"{value:.{decimals}f}", f"{wrong:.{decimals}f}"
    return f"[[{float(text) if decimals else int(text)}]]", (text,), (wrong_text,)


def _date(random: Random, year: int) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    days = random.sample([(month, day) for month in range(1, 13) for day in range(1, 29)], 2)
    clock = f"{random.randint(0, 23):02}:{random.randint(0, 59):02}:00"
    right, wrong = (f"{year}-{month:02}-{day:02} {clock}" for month, day in days)
    return f"[['{right}']]", (right,), (wrong,)


def _list(random: Random, pool: Sequence[str]) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    items = random.sample(list(pool), random.randint(3, 5))
    right, more = tuple(items[:-1]), items[-1]
    wrong = random.choice((right[:-1], (*right, more), (*right[:-1], more)))
    return "[" + "\n ".join(f"['{item}']" for item in right) + "]", right, wrong


def _name(random: Random, pool: Sequence[str]) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    right, wrong = random.sample(list(pool), 2)
    return f"[['{right}']]", (right,), (wrong,)


def _side(random: Random) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    bit = random.randint(0, 1)
    return f"[[{bit}]]", (("No", "Yes")[bit],), (("Yes", "No")[bit],)
