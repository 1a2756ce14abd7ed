"""Parse what submitters state about a system and its runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator, URLValidator
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.services.errors import FactsInvalid
from leaderboard.services.publishing.system_facts import StatedFacts
from leaderboard.services.text import validate_readable
from wardboard.scoring.facts import FACTS, OF_SYSTEM, RELEASE, About, Fact, Kind
from wardboard.scoring.reading.codes import RunsCode
from wardboard.scoring.reading.problems import Problem, pointer, quote
from wardboard.scoring.runs import MOST_RUNS

_MAX_MODELS = 20
_EARLIEST_RUN = date(2020, 1, 1)
# Somewhere on Earth it is already tomorrow.
_FURTHEST_ZONE = timedelta(hours=14)
_VALIDATORS = {
    Kind.DIGEST: [RegexValidator(r"\Asha256:[0-9a-f]{64}\Z")],
    Kind.COMMIT: [RegexValidator(r"\A[0-9a-f]{7,64}\Z")],
}
_NO_VALUE = gettext_lazy(
    "State the value itself: this looks like a placeholder, or begins or ends with a sign."
)
# What a template or a shell leaves where it put no value in, and what programs print where there is none. A
# name does not end with that either, or with a hyphen: "Null-Agent" and "agent_$5" are names.
_UNSET = (
    r"(?s)\{\{.*\}\}|[$#%]\{[^{}]*\}|(?<!\w)\$[A-Za-z_](\w|\Z)|%[A-Z_]{2,}%|@[A-Z_]{2,}@|"
    r"\A(\$\w+|\$\([\w.]+\)|%\w+%|@\w+@|__\w+__|\{\w+\}|\(\(.*\)\)|<[^<>]*>|\[object \w+\]|\W+|"
    r"\(?null\)?|NULL|undefined|nil|[Nn]a[Nn]|NAN|#?[Nn]/[Aa])\Z"
)
_NO_TEXT = RegexValidator(_UNSET, _NO_VALUE, inverse_match=True)
_NO_NAME = RegexValidator(
    rf"{_UNSET}|\A([Nn]one|[Tt]rue|[Ff]alse|TODO|TBD|changeme)\Z|\A[-/:=]|[-_/:=@]\Z|"
    r"(\A|[-_/:@ ])undefined([-_/:@ ]|\Z)|[-_/:@ ](null|None|nil|[Nn]a[Nn]|\[object \w+\])\Z",
    _NO_VALUE,
    inverse_match=True,
)
_YES_NO = {
    "unknown": None,
    "true": True,
    "yes": True,
    "1": True,
    "false": False,
    "no": False,
    "0": False,
}


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


def _field_of(fact: Fact) -> forms.Field:
    if fact.kind is Kind.CHOICE and fact.choices:
        return forms.ChoiceField(choices=fact.choices.choices, required=False)
    if fact.kind is Kind.YES_NO:
        words = [(word, word) for word in _YES_NO]
        return forms.TypedChoiceField(choices=words, coerce=_YES_NO.get, empty_value=None, required=False)
    if fact.kind is Kind.NUMBER:
        return forms.FloatField(min_value=0, max_value=fact.most, required=False)
    if fact.kind is Kind.DAY:
        bounds = [MinValueValidator(_EARLIEST_RUN), MaxValueValidator(_last_day)]
        return forms.DateField(input_formats=["%Y-%m-%d"], validators=bounds, required=False)
    unset = _NO_NAME if fact.key in ("system", "models", "version") else _NO_TEXT
    validators = [unset, validate_readable, *_VALIDATORS.get(fact.kind, ())]
    if fact.kind is Kind.URL:
        validators.append(URLValidator(["https"] if fact.about is About.RELEASE else ["http", "https"]))
    return forms.CharField(max_length=fact.longest, validators=validators, required=fact.is_required)


def _last_day() -> date:
    return (timezone.now() + _FURTHEST_ZONE).date()


_FIELDS = {fact.key: _field_of(fact) for fact in FACTS}


def parse_stated(params: Mapping[str, Any], *, files: int) -> Stated:
    """Parse the facts about the system and about its runs.

    params: strings; the name as `system`, the models as `models`, `runs`, facts about runs and releases.
    files: that were sent. Raises FactsInvalid with every problem.
    """
    problems: list[Problem] = []
    facts = _facts_of_system(params, problems)
    runs = _parse_runs(str(params.get("runs") or "").strip(), files, problems)
    of_runs = {
        fact.key: _clean(fact, params.get(fact.key), problems) for fact in FACTS if not fact.is_of_system
    }
    if problems:
        raise FactsInvalid(problems)
    release = {fact.key: of_runs[fact.key] for fact in RELEASE if of_runs[fact.key]}
    retries, deterministic = of_runs["retries"], of_runs["deterministic"]
    return Stated(facts=facts, runs=runs, retries=retries, deterministic=deterministic, release=release)


def _facts_of_system(params: Mapping[str, Any], problems: list[Problem]) -> StatedFacts:
    values: dict[str, Any] = {}
    for fact in OF_SYSTEM:
        value = params.get(fact.key)
        if value is not None or fact.is_required:
            clean = _clean_names if fact.kind is Kind.NAMES else _clean
            values[fact.field] = clean(fact, value, problems)
    stated = {name: value for name, value in values.items() if value is not None and name != "name"}
    taken_back = [name for name in _parse_taken_back(params, problems) if name not in stated]
    return StatedFacts(name=values["name"] or "", values=stated, taken_back=tuple(taken_back))


def _clean(fact: Fact, value: Any, problems: list[Problem]) -> Any:
    """Return the value of a fact; None, with a problem, where the fact cannot have it."""
    text = "" if value is None else str(value).strip()
    if not fact.is_of_system:
        text = " ".join(text.split())
    if fact.kind in (Kind.COMMIT, Kind.YES_NO):
        text = text.lower()
    try:
        cleaned = _FIELDS[fact.key].clean(text)
    except ValidationError as error:
        problems.append(_problem(fact, " ".join(error.messages)))
        return None
    return abs(cleaned) if isinstance(cleaned, float) else cleaned  # -0 is 0


def _clean_names(fact: Fact, value: Any, problems: list[Problem]) -> list[str]:
    parts = value if isinstance(value, (list, tuple)) else str(value).split(",")
    names = [name for part in parts if (name := str(part).strip())]
    if len(names) > _MAX_MODELS:
        problems.append(_problem(fact, _("There are more than %(most)s.") % {"most": _MAX_MODELS}))
        return []
    return [_clean(fact, name, problems) for name in names]


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


def _parse_taken_back(params: Mapping[str, Any], problems: list[Problem]) -> list[str]:
    """Return the fields of facts that are no longer stated."""
    facts = {fact.key: fact.field for fact in OF_SYSTEM if not fact.is_required}
    keys = [key.strip() for key in str(params.get("take_back") or "").split(",") if key.strip()]
    if others := [key for key in keys if key not in facts]:
        message = _("“%(word)s” is not a fact.") % {"word": quote(others[0])}
        hint = _("Names of facts that you no longer state, such as cost_per_task, with commas.")
        problems.append(
            Problem(code="facts.invalid", pointer=pointer("take_back"), message=message, hint=hint)
        )
    return list(dict.fromkeys(facts[key] for key in keys if key in facts))


def _problem(fact: Fact, message: str) -> Problem:
    hint = _(fact.hint.template)
    if fact.hint.values:
        hint = hint.format_map(fact.hint.values)
    return Problem(code="facts.invalid", pointer=pointer(fact.key), message=message, hint=hint)
