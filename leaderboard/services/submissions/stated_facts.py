"""Parse what submitters state about a system and its runs, and save the facts on the system's row."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.models import System
from leaderboard.models.systems import MOST_DOLLARS, MOST_SECONDS, RELEASE, Release
from leaderboard.services.errors import FactsInvalid
from leaderboard.services.publishing.system_facts import StatedFacts, apply_facts
from leaderboard.services.text import has_hidden_characters, has_visible_character
from scoring.reading.codes import RunsCode
from scoring.reading.problems import Problem, pointer, quote
from scoring.runs import MOST_RUNS

_MAX_MODELS, _MAX_MODEL_NAME = 20, 120
# Lengths are in characters.
_LONGEST = {"retries": 1000, **{field.name: field.max_length or 0 for field in Release._meta.fields}}
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
    release: field of `Release` -> what is stated, without what is not
    """

    facts: StatedFacts
    runs: int
    retries: str
    release: Mapping[str, str]


# Requests call these fields otherwise.
FIELDS_OF_REQUESTS = {"name": "system", "model_names": "models", "taken_back": "take_back"}
_HINTS = {
    "name": gettext_lazy("Give the system a name of up to 120 characters."),
    "model_names": gettext_lazy(
        "Name the model or models it runs on, such as o4-mini; separate several with commas."
    ),
    "organisation": gettext_lazy("Up to 120 characters, or leave it out."),
    "interaction": gettext_lazy("One of: single-turn, multi-turn; or leave it out."),
    "retrieval": gettext_lazy("One of: query-generator, retriever, both, none; or leave it out."),
    "reasoning": gettext_lazy("One of: language, code; or leave it out."),
    "open_weights": gettext_lazy("true, false, or leave it out."),
    "code_url": gettext_lazy("A full URL that begins with https://, or leave it out."),
    "paper_url": gettext_lazy("A full URL that begins with https://, or leave it out."),
    "harness": gettext_lazy("One of: official, own-tools, prefetch; or leave it out."),
    "harness_name": gettext_lazy("Up to 80 characters, or leave it out."),
    "tools": gettext_lazy("Up to 200 characters, or leave it out."),
    "task_memory": gettext_lazy("true, false, or leave it out."),
    "trained_on_benchmark": gettext_lazy("true, false, or leave it out."),
    "cost_per_task": gettext_lazy("US dollars a task from 0 to 10,000, such as 0.042; or leave it out."),
    "seconds_per_task": gettext_lazy("Seconds a task from 0 to 86,400, such as 12.5; or leave it out."),
    "run_on": gettext_lazy("A day such as 2026-11-01, from 2020 until today; or leave it out."),
    "fhir_image": gettext_lazy("sha256: and 64 digits from 0 to 9 and a to f, or leave it out."),
    "taken_back": gettext_lazy(
        "Names of facts that you no longer state, such as cost_per_task, with commas."
    ),
    "retries": gettext_lazy("State briefly what was run again, and why, or leave it out."),
    "version": gettext_lazy("Up to 80 characters, such as 2.1.0; or leave it out."),
    "commit": gettext_lazy(
        "7 to 64 digits from 0 to 9 and a to f, as git rev-parse HEAD prints; or leave it out."
    ),
    "run_url": gettext_lazy("A full URL that begins with https://, up to 300 characters; or leave it out."),
    "note": gettext_lazy("Up to 500 characters, or leave it out."),
}
# These are of the submission, and not of its system.
_OF_SUBMISSION = ("retries", *RELEASE)
_MOST = {"cost_per_task": MOST_DOLLARS, "seconds_per_task": MOST_SECONDS}
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
    values: dict[str, Any] = {}
    for field in fields(StatedFacts):
        value = params.get(FIELDS_OF_REQUESTS.get(field.name, field.name))
        parse = _PARSERS.get(field.name, _parse_text)
        values[field.name] = parse(field.name, value, problems)
    facts = StatedFacts(**{**values, "name": values["name"] or ""})
    problems.extend(_check(facts, reported={problem.pointer for problem in problems}))
    if problems:
        raise FactsInvalid(problems)
    return facts


def parse_stated(params: Mapping[str, Any], *, files: int) -> Stated:
    """Parse the facts about the system and about its runs.

    params: as for `parse_facts`, with `runs`, `retries` and the fields of `Release`, all strings.
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
    retries = _parse_sentence("retries", params, problems)
    release = {name: parse(name, params, problems) for name, parse in _RELEASE_PARSERS.items()}
    if facts is None or problems:
        raise FactsInvalid(problems)
    stated = {name: value for name, value in release.items() if value}
    return Stated(facts=facts, runs=runs, retries=retries, release=stated)


def _parse_runs(text: str, files: int, problems: list[Problem]) -> int:
    if not text:
        return files
    runs = int(text) if text.isascii() and text.isdecimal() and len(text) <= len(str(MOST_RUNS)) else 0
    if not 1 <= runs <= MOST_RUNS:
        problems.append(
            Problem(
                code="facts.invalid",
                pointer=pointer("runs"),
                message=_("It is not a whole number from 1 to %(most)s.") % {"most": MOST_RUNS},
                hint=_("State how many runs you planned, or leave it out."),
            )
        )
    elif runs < files:
        problems.append(
            Problem(
                code=RunsCode.MORE_THAN_DECLARED,
                pointer=pointer("runs"),
                message=_("It declares fewer runs (%(runs)s) than there are files (%(files)s).")
                % {"runs": runs, "files": files},
                hint=_("State how many runs you planned, or leave it out."),
            )
        )
    return max(runs, files)


def _parse_sentence(name: str, params: Mapping[str, Any], problems: list[Problem]) -> str:
    """Return a text about the runs in one line."""
    text, most = " ".join(str(params.get(name) or "").split()), _LONGEST[name]
    if len(text) > most:
        message = _("It is longer than %(most)s characters.") % {"most": most}
    elif has_hidden_characters(text):
        message = _("It holds control or invisible characters.")
    else:
        return text
    problems.append(_problem(name, message))
    return ""


def _parse_commit(name: str, params: Mapping[str, Any], problems: list[Problem]) -> str:
    text = str(params.get(name) or "").strip().lower()
    if text and not _COMMIT.fullmatch(text):
        problems.append(_problem(name, _("“%(word)s” is not a commit.") % {"word": quote(text)}))
        return ""
    return text


def _parse_run_url(name: str, params: Mapping[str, Any], problems: list[Problem]) -> str:
    text = str(params.get(name) or "").strip()
    try:
        if text:
            _check_run_url(text)
    except ValidationError:
        problems.append(_problem(name, _("It is not a URL that begins with https://.")))
        return ""
    if len(text) > _LONGEST[name]:
        problems.append(
            _problem(name, _("It is longer than %(most)s characters.") % {"most": _LONGEST[name]})
        )
        return ""
    return text


_RELEASE_PARSERS = {
    "version": _parse_sentence,
    "commit": _parse_commit,
    "run_url": _parse_run_url,
    "note": _parse_sentence,
}


def _parse_yes_no(field: str, value: Any, problems: list[Problem]) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word not in _YES_NO:
        message = _("“%(word)s” is neither yes nor no.") % {"word": quote(word)}
        problems.append(_problem(field, message))
    return _YES_NO.get(word)


def _parse_number(field: str, value: Any, problems: list[Problem]) -> float | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        # Check this before float(), which refuses an integer of hundreds of digits.
        number = float(value) if abs(value) <= _MOST[field] else math.nan
    else:
        text = _parse_text(field, value, problems)
        if not text:
            return None
        assert isinstance(text, str), "only models are a list"
        if not _NUMBER.fullmatch(text):
            problems.append(_problem(field, _("“%(word)s” is not a number.") % {"word": quote(text)}))
            return None
        number = float(text)
    if not 0 <= number <= _MOST[field]:
        message = _("It is not between 0 and %(most)s.") % {"most": f"{_MOST[field]:,}"}
        problems.append(_problem(field, message))
        return None
    return abs(number)  # -0 is 0


def _parse_date(field: str, value: Any, problems: list[Problem]) -> date | None:
    text = _parse_text(field, value, problems)
    if not text:
        return None
    assert isinstance(text, str), "only models are a list"
    try:
        day = date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None:
        problems.append(_problem(field, _("“%(word)s” is not a day.") % {"word": quote(text)}))
    elif day < _EARLIEST_RUN:
        problems.append(_problem(field, _("It is before 2020.")))
        return None
    elif day > (timezone.now() + _FURTHEST_ZONE).date():
        problems.append(_problem(field, _("It is in the future.")))
        return None
    return day


def _parse_text(field: str, value: Any, problems: list[Problem]) -> str | tuple[str, ...] | None:
    if not _is_text(field, value):
        problems.append(_problem(field, _("It is not a text.")))
        return None
    if value is None:
        return None
    is_list = field == "model_names"
    parts = value.split(",") if is_list and isinstance(value, str) else value if is_list else [value]
    texts = tuple(part.strip() for part in parts)
    if any(map(has_hidden_characters, texts)):
        problems.append(_problem(field, _("It holds control or invisible characters.")))
        # The name must not become None, or it would be reported as missing too.
        return "?" if field == "name" else None
    return tuple(filter(None, texts)) if is_list else texts[0]


def _parse_taken_back(field: str, value: Any, problems: list[Problem]) -> tuple[str, ...]:
    kept = ("name", field, *_OF_SUBMISSION)
    facts = {FIELDS_OF_REQUESTS.get(name, name): name for name in _HINTS if name not in kept}
    keys = [key.strip() for key in str(value or "").split(",") if key.strip()]
    if others := [key for key in keys if key not in facts]:
        problems.append(_problem(field, _("“%(word)s” is not a fact.") % {"word": quote(others[0])}))
    return tuple(dict.fromkeys(facts[key] for key in keys if key in facts))


# These facts are not texts.
_PARSERS = {
    **dict.fromkeys(("open_weights", "task_memory", "trained_on_benchmark"), _parse_yes_no),
    **dict.fromkeys(_MOST, _parse_number),
    "run_on": _parse_date,
    "taken_back": _parse_taken_back,
}


def _is_text(field: str, value: Any) -> bool:
    if field == "model_names" and isinstance(value, (list, tuple)):
        return all(isinstance(part, str) for part in value)
    return value is None or isinstance(value, str)


def _problem(field: str, message: str) -> Problem:
    key = FIELDS_OF_REQUESTS.get(field, field)
    hint = str(_HINTS[field])
    return Problem(code="facts.invalid", pointer=pointer(key), message=message, hint=hint)


def _check(facts: StatedFacts, reported: set[str]) -> list[Problem]:
    """Return the problems of parsed facts. reported: pointers of fields that have a problem."""
    problems = []
    if facts.model_names is not None and (
        len(facts.model_names) > _MAX_MODELS or any(len(name) > _MAX_MODEL_NAME for name in facts.model_names)
    ):
        message = _("More than %(models)s models, or a name of more than %(characters)s characters.") % {
            "models": _MAX_MODELS,
            "characters": _MAX_MODEL_NAME,
        }
        problems.append(_problem("model_names", message))
    if facts.name and not has_visible_character(facts.name):
        problems.append(_problem("name", _("It has no visible characters.")))
    for field, url in (("code_url", facts.code_url), ("paper_url", facts.paper_url)):
        # The model's field accepts ftp too; it reports below what is no URL at all.
        if url and url.lower().startswith(("ftp:", "ftps:")):
            problems.append(_problem(field, _("It is not an address of the web.")))
    both = [name for name in facts.taken_back if getattr(facts, name) is not None]
    problems.extend(_problem(name, _("It is stated and taken back at once.")) for name in both)
    problems.extend(
        _problem(field, message)
        for field, message in _field_errors(facts)
        if pointer(FIELDS_OF_REQUESTS.get(field, field)) not in reported
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
