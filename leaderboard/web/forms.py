"""Forms of the pages."""

from collections.abc import Sequence

from django import forms

from leaderboard.models import Interaction, Reasoning, Retrieval, System, Team
from leaderboard.services.errors import FactsInvalid
from leaderboard.services.systems import read_facts
from leaderboard.services.texts import has_refused, is_visible
from scoring.problems import Problem


class SignUpForm(forms.Form):
    """What sign-up asks beside e-mail and password."""

    name = forms.CharField(
        max_length=120,
        label="Name on the board",
        help_text="You, your group or your lab.",
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
        label=label, help_text=help_text, required=False, choices=[("", "Not said"), *choices]
    )


class FactsForm(forms.Form):
    """Facts about a system, by the names that requests use. The service checks them; this shows them."""

    system = _text(
        "Name of the system",
        "As it stands on the board. A name that you have used before means that system.",
        list="known-systems",
        autocomplete="off",
        **{"aria-required": "true"},
    )
    models = _text(
        "Model or models",
        "What it runs on, such as o4-mini. Separate several with commas.",
        list="known-models",
        autocomplete="off",
    )
    organisation = _text(
        "Organisation",
        "Your lab, hospital or company; empty shows your own name.",
        list="known-organisations",
        autocomplete="organization",
    )
    interaction = _choice(
        "Interaction", "One call to a model a task, or a conversation with tools.", Interaction.choices
    )
    retrieval = _choice("Retrieval", "How it reaches the FHIR data.", Retrieval.choices)
    reasoning = _choice("Reasoning", "Whether it works answers out in words or in code.", Reasoning.choices)
    open_weights = _choice(
        "Weights",
        "Open: anyone may download the model.",
        [("true", "Open weights"), ("false", "Closed weights")],
    )
    code_url = _text("Code", "A link that begins with https://.", inputmode="url", autocomplete="off")
    paper_url = _text("Paper", "A link that begins with https://.", inputmode="url", autocomplete="off")

    def said(self) -> dict[str, str]:
        """Return what was filled in. A field left empty says nothing: what is known of the system stays."""
        said = {name: self.data.get(name, "") for name in self.fields}
        return {name: value for name, value in said.items() if value.strip() or name == "system"}

    def check_facts(self) -> None:
        """Show what is wrong with the facts, where no file came that would have had them checked."""
        try:
            read_facts(self.said())
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
        label="Reason",
        max_length=300,
        required=False,
        help_text="Kept with the submission; up to 300 characters.",
    )


class TokenForm(forms.Form):
    name = forms.CharField(
        label="Name",
        max_length=80,
        help_text="What it is for, such as “nightly CI”.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    days = forms.TypedChoiceField(
        label="Expires after",
        choices=[("30", "30 days"), ("90", "90 days"), ("365", "365 days"), ("never", "Never")],
        initial="90",
        coerce=lambda value: None if value == "never" else int(value),
        empty_value=None,
        help_text="A token that expires can do less harm when it is lost.",
    )

    def clean_name(self) -> str:
        name = self.cleaned_data["name"]
        if has_refused(name) or not is_visible(name):
            raise forms.ValidationError("It holds control or invisible characters.")
        return name
