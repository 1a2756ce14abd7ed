"""Parse what submitters state about a system and its runs, and save the facts on the system's row."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.models import System
from leaderboard.services.errors import FactsInvalid
from leaderboard.services.publishing.system_facts import StatedFacts, apply_facts
from leaderboard.services.text import has_hidden_characters, has_visible_character
from wardboard.scoring.facts import BY_FIELD, BY_KEY, LINKS, OF_SYSTEM, RELEASE, Fact, Kind, request_key
from wardboard.scoring.reading.codes import RunsCode
from wardboard.scoring.reading.problems import Problem, pointer, quote
from wardboard.scoring.runs import MOST_RUNS

_MAX_MODELS = 20
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_check_run_url = URLValidator(schemes=["https"])
_EARLIEST_RUN = date(2020, 1, 1)
# Somewhere on Earth it is already tomorrow.
_FURTHEST_ZONE = timedelta(hours=14)
# Python reads more than this as a number: underscores, digits of other scripts, infinity.
_NUMBER = re.compile(r"-?\d{1,12}(\.\d{1,20})?([eE][+-]?\d{1,2})?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What a submitter states about a system and its runs.

    runs: how many were declared, at least as many as there are files. retries: what was run again, and why.
    deterministic: whether every run gives the same answers; None where that is not stated.
    release: fact of `wardboard.scoring.facts.RELEASE` -> what is stated, without what is not
    """

    facts: StatedFacts
    runs: int
    retries: str
    deterministic: bool | None
    release: Mapping[str, str]


NOTHING_STATED = Stated(
    facts=StatedFacts(name="", values={}), runs=0, retries="", deterministic=None, release={}
)
TAKE_BACK = "take_back"
_Parse = Callable[[Fact, Any, list[Problem]], Any]
_YES_NO = {
    "": None,
    "unknown": None,
    "true": True,
    "yes": True,
    "1": True,
    "false": False,
    "no": False,
    "0": False,
}


def parse_facts(params: Mapping[str, Any]) -> StatedFacts:
    """Parse the facts in `params`, with the name as `system` and the models as `models`.

    Values are strings; `models` may be a list of strings, what is yes or no a bool, a cost or a time a
    number. Raises FactsInvalid with every problem.
    """
    problems: list[Problem] = []
    parsed = {}
    for fact in OF_SYSTEM:
        parse: _Parse = _PARSERS.get(fact.kind, _parse_text)
        parsed[fact.field] = parse(fact, params.get(fact.key), problems)
    facts = StatedFacts(
        name=parsed.pop("name") or "",
        values={name: value for name, value in parsed.items() if value is not None},
        taken_back=_parse_taken_back(params.get(TAKE_BACK), problems),
    )
    problems.extend(_check(facts, reported={problem.pointer for problem in problems}))
    if problems:
        raise FactsInvalid(problems)
    return facts


def parse_stated(params: Mapping[str, Any], *, files: int) -> Stated:
    """Parse the facts about the system and about its runs.

    params: as for `parse_facts`, with `runs` and the facts about runs and releases.
    files: that were sent.
    Raises FactsInvalid with every problem.
    """
    problems: list[Problem] = []
    facts = None
    try:
        facts = parse_facts(params)
    except FactsInvalid as error:
        problems += error.problems
    runs = _parse_runs(str(params.get("runs") or "").strip(), files, problems)
    retries = _parse_sentence(BY_KEY["retries"], params, problems)
    deterministic = _parse_yes_no(BY_KEY["deterministic"], params.get("deterministic"), problems)
    release = {fact.key: _parse_sentence(fact, params, problems) for fact in RELEASE}
    if facts is None or problems:
        raise FactsInvalid(problems)
    stated = {name: value for name, value in release.items() if value}
    return Stated(facts=facts, runs=runs, retries=retries, deterministic=deterministic, release=stated)


def _parse_runs(text: str, files: int, problems: list[Problem]) -> int:
    if not text:
        return files
    runs = int(text) if text.isascii() and text.isdecimal() and len(text) <= len(str(MOST_RUNS)) else 0
    if not 1 <= runs <= MOST_RUNS:
        code = "facts.invalid"
        message = _("It is not a whole number from 1 to %(most)s.") % {"most": MOST_RUNS}
    elif runs < files:
        code = RunsCode.MORE_THAN_DECLARED
        message = _("It declares fewer runs (%(runs)s) than there are files (%(files)s).")
        message %= {"runs": runs, "files": files}
    else:
        return runs
    hint = _("State how many runs you planned, or leave it out.")
    problems.append(Problem(code=code, pointer=pointer("runs"), message=message, hint=hint))
    return max(runs, files)


def _parse_sentence(fact: Fact, params: Mapping[str, Any], problems: list[Problem]) -> str:
    """Return a text about the runs in one line; "" with a problem if the fact cannot have it."""
    text = " ".join(str(params.get(fact.key) or "").split())
    if fact.kind is Kind.COMMIT:
        text = text.lower()
    if message := text and _fault_of(fact, text):
        problems.append(_problem(fact, message))
        return ""
    return text


def _fault_of(fact: Fact, text: str) -> str:
    """Return what is wrong with a text about the runs; "" for nothing."""
    if fact.kind is Kind.COMMIT and not _COMMIT.fullmatch(text):
        return _("“%(word)s” is not a commit.") % {"word": quote(text)}
    try:
        if fact.kind is Kind.URL:
            _check_run_url(text)
    except ValidationError:
        return _("It is not a URL that begins with https://.")
    if len(text) > fact.longest:
        return _("It is longer than %(most)s characters.") % {"most": fact.longest}
    is_hidden = fact.kind is Kind.TEXT and has_hidden_characters(text)
    return _("It holds control or invisible characters.") if is_hidden else ""


def _parse_yes_no(fact: Fact, value: Any, problems: list[Problem]) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word not in _YES_NO:
        message = _("“%(word)s” is neither yes nor no.") % {"word": quote(word)}
        problems.append(_problem(fact, message))
    return _YES_NO.get(word)


def _parse_number(fact: Fact, value: Any, problems: list[Problem]) -> float | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        # Check this before float(), which refuses an integer of hundreds of digits.
        number = float(value) if abs(value) <= fact.most else math.nan
    else:
        text = _parse_text(fact, value, problems)
        if not text:
            return None
        if not _NUMBER.fullmatch(text):
            problems.append(_problem(fact, _("“%(word)s” is not a number.") % {"word": quote(text)}))
            return None
        number = float(text)
    if not 0 <= number <= fact.most:
        message = _("It is not between 0 and %(most)s.") % {"most": f"{fact.most:,}"}
        problems.append(_problem(fact, message))
        return None
    return abs(number)  # -0 is 0


def _parse_day(fact: Fact, value: Any, problems: list[Problem]) -> date | None:
    text = _parse_text(fact, value, problems)
    if not text:
        return None
    try:
        day = date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None:
        problems.append(_problem(fact, _("“%(word)s” is not a day.") % {"word": quote(text)}))
    elif day < _EARLIEST_RUN:
        problems.append(_problem(fact, _("It is before 2020.")))
        return None
    elif day > (timezone.now() + _FURTHEST_ZONE).date():
        problems.append(_problem(fact, _("It is in the future.")))
        return None
    return day


def _parse_text(fact: Fact, value: Any, problems: list[Problem]) -> str | None:
    texts = _readable([value], fact, problems) if value is not None else None
    if texts is None:
        # Not None for a name that is there, which would be reported as missing too.
        return "?" if fact.is_required and isinstance(value, str) else None
    return texts[0]


def _parse_names(fact: Fact, value: Any, problems: list[Problem]) -> list[str] | None:
    if value is None:
        return None
    parts = value.split(",") if isinstance(value, str) else value
    texts = _readable(parts if isinstance(parts, (list, tuple)) else [value], fact, problems)
    return None if texts is None else [text for text in texts if text]


def _readable(parts: Sequence[Any], fact: Fact, problems: list[Problem]) -> list[str] | None:
    """Return texts without the spaces around them; None, and a problem, if one is no text or unreadable."""
    if not all(isinstance(part, str) for part in parts):
        problems.append(_problem(fact, _("It is not a text.")))
        return None
    texts = [part.strip() for part in parts]
    if any(map(has_hidden_characters, texts)):
        problems.append(_problem(fact, _("It holds control or invisible characters.")))
        return None
    return texts


_PARSERS: Mapping[Kind, _Parse] = {
    Kind.NAMES: _parse_names,
    Kind.YES_NO: _parse_yes_no,
    Kind.NUMBER: _parse_number,
    Kind.DAY: _parse_day,
}


def _parse_taken_back(value: Any, problems: list[Problem]) -> tuple[str, ...]:
    facts = {fact.key: fact.field for fact in OF_SYSTEM if not fact.is_required}
    keys = [key.strip() for key in str(value or "").split(",") if key.strip()]
    if others := [key for key in keys if key not in facts]:
        problems.append(
            Problem(
                code="facts.invalid",
                pointer=pointer(TAKE_BACK),
                message=_("“%(word)s” is not a fact.") % {"word": quote(others[0])},
                hint=_("Names of facts that you no longer state, such as cost_per_task, with commas."),
            )
        )
    return tuple(dict.fromkeys(facts[key] for key in keys if key in facts))


def _problem(fact: Fact, message: str) -> Problem:
    hint = _(fact.hint.template)
    if fact.hint.values:
        hint = hint.format_map(fact.hint.values)
    return Problem(code="facts.invalid", pointer=pointer(fact.key), message=message, hint=hint)


def _check(facts: StatedFacts, reported: set[str]) -> list[Problem]:
    """Return the problems of parsed facts. reported: pointers of fields that have a problem."""
    problems = []
    models = BY_KEY["models"]
    names = facts.values.get(models.field, ())
    if len(names) > _MAX_MODELS or any(len(name) > models.longest for name in names):
        message = _("More than %(models)s models, or a name of more than %(characters)s characters.") % {
            "models": _MAX_MODELS,
            "characters": models.longest,
        }
        problems.append(_problem(models, message))
    if facts.name and not has_visible_character(facts.name):
        problems.append(_problem(BY_FIELD["name"], _("It has no visible characters.")))
    for fact in LINKS:
        # The model's field accepts ftp too; it reports below what is no URL at all.
        if facts.values.get(fact.field, "").lower().startswith(("ftp:", "ftps:")):
            problems.append(_problem(fact, _("It is not an address of the web.")))
    both = [BY_FIELD[name] for name in facts.taken_back if name in facts.values]
    problems.extend(_problem(fact, _("It is stated and taken back at once.")) for fact in both)
    problems.extend(
        _problem(BY_FIELD[field], message)
        for field, message in _field_errors(facts)
        if pointer(request_key(field)) not in reported
    )
    return problems


def _field_errors(facts: StatedFacts) -> list[tuple[str, str]]:
    """Return the name and the messages of each field of the model that refuses its value."""
    system = System(source="checked without a team")
    apply_facts(system, facts)
    try:
        # Check single fields only: the database decides whether the name is free when the row is written.
        system.clean_fields(exclude=["team", "model_names", "source_url"])
    except ValidationError as error:
        return [(field, " ".join(messages)) for field, messages in error.message_dict.items()]
    return []
