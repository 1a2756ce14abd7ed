"""Forms of the submission pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from leaderboard.models import System, Team
from leaderboard.services.errors import FactsInvalid
from leaderboard.services.rows.conditions import print_fact
from leaderboard.services.submissions.stated_facts import parse_stated
from leaderboard.services.text import join_names, validate_readable
from leaderboard.web.shared.of_team import expiry_choice
from leaderboard.web.templatetags.languages import translated
from wardboard.scoring.facts import BY_FIELD, BY_KEY, CONDITIONS, FACTS, OF_SYSTEM, RELEASE, Fact, Kind
from wardboard.scoring.reading.problems import Problem

_SEVERAL_RUNS = ("runs", "retries", "deterministic")
_ABOUT_RUNS = (*_SEVERAL_RUNS, *(fact.key for fact in RELEASE))
# Fields about the system itself, of which everyone is asked for the first; about the conditions of its runs;
# and about what was run, and how often.
_ABOUT_SYSTEM = [fact for fact in OF_SYSTEM if fact not in CONDITIONS]
_FIRST = [fact.key for fact in OF_SYSTEM if fact.is_asked_first]
_GROUPS: Mapping[str, Sequence[str]] = {
    "first": _FIRST,
    "more": [fact.key for fact in _ABOUT_SYSTEM if fact.key not in _FIRST],
    "conditions": [fact.key for fact in sorted(CONDITIONS, key=lambda fact: fact.form_order)],
    "release": [*(fact.key for fact in RELEASE), *_SEVERAL_RUNS],
}
_ATTRS: Mapping[Kind, Mapping[str, str]] = {
    Kind.URL: {"inputmode": "url"},
    Kind.NUMBER: {"inputmode": "decimal"},
    Kind.DAY: {"type": "date", "min": "2020-01-01"},
    Kind.DIGEST: {"spellcheck": "false"},
    Kind.COMMIT: {"spellcheck": "false"},
}
_ATTRS_BY_KEY: Mapping[str, Mapping[str, str]] = {
    "system": {"list": "known-systems", "aria-required": "true"},
    "models": {"list": "known-models"},
    "organisation": {"list": "known-organisations", "autocomplete": "organization"},
}


def _field_for(fact: Fact) -> forms.Field:
    label, help_text = gettext_lazy(fact.label), gettext_lazy(fact.help)
    choices = fact.choices.choices if fact.choices else []
    if fact.kind is Kind.YES_NO:
        choices = list(zip(("true", "false"), fact.answers, strict=True))
    if choices:
        labelled = [("", gettext_lazy("Not stated")), *((key, gettext_lazy(word)) for key, word in choices)]
        return forms.ChoiceField(label=label, help_text=help_text, required=False, choices=labelled)
    attrs = {"autocomplete": "off", **_ATTRS.get(fact.kind, {}), **_ATTRS_BY_KEY.get(fact.key, {})}
    if fact.is_required:
        # The script counts what is typed.
        attrs["data-most"] = str(fact.longest)
    widget = forms.TextInput(attrs=attrs)
    field = forms.CharField(label=label, help_text=help_text, required=False, widget=widget)
    field.widget.is_required = fact.is_required  # the service refuses an empty one
    return field


class FactsForm(forms.Form):
    """Facts about a system and the submitted runs, by the names that requests use.

    The service checks them; the form only shows the fields and the problems.
    """

    is_long = True
    # Names of the fields whose values are from the file.
    filled_in: Sequence[str] = ()

    runs = forms.CharField(
        label=gettext_lazy("Number of runs"),
        help_text=gettext_lazy(
            "Only if you planned more runs than there are files. A missing run counts as wrong."
        ),
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )

    def fill_in(self, facts: Mapping[str, Any]) -> None:
        """Take facts from a file as the values of fields that have none yet."""
        new = {key: _as_typed(value) for key, value in facts.items() if not self.initial.get(key)}
        self.initial = {**self.initial, **new}
        self.filled_in = list(new)

    @property
    def filled_in_labels(self) -> list[str]:
        return [str(self.fields[key].label) for key in self.filled_in]

    @property
    def groups(self) -> dict[str, list[forms.BoundField]]:
        """The fields by the groups of `_GROUPS`."""
        return {name: [self[key] for key in keys] for name, keys in _GROUPS.items()}

    @property
    def has_advanced(self) -> bool:
        """Whether a field that is folded has an error or a value that was typed."""
        folded = [self[key] for name in ("more", "conditions", "release") for key in _GROUPS[name]]
        return any(field.errors or (field.value() and field.name not in self.filled_in) for field in folded)

    def stated(self) -> dict[str, str]:
        """Return the facts that were filled in; an empty field leaves the fact of a known system as it is."""
        values = {name: self.data.get(name, "") for name in self.fields}
        return {name: value for name, value in values.items() if value.strip() or name == "system"}

    def typed(self) -> dict[str, str]:
        """Return what was typed into each field about the system."""
        return {name: self.data.get(name, "") for name in self.fields if name not in _ABOUT_RUNS}

    def check_facts(self) -> None:
        """Validate the facts of a form without a file."""
        try:
            parse_stated(self.stated(), files=1)
        except FactsInvalid as error:
            self.show(error.problems)

    def show(self, problems: Sequence[Problem]) -> None:
        """Show each problem beside its field."""
        for problem in problems:
            name = problem.pointer.removeprefix("/").partition("/")[0]
            # One error a field: the form's own, where it has one.
            if name not in self.errors:
                text = f"{self._message(problem)} {problem.hint}".strip()
                self.add_error(name if name in self.fields else None, text)

    def _message(self, problem: Problem) -> str:
        """Say what is wrong; nothing of a name that is too long, as its hint says that."""
        length = len(self.data.get("system", "").strip())
        if problem.pointer != "/system" or 0 < length <= BY_KEY["system"].longest:
            return str(problem.message)
        return "" if length else gettext("Required.")


FactsForm.base_fields.update({fact.key: _field_for(fact) for fact in FACTS})


def initial_facts(system: System) -> dict[str, str]:
    """Return the facts of a known system as the initial values of a FactsForm."""
    return {fact.key: _as_typed(getattr(system, fact.field)) for fact in OF_SYSTEM}


_WORDS: Mapping[bool | None, str] = {True: "true", False: "false", None: ""}


def _as_typed(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    if isinstance(value, list):
        return ", ".join(value)
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def words_of_changes(changes: Mapping[str, tuple[Any, Any]]) -> list[tuple[str, str, str]]:
    """Return a label for each changed fact of a system, and its values before and after, "" for none."""
    facts = [(BY_FIELD[name], was, now) for name, (was, now) in changes.items()]
    return [(translated(fact.label), _in_words(fact, was), _in_words(fact, now)) for fact, was, now in facts]


def _in_words(fact: Fact, value: Any) -> str:
    if fact.kind is Kind.NAMES:
        return join_names(value)
    return _as_typed(value) if fact.kind is Kind.NUMBER else print_fact(fact, value, translated)


def suggestions_for(team: Team | None) -> dict[str, list[str]]:
    """Return the systems, models and organisations that the team has named before."""
    systems = list(System.objects.filter(team=team).order_by("name")) if team else []
    return {
        "systems": [system.name for system in systems],
        "models": sorted({", ".join(system.model_names) for system in systems if system.model_names}),
        "organisations": sorted({system.organisation for system in systems if system.organisation}),
    }


class ReviewLinkForm(forms.Form):
    """The name and lifetime of a new link for reviewers."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=80,
        required=False,
        validators=[validate_readable],
        help_text=gettext_lazy("For you alone, such as the venue; reviewers never see it."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    days = expiry_choice(180)


class WithdrawForm(forms.Form):
    """The public reason for withdrawing a result."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=300,
        required=False,
        help_text=gettext_lazy("Public, in the leaderboard’s log; up to 300 characters."),
        widget=forms.Textarea(attrs={"rows": 2}),
    )
