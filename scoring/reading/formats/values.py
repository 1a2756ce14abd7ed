"""Values of a log that may be missing or of any type: each is found, or it is not stated."""

import hashlib
import json
import math
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_MOST = 10**15  # above any count or time that a log can mean
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
TASK_ID = re.compile(r"task\d{1,2}_\d{1,6}|[0-9a-f]{24}")
_IDS = ("task_id", "question_id", "id", "index")
_REFERENCES = re.compile(
    "true|truth|gold(?:en|s)?|gt|expected|labels?|refs?|references?|targets?|sol(?:utions?)?|ideal|actual|correct|"
    "ground|key|human|official|oracle|standard|annotat(?:ed|ions?|or)|experts?|physicians?|clinicians?|doctors?|nurses?|consensus|rubric"
)


def words_beside(module: str) -> dict[str, tuple[str, ...]]:
    """Return kind -> words, as the table beside a module has them."""
    _, *lines = Path(module).with_suffix(".tsv").read_text(encoding="utf-8").splitlines()
    return {kind: tuple(words.split()) for kind, words in (line.split("\t") for line in lines)}


def words_of(name: str) -> list[str]:
    """Return the words of a name, such as that of a column, in lower case."""
    return [word.lower() for word in _WORD.findall(name)]


def names_reference(name: str) -> bool:
    """Return whether a column, an object or a file may hold reference answers, by a word of its name."""
    return any(map(_REFERENCES.fullmatch, words_of(name)))


def plain_name(name: str) -> str:
    """Return a name as its words with _ between them, such as `final_answer` for `Final answer`."""
    return "_".join(words_of(name))


def task_in(row: Any) -> str:
    """Return the id of the task of a row: a value of its form, or the first that is named so."""
    stated = [row.get(name) for name in _IDS] if isinstance(row, dict) else []
    values = [*stated, *row.values()] if stated else []
    texts = (value for value in values if isinstance(value, str) and TASK_ID.fullmatch(value))
    return next(texts, next((str(each) for each in stated if type(each) in (str, int)), ""))


def value_at(value: Any, *steps: str | int) -> Any:
    """Return what `value` has at a path, None where it has nothing there."""
    for step in steps:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def decoded(text: str | bytes, other: Any = None) -> Any:
    """Return the value of a JSON text; `other` for one that is none, or nested too deeply."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return other


def number(value: Any) -> float | None:
    """Return a number of 0 or more; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _MOST:
        return None
    return value


def count(value: Any) -> int | None:
    """Return a number of things; None for anything else."""
    found = number(value)
    return int(found) if found is not None and found == int(found) else None


def milliseconds(seconds: Any) -> int | None:
    """Return a time in seconds since 1970 in milliseconds; None for 0, which stands for no time."""
    found = number(seconds)
    return math.floor(found * 1000) if found else None


def moment(text: Any) -> float | None:
    """Return a time in ISO 8601 in seconds, to compare with others of the same log; None for no time."""
    try:
        time = datetime.fromisoformat(text)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None


def instant(text: Any) -> int | None:
    """Return a time in ISO 8601 in milliseconds since 1970; None for one without a zone."""
    seconds = moment(text)
    has_zone = seconds is not None and datetime.fromisoformat(text).tzinfo is not None
    return round(seconds * 1000) if has_zone and seconds is not None and seconds >= 0 else None


def first_text(*values: Any) -> str:
    """Return the first of `values` that is text and not empty; "" without one."""
    return next((value for value in values if isinstance(value, str) and value), "")


def total(*values: float | None) -> float | None:
    """Return the sum of the numbers that are stated; None if none is."""
    stated = [value for value in values if value is not None]
    return sum(stated) if stated else None


def first_line(value: Any) -> str:
    """Return the first line of a text that is not blank; "" for anything else."""
    lines = value.strip().splitlines() if isinstance(value, str) else []
    return lines[0] if lines else ""


def first_stated(*values: float | None) -> float | None:
    """Return the first of `values` that is not None; None without one."""
    return next((value for value in values if value is not None), None)


def digest(value: Any) -> str:
    """Return the SHA-256 of a text, or of the JSON of another value, in hexadecimal digits."""
    text = value if isinstance(value, str) else json.dumps(value)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
