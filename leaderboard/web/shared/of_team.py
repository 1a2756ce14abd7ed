"""What forms have in common that make something for a person, or for a team that the person owns."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_lazy

from leaderboard.http.problems import INVALID, PROBLEM_TYPES, status_of
from leaderboard.models import Board, Membership, Role, Team
from leaderboard.services.errors import WrongState
from leaderboard.services.text import validate_readable


@contextmanager
def errors_in(form: forms.BaseForm) -> Iterator[None]:
    """Add to a form why its use-case refuses what was typed."""
    try:
        yield
    except ValidationError as error:
        form.add_error(None, error)
    except WrongState as error:
        form.add_error(None, ValidationError(error.detail, code=error.code))


def status_of_form(form: forms.Form) -> int:
    """Return the status of the page with a form: that of its refusal, where a use-case refused."""
    codes = [error.code or "" for error in form.non_field_errors().as_data()]
    refusals = [code for code in codes if code in PROBLEM_TYPES]
    return status_of(refusals[0]) if refusals else INVALID if form.errors else 200


def name_field(*, autocomplete: str = "off", max_length: int = 120, **options: Any) -> forms.CharField:
    """Return the field of a name that people read. autocomplete: what a browser may fill in"""
    widget = forms.TextInput(attrs={"autocomplete": autocomplete})
    return forms.CharField(max_length=max_length, validators=[validate_readable], widget=widget, **options)


class BoardChoice(forms.ModelChoiceField):  # type: ignore[type-arg]  # it takes none at run time
    """A choice of one leaderboard by its translated title, or all of them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            queryset=Board.objects.without_references(),
            label=gettext_lazy("Leaderboard"),
            required=False,
            empty_label=gettext_lazy("All leaderboards"),
            **options,
        )

    def label_from_instance(self, obj: Board) -> str:
        return gettext(obj.title)


def expiry_choice(days: int, **options: Any) -> "forms.TypedChoiceField":
    """Return the field that asks after how many days something expires, None for never; at first `days`."""
    return forms.TypedChoiceField(
        label=gettext_lazy("Expires after"),
        choices=[
            (30, gettext_lazy("30 days")),
            (90, gettext_lazy("90 days")),
            (180, gettext_lazy("180 days")),
            (365, gettext_lazy("365 days")),
            ("never", gettext_lazy("Never")),
        ],
        initial=days,
        coerce=lambda value: None if value == "never" else int(value),
        empty_value=None,
        **options,
    )


def team_choice(**options: Any) -> "forms.ModelChoiceField[Team]":
    """Return the field that chooses a team of the person, or the person alone."""
    return forms.ModelChoiceField(
        queryset=Team.objects.none(),
        to_field_name="handle",
        required=False,
        empty_label=gettext_lazy("You"),
        **options,
    )


class OfTeamForm(forms.Form):
    """Something of a person, or of a team of several people.

    memberships: those of the person; without a team that the person owns, it can only be the person's own
    asked: the short name of the team that is chosen first, if the person owns it
    """

    def __init__(
        self, *args: Any, memberships: Sequence[Membership] = (), asked: str = "", **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        owned = [row.team for row in memberships if row.role == Role.OWNER]
        if owned:
            keys = [team.pk for team in owned]
            self.fields["team"].queryset = Team.objects.filter(pk__in=keys).order_by("name")  # type: ignore[attr-defined]
            self.initial["team"] = next((team for team in owned if team.handle == asked), None)
        else:
            del self.fields["team"]
