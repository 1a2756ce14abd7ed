"""Forms of the pages."""

from collections.abc import Sequence

from django import forms
from django.utils.translation import gettext, gettext_lazy, gettext_noop, pgettext_lazy

from leaderboard.models import Interaction, Reasoning, Retrieval, System, Team
from leaderboard.services.errors import FactsInvalid
from leaderboard.services.submissions.stated_facts import parse_facts
from leaderboard.services.text import has_hidden_characters, has_visible_character
from scoring.reading.problems import Problem


def _can_be_read(name: str) -> None:
    """Validator of names that others see."""
    if has_hidden_characters(name) or not has_visible_character(name):
        raise forms.ValidationError(gettext("It holds control or invisible characters."))


class SignUpForm(forms.Form):
    """What sign-up asks beside email and password."""

    name = forms.CharField(
        max_length=120,
        validators=[_can_be_read],
        label=gettext_lazy("Name on the board"),
        help_text=gettext_lazy("You, your group or your lab."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )

    def signup(self, request, user):
        user.first_name = self.cleaned_data["name"][:150]
        user.save(update_fields=["first_name"])


def _text(label: str, help_text: str, **attrs) -> forms.CharField:
    return forms.CharField(
        label=label, help_text=help_text, required=False, widget=forms.TextInput(attrs={**attrs})
    )


def _choice(label: str, help_text: str, choices) -> forms.ChoiceField:
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
    """Facts about a system, by the names that requests use. The service checks them; this shows them."""

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

    def said(self) -> dict[str, str]:
        """Return what was filled in. A field left empty says nothing: what is known of the system stays."""
        said = {name: self.data.get(name, "") for name in self.fields}
        return {name: value for name, value in said.items() if value.strip() or name == "system"}

    def check_facts(self) -> None:
        """Show what is wrong with the facts, where no file came that would have had them checked."""
        try:
            parse_facts(self.said())
        except FactsInvalid as error:
            self.show(error.problems)

    def show(self, problems: Sequence[Problem]) -> None:
        """Put each problem beside its field."""
        for problem in problems:
            name = problem.pointer.removeprefix("/").partition("/")[0]
            # What the form field itself has said already is not said twice.
            if name not in self.errors:
                self.add_error(name if name in self.fields else None, f"{problem.message} {problem.hint}")


def facts_of(system: System) -> dict[str, str]:
    """Return the facts of a known system as the form's fields hold them."""
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


def known_to(team: Team) -> dict[str, list[str]]:
    """Return what the team has said before, to choose from: systems, models, organisations."""
    systems = list(System.objects.filter(team=team).order_by("name"))
    return {
        "systems": [system.name for system in systems],
        "models": sorted({", ".join(system.model_names) for system in systems if system.model_names}),
        "organisations": sorted({system.organisation for system in systems if system.organisation}),
    }


class WithdrawForm(forms.Form):
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=300,
        required=False,
        help_text=gettext_lazy("Public, in the board’s log of changes; up to 300 characters."),
    )


class TokenForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=80,
        validators=[_can_be_read],
        help_text=gettext_lazy("What it is for, such as “nightly CI”."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Expires after"),
        choices=[
            ("30", gettext_lazy("30 days")),
            ("90", gettext_lazy("90 days")),
            ("365", gettext_lazy("365 days")),
            ("never", gettext_lazy("Never")),
        ],
        initial="90",
        coerce=lambda value: None if value == "never" else int(value),
        empty_value=None,
        help_text=gettext_lazy("A token that expires can do less harm when it is lost."),
    )
