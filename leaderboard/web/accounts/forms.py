"""Forms of the account pages."""

from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from leaderboard.models import OF_SENDERS, Scope, User
from leaderboard.web.shared.of_team import BoardChoice, OfTeamForm, expiry_choice, name_field, team_choice


class SignUpForm(forms.Form):
    """The fields that sign-up has beside email and password. allauth calls `signup`."""

    name = name_field(
        label=gettext_lazy("Public name"),
        help_text=gettext_lazy("You, your lab or your company. It stays public."),
        autocomplete="name",
    )

    def signup(self, request: HttpRequest, user: User) -> None:
        user.first_name = self.cleaned_data["name"][:150]
        user.save(update_fields=["first_name"])


class NamesForm(forms.Form):
    """The name of a person and, once there is one, of the person's team."""

    name = name_field(
        label=gettext_lazy("Your name"),
        help_text=gettext_lazy("Only the organisers see it."),
        autocomplete="name",
    )
    team = name_field(label=gettext_lazy("Team name"), autocomplete="organization")

    def __init__(self, *args: Any, has_team: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not has_team:
            # The first submission creates the team, under the name of the person.
            del self.fields["team"]
            self.fields["name"].help_text = gettext_lazy(
                "The first file that you submit creates your team under this name."
            )


class DeletionForm(forms.Form):
    confirmed = forms.BooleanField(label=gettext_lazy("Yes, delete my account for good"))


class TokenForm(OfTeamForm):
    """The name and lifetime of a new token, and what it may be used for."""

    team = team_choice(
        label=gettext_lazy("Token of"),
        help_text=gettext_lazy(
            "A team’s token keeps working after you leave the team. Its owners can revoke it."
        ),
    )
    name = name_field(
        label=gettext_lazy("Name"),
        max_length=80,
        help_text=gettext_lazy("What it is for, such as “nightly CI”."),
    )
    days = expiry_choice(90, help_text=gettext_lazy("An expiring token limits the damage if it leaks."))
    board = BoardChoice(help_text=gettext_lazy("Limits the token to one leaderboard."))
    scopes = forms.TypedMultipleChoiceField(
        label=gettext_lazy("What it may be used for"),
        choices=[(scope.value, gettext_lazy(scope.label)) for scope in OF_SENDERS],
        coerce=Scope,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("Select the minimum."),
    )


class DeviceCodeForm(forms.Form):
    """The code that a program shows to the person whose token it asks for."""

    user_code = forms.CharField(
        label=gettext_lazy("Code that the program shows"),
        max_length=20,
        help_text=gettext_lazy("Eight characters, such as BCDF-GHJK."),
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}
        ),
    )
