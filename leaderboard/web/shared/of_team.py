"""What forms have in common that make something for a person, or for a team that the person owns."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from leaderboard.models import Board, Team


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

    owned: those that the person owns; without any, it can only be the person's own
    """

    def __init__(self, *args: Any, owned: Sequence[Team] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if owned:
            keys = [team.pk for team in owned]
            self.fields["team"].queryset = Team.objects.filter(pk__in=keys).order_by("name")  # type: ignore[attr-defined]
        else:
            del self.fields["team"]
