"""Forms of the pages of teams."""

import re
from functools import partial
from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.models import Role
from leaderboard.models.teams import HANDLE
from leaderboard.services.text import validate_email_address
from leaderboard.services.trusted_publishing.issuers import known_issuers
from leaderboard.web.shared.of_team import BoardChoice, OfTeamForm, name_field, team_choice

_LONGEST_HANDLE = 40
_PLAIN = {"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
_PlainField = partial(forms.CharField, max_length=255, widget=forms.TextInput(attrs=_PLAIN))


class PublisherForm(OfTeamForm):
    """A workflow of a repository whose jobs may submit."""

    team = team_choice(
        label=gettext_lazy("Publisher of"),
        help_text=gettext_lazy("Its jobs submit for this account or team."),
    )
    issuer = forms.ChoiceField(label=gettext_lazy("CI system"))
    repository = _PlainField(
        label=gettext_lazy("Repository"),
        help_text=gettext_lazy("Owner and name, such as example-lab/my-agent."),
    )
    workflow = _PlainField(
        label=gettext_lazy("Workflow file"),
        help_text=gettext_lazy("Such as release.yml; on GitLab .gitlab-ci.yml."),
    )
    environment = _PlainField(
        label=gettext_lazy("Environment"),
        required=False,
        help_text=gettext_lazy("Accepts only jobs of this environment, which can have protection rules."),
    )
    repository_id = _PlainField(
        label=gettext_lazy("Id of the repository"),
        required=False,
        max_length=64,
        help_text=gettext_lazy(
            "A number. Without it, the first job binds the publisher to that of its repository."
        ),
    )
    board = BoardChoice(help_text=gettext_lazy("Limits its jobs to one leaderboard."))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        issuers = known_issuers().values()
        self.fields["issuer"].choices = [(issuer.url, issuer.title) for issuer in issuers]  # type: ignore[attr-defined]

    @property
    def limits(self) -> list[forms.BoundField]:
        """The fields that limit which jobs may submit, and where; the page folds them."""
        return [self[name] for name in ("environment", "repository_id", "board")]


class TeamNameForm(forms.Form):
    name = name_field(
        label=gettext_lazy("Name of the team"),
        help_text=gettext_lazy("Public beside the results that the team publishes."),
    )


class NewTeamForm(TeamNameForm):
    """The name of a new team and its short name, which is taken from the name where none is typed."""

    handle = forms.CharField(
        label=gettext_lazy("Short name (optional)"),
        required=False,
        max_length=_LONGEST_HANDLE,
        help_text=gettext_lazy(
            "For addresses and scripts, such as “ward-lab”. It cannot be changed. Leave it empty to have it "
            "made from the name."
        ),
        widget=forms.TextInput(attrs=_PLAIN),
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if "name" not in cleaned or "handle" not in cleaned:
            return cleaned
        cleaned["handle"] = handle = cleaned["handle"] or suggest_handle(cleaned["name"])
        if not handle:
            self.add_error("handle", _("No short name can be made from this name: type one."))
        return cleaned


def suggest_handle(name: str) -> str:
    """Return a short name made from the name of a team; "" where its letters give none."""
    handle = re.sub(r"[_-]+", "-", slugify(name))[:_LONGEST_HANDLE].strip("-")
    return handle if re.match(HANDLE, handle) else ""


class InvitationForm(forms.Form):
    """Whom to invite, and as what."""

    email = forms.EmailField(
        label=gettext_lazy("Email address"),
        validators=[validate_email_address],
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    role = forms.TypedChoiceField(
        label=gettext_lazy("Role"),
        choices=[(Role.MEMBER.value, gettext_lazy("Member")), (Role.OWNER.value, gettext_lazy("Owner"))],
        coerce=Role,
    )
