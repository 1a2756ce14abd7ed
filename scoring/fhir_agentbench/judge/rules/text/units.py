"""Compare the unit that is written after a number with the unit that the question asks for."""

import re
from functools import lru_cache

# Families of units that are compared, one below the other; of each unit its name, and then its other names.
_FAMILIES_TEXT = """
kg kgs kilogram kilograms kilo kilos, g gram grams gm gms, mg milligram milligrams mgs, lb lbs pound pounds,
mcg ug µg μg microgram micrograms, oz ounce ounces, stone stones

cm centimeter centimeters centimetre centimetres, m meter meters metre metres, mm millimeter millimeters,
inch in inches, foot ft feet

ml cc milliliter milliliters millilitre millilitres, l liter liters litre litres, dl deciliter deciliters

f °f fahrenheit degf, c °c celsius centigrade degc

mmhg, kpa, cmh2o

g/dl gm/dl, g/l, mg/dl, mg/l, µmol/l μmol/l umol/l micromol/l, mmol/l, mcg/dl ug/dl µg/dl, ng/ml
"""
_NAMES = {
    name: (index, names.split()[0])
    for index, family in enumerate(_FAMILIES_TEXT.split("\n\n"))
    for names in family.split(",")
    for name in names.split()
}
# The words of units that are written after values.
_MORE_UNITS = """
meq mmol mol iu u ul k m cell hpf lpf sec s ng pg fl osm mosm bpm bp hg x insp min hour hr h beat breath
percent unit unt tab pf cap torr h2o index ratio
"""
UNITS = frozenset(part for name in _NAMES for part in name.strip("°").split("/")) | frozenset(
    _MORE_UNITS.split()
)
# The units of MIMIC-IV where a question names none, by a word of the question.
_USUAL = (
    (re.compile(r"\bdos(?:e|es|age)\b"), "mg mcg"),
    (re.compile(r"\bweigh(?:t|ts|ed)\b"), "kg"),
    (re.compile(r"\bheights?\b|\btall\b"), "cm"),
    (re.compile(r"\b(?:urine|output|intake|volume)\b"), "ml"),
    (re.compile(r"\btemperatures?\b|\bfever\b"), "f"),
    (
        re.compile(
            r"\b(?:creatinine|glucose|bilirubin|urea|bun|cholesterol|calcium|magnesium|phosphate|triglycerides)\b"
        ),
        "mg/dl",
    ),
    (re.compile(r"\b(?:h(?:a)?emoglobin|albumin|protein|globulin)\b"), "g/dl"),
    (re.compile(r"\b(?:lactate|sodium|potassium|chloride|bicarbonate)\b"), "mmol/l"),
    (re.compile(r"\bblood pressure\b|\bsystolic\b|\bdiastolic\b|\bpo2\b|\bpco2\b"), "mmhg"),
)
_AFTER = re.compile(r"[\s-]{0,2}((?:degrees?\s)?[°º]?\s?[a-zµμ]{1,12}(?:\s?/\s?[a-z0-9]{1,6})?)", re.I)
_IN_QUESTION = re.compile(
    r"(?:\(|\bin\s|\s)((?:degrees?\s)?°?[a-zµμ]{1,12}(?:/[a-z]{1,6})?)(?=[)\s?.,]|$)", re.I
)


def contradicts_unit(text: str, end: int, question: str) -> bool:
    """Check whether the unit in `text` after a number that ends at `end` is another one than `question` has.

    Units of different kinds are not compared, nor is a number without a unit.
    """
    match = _AFTER.match(text, end)
    written = _read(match[1]) if match else None
    if written is None:
        return False
    family, unit = written
    asked = _units_of(question)
    return family in asked and unit not in asked[family]


@lru_cache(maxsize=8_192)
def _units_of(question: str) -> dict[int, frozenset[str]]:
    """Return the units that `question` names, or those that are usual for it, by their family."""
    low = question.casefold()
    units: dict[int, set[str]] = {}
    for match in _IN_QUESTION.finditer(low):
        found = (
            _read(match[1])
            if match[1] not in ("in", "m", "c", "f", "l", "g") or f"({match[1]})" in low
            else None
        )
        if found:
            units.setdefault(found[0], set()).add(found[1])
    usual_units: dict[int, set[str]] = {}
    for pattern, usual in _USUAL:
        if pattern.search(low):
            for family, unit in map(_NAMES.__getitem__, usual.split()):
                usual_units.setdefault(family, set()).add(unit)
    return {family: frozenset(names) for family, names in (usual_units | units).items()}


def _read(written: str) -> tuple[int, str] | None:
    name = re.sub(r"\s|degrees?|º", "", written.casefold().replace("º", "°"))
    return _NAMES.get(name) or _NAMES.get(name.partition("/")[0] if "/" not in name else "")
