"""Forms of the submission pages."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext, gettext_lazy, gettext_noop, pgettext_lazy

from leaderboard.models import Harness, Interaction, Reasoning, Retrieval, System, Team
from leaderboard.models.systems import CONDITIONS, RELEASE
from leaderboard.services.errors import FactsInvalid
from leaderboard.services.submissions.stated_facts import FIELDS_OF_REQUESTS, parse_stated
from leaderboard.services.text import join_names, validate_readable
from scoring.reading.problems import Problem

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


class _DayInput(forms.TextInput):
    input_type = "date"


def _text(label: _StrPromise, help_text: _StrPromise, **attrs: str) -> forms.CharField:
    return forms.CharField(
        label=label, help_text=help_text, required=False, widget=forms.TextInput(attrs=attrs)
    )


def _choice(
    label: _StrPromise, help_text: _StrPromise, choices: Iterable[tuple[str, str]]
) -> forms.ChoiceField:
    return forms.ChoiceField(
        label=label,
        help_text=help_text,
        required=False,
        choices=[
            ("", gettext_lazy("Not stated")),
            *((value, gettext_lazy(word)) for value, word in choices),
        ],
    )


_YES_NO = (("true", gettext_noop("Yes")), ("false", gettext_noop("No")))
_FIRST = ("system", "models", "organisation")
_SEVERAL_RUNS = ("runs", "retries")
_ABOUT_RUNS = (*_SEVERAL_RUNS, *RELEASE)


class FactsForm(forms.Form):
    """Facts about a system and the submitted runs, by the names that requests use.

    The service checks them; the form only shows the fields and the problems.
    """

    system = _text(
        gettext_lazy("Name of the system"),
        gettext_lazy(
            "Shown on the leaderboard. A name that you have used before means that system; details of a "
            "public system change only when you publish."
        ),
        list="known-systems",
        autocomplete="off",
        **{"aria-required": "true"},
    )
    models = _text(
        gettext_lazy("Model or models"),
        gettext_lazy("What it runs on, such as o4-mini. Separate several with commas."),
        list="known-models",
        autocomplete="off",
    )
    organisation = _text(
        gettext_lazy("Organisation"),
        gettext_lazy("Your lab, hospital or company. Leave empty to show your team’s name."),
        list="known-organisations",
        autocomplete="organization",
    )
    interaction = _choice(
        gettext_lazy("Interaction"),
        gettext_lazy("One model call per task, or a conversation with tools."),
        Interaction.choices,
    )
    retrieval = _choice(
        gettext_lazy("Retrieval"), gettext_lazy("How it reaches the FHIR data."), Retrieval.choices
    )
    reasoning = _choice(
        gettext_lazy("Reasoning"),
        gettext_lazy("Whether it reasons in natural language or in code."),
        Reasoning.choices,
    )
    open_weights = _choice(
        gettext_lazy("Weights"),
        gettext_lazy("Open: anyone may download the model."),
        [("true", gettext_noop("Open weights")), ("false", gettext_noop("Closed weights"))],
    )
    code_url = _text(
        pgettext_lazy("of a system", "Code"),
        gettext_lazy("A link that begins with https://."),
        inputmode="url",
        autocomplete="off",
    )
    paper_url = _text(
        gettext_lazy("Paper"),
        gettext_lazy("A link that begins with https://."),
        inputmode="url",
        autocomplete="off",
    )

    runs = _text(
        gettext_lazy("Number of runs"),
        gettext_lazy("Only if you planned more runs than there are files. A missing run counts as wrong."),
        inputmode="numeric",
        autocomplete="off",
    )
    retries = _text(
        gettext_lazy("What was run again"),
        gettext_lazy("Because the runner failed, and why. Public with the result."),
        autocomplete="off",
    )

    version = _text(
        gettext_lazy("Version"),
        gettext_lazy("Of the system that was run, such as 2.1.0."),
        autocomplete="off",
    )
    commit = _text(
        gettext_lazy("Commit"),
        gettext_lazy("Of the system’s code, as git rev-parse HEAD prints it."),
        autocomplete="off",
        spellcheck="false",
    )
    run_url = _text(
        gettext_lazy("Link to the run"),
        gettext_lazy("A job of CI, for instance; a link that begins with https://."),
        inputmode="url",
        autocomplete="off",
    )
    note = _text(
        gettext_lazy("Note"),
        gettext_lazy("Anything that readers should know about this run; up to 500 characters."),
        autocomplete="off",
    )

    harness = _choice(
        gettext_lazy("Harness"),
        gettext_lazy(
            "What ran the system: the benchmark’s own harness, your own tools, or a program that fetched the "
            "data of a task before the model was asked. One model can score very differently under two."
        ),
        Harness.choices,
    )
    trained_on_benchmark = _choice(
        gettext_lazy("Trained on this benchmark"),
        gettext_lazy("Whether any of its models was trained or tuned on tasks of this benchmark."),
        _YES_NO,
    )
    task_memory = _choice(
        gettext_lazy("Memory of the tasks"),
        gettext_lazy("Whether it had memory of, or examples from, the benchmark’s tasks."),
        _YES_NO,
    )
    harness_name = _text(
        gettext_lazy("Name of the harness"),
        gettext_lazy("With its version, such as careful-loop 2; up to 80 characters."),
        autocomplete="off",
    )
    tools = _text(
        gettext_lazy("Tools"),
        gettext_lazy("What it could call, such as FHIR search, a calculator; up to 200 characters."),
        autocomplete="off",
    )
    cost_per_task = _text(
        gettext_lazy("Cost per task"),
        gettext_lazy("Mean US dollars per task, such as 0.042."),
        inputmode="decimal",
        autocomplete="off",
    )
    seconds_per_task = _text(
        gettext_lazy("Time per task"),
        gettext_lazy("Mean seconds from instruction to answer, such as 12.5."),
        inputmode="decimal",
        autocomplete="off",
    )
    run_on = forms.CharField(
        label=gettext_lazy("Date of the run"),
        help_text=gettext_lazy("The day on which it began."),
        required=False,
        widget=_DayInput(attrs={"min": "2020-01-01", "autocomplete": "off"}),
    )
    fhir_image = _text(
        gettext_lazy("FHIR server image"),
        gettext_lazy("Its digest, sha256: and 64 digits, as docker images --digests shows it."),
        autocomplete="off",
        spellcheck="false",
    )

    @property
    def system_fields(self) -> list[forms.BoundField]:
        """The fields about the system itself."""
        return [self[name] for name in self.fields if name not in (*CONDITIONS, *_ABOUT_RUNS)]

    @property
    def first_fields(self) -> list[forms.BoundField]:
        """The fields that everyone is asked for."""
        return [self[name] for name in _FIRST]

    @property
    def more_fields(self) -> list[forms.BoundField]:
        """The other fields about the system itself."""
        return [self[name] for name in self.fields if name not in (*_FIRST, *CONDITIONS, *_ABOUT_RUNS)]

    @property
    def has_more(self) -> bool:
        """Whether one of them is filled in or has a problem, so that the group is shown unfolded."""
        return _needs_a_look(self.more_fields)

    @property
    def has_runs(self) -> bool:
        """Whether the form states something about the runs, so that this group of fields is open."""
        return _needs_a_look(self.run_fields)

    @property
    def condition_fields(self) -> list[forms.BoundField]:
        """The fields about the conditions of its runs."""
        return [self[name] for name in self.fields if name in CONDITIONS]

    @property
    def has_conditions(self) -> bool:
        """Whether a condition is filled in or has a problem, so that the group is shown unfolded."""
        return _needs_a_look(self.condition_fields)

    @property
    def run_fields(self) -> list[forms.BoundField]:
        """The fields about several runs."""
        return [self[name] for name in _SEVERAL_RUNS]

    @property
    def release_fields(self) -> list[forms.BoundField]:
        """The fields about what was run."""
        return [self[name] for name in RELEASE]

    @property
    def has_release(self) -> bool:
        """Whether one of them is filled in or has a problem, so that the group is shown unfolded."""
        return _needs_a_look(self.release_fields)

    @property
    def known_system(self) -> str:
        """The name of the known system whose facts the form showed at first; "" for none."""
        return str(self.initial.get("system", "") or self.data.get("known_system", ""))

    @property
    def known_facts(self) -> str:
        """The names of the fields that had a known fact at first, with commas."""
        if not self.initial:
            return str(self.data.get("known_facts", ""))
        return ",".join(name for name, value in self.initial.items() if value and name != "system")

    def stated(self) -> dict[str, str]:
        """Return the facts that were filled in, and as `take_back` the known ones that were emptied.

        A field that was empty from the beginning leaves the known fact as it is.
        """
        values = {name: self.data.get(name, "") for name in self.fields}
        facts = {name: value for name, value in values.items() if value.strip() or name == "system"}
        # Only for the same system: to empty a field and type another name says nothing about that one.
        if self.known_system and self.known_system.lower() == facts["system"].strip().lower():
            emptied = [name for name in self.known_facts.split(",") if name in values and name not in facts]
            facts |= {"take_back": ",".join(emptied)} if emptied else {}
        return facts

    def typed(self) -> dict[str, str]:
        """Return what was typed into each field about the system."""
        return {name: self.data.get(name, "") for name in self.fields if name not in _ABOUT_RUNS}

    def check_facts(self) -> None:
        """Show the problems of the facts, for a form without a file."""
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
                self.add_error(name if name in self.fields else None, f"{problem.message} {problem.hint}")


def _needs_a_look(fields: Sequence[forms.BoundField]) -> bool:
    return any(field.errors or field.value() for field in fields)


def initial_facts(system: System) -> dict[str, str]:
    """Return the facts of a known system as the initial values of a FactsForm."""
    return {
        "system": system.name,
        "models": ", ".join(system.model_names),
        "organisation": system.organisation,
        "interaction": system.interaction,
        "retrieval": system.retrieval,
        "reasoning": system.reasoning,
        "open_weights": _WORDS[system.open_weights],
        "code_url": system.code_url,
        "paper_url": system.paper_url,
        **{name: _as_typed(getattr(system, name)) for name in CONDITIONS},
    }


_WORDS: Mapping[bool | None, str] = {True: "true", False: "false", None: ""}


def _as_typed(value: Any) -> str:
    """Return a condition as it would be typed into its field."""
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def words_of_changes(changes: Mapping[str, tuple[Any, Any]]) -> list[tuple[str, str, str]]:
    """Return a label for each changed fact of a system, and its values before and after, "" for none."""
    fields = FactsForm.base_fields
    return [
        (str(fields[FIELDS_OF_REQUESTS.get(name, name)].label), _in_words(name, was), _in_words(name, now))
        for name, (was, now) in changes.items()
    ]


def _in_words(name: str, value: Any) -> str:
    if isinstance(value, list):
        return join_names(value)
    if name == "open_weights":
        return gettext(_WEIGHTS[value]) if value in _WEIGHTS else ""
    if isinstance(value, bool):
        return gettext("Yes") if value else gettext("No")
    choices = _CHOICES.get(name, {})
    return gettext(str(choices[value])) if value in choices else _as_typed(value)


_CHOICES: Mapping[str, Mapping[Any, Any]] = {
    "interaction": dict(Interaction.choices),
    "retrieval": dict(Retrieval.choices),
    "reasoning": dict(Reasoning.choices),
    "harness": dict(Harness.choices),
}
_WEIGHTS = {True: "Open weights", False: "Closed weights"}


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
    days = forms.TypedChoiceField(
        label=gettext_lazy("Expires after"),
        choices=[
            ("30", gettext_lazy("30 days")),
            ("90", gettext_lazy("90 days")),
            ("180", gettext_lazy("180 days")),
            ("365", gettext_lazy("365 days")),
            ("never", gettext_lazy("Never")),
        ],
        initial="180",
        coerce=lambda value: None if value == "never" else int(value),
        empty_value=None,
    )
    # A double click sends the form twice, and makes one link.
    form_id = forms.CharField(required=False, initial=secrets.token_urlsafe, widget=forms.HiddenInput)


class WithdrawForm(forms.Form):
    """The public reason for withdrawing a result."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=300,
        required=False,
        help_text=gettext_lazy("Public, in the leaderboard’s log of changes; up to 300 characters."),
    )
