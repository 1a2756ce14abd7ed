"""Forms of the submission pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from django import forms
from django.utils.translation import gettext_lazy, gettext_noop, pgettext_lazy

from leaderboard.models import Interaction, Reasoning, Retrieval, System, Team
from leaderboard.services.errors import FactsInvalid
from leaderboard.services.submissions.stated_facts import parse_facts
from scoring.reading.problems import Problem

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


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
            ("", gettext_lazy("Not said")),
            *((value, gettext_lazy(word)) for value, word in choices),
        ],
    )


class FactsForm(forms.Form):
    """Facts about a system, by the names that requests use.

    The service checks them; the form only shows the fields and the problems.
    """

    system = _text(
        gettext_lazy("Name of the system"),
        gettext_lazy(
            "As it stands on the board. A name that you have used before means that system. "
            "Facts of a system that is on a board change at once."
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
        gettext_lazy("Your lab, hospital or company; empty shows your own name."),
        list="known-organisations",
        autocomplete="organization",
    )
    interaction = _choice(
        gettext_lazy("Interaction"),
        gettext_lazy("One call to a model a task, or a conversation with tools."),
        Interaction.choices,
    )
    retrieval = _choice(
        gettext_lazy("Retrieval"), gettext_lazy("How it reaches the FHIR data."), Retrieval.choices
    )
    reasoning = _choice(
        gettext_lazy("Reasoning"),
        gettext_lazy("Whether it works answers out in words or in code."),
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

    def stated(self) -> dict[str, str]:
        """Return the facts that were filled in. An empty field leaves the known fact as it is."""
        values = {name: self.data.get(name, "") for name in self.fields}
        return {name: value for name, value in values.items() if value.strip() or name == "system"}

    def check_facts(self) -> None:
        """Show the problems of the facts, for a form without a file."""
        try:
            parse_facts(self.stated())
        except FactsInvalid as error:
            self.show(error.problems)

    def show(self, problems: Sequence[Problem]) -> None:
        """Show each problem beside its field."""
        for problem in problems:
            name = problem.pointer.removeprefix("/").partition("/")[0]
            # One error a field: the form's own, where it has one.
            if name not in self.errors:
                self.add_error(name if name in self.fields else None, f"{problem.message} {problem.hint}")


def initial_facts(system: System) -> dict[str, str]:
    """Return the facts of a known system as the initial values of a FactsForm."""
    return {
        "system": system.name,
        "models": ", ".join(system.model_names),
        "organisation": system.organisation,
        "interaction": system.interaction,
        "retrieval": system.retrieval,
        "reasoning": system.reasoning,
        "open_weights": {True: "true", False: "false", None: ""}[system.open_weights],
        "code_url": system.code_url,
        "paper_url": system.paper_url,
    }


def suggestions_for(team: Team | None) -> dict[str, list[str]]:
    """Return the systems, models and organisations that the team has named before."""
    systems = list(System.objects.filter(team=team).order_by("name")) if team else []
    return {
        "systems": [system.name for system in systems],
        "models": sorted({", ".join(system.model_names) for system in systems if system.model_names}),
        "organisations": sorted({system.organisation for system in systems if system.organisation}),
    }


class WithdrawForm(forms.Form):
    """The public reason for withdrawing a result."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=300,
        required=False,
        help_text=gettext_lazy("Public, in the board’s log of changes; up to 300 characters."),
    )
