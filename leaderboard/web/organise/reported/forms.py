"""The form of one published result."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _

from leaderboard.models import Board, ReportedResult
from leaderboard.services.publishing.reported.fields import Field, Kind, as_text, fields_of
from leaderboard.services.publishing.reported.read import ReportedInvalid, StatedResult, read_result, tasks_of
from leaderboard.web.shared.language import in_words
from leaderboard.web.templatetags.languages import translated

_LONG_TEXT = 200  # characters from which on a field has several lines


class ReportedForm(forms.Form):
    """Ask for what is stated of one result, with the checks of the CSV file.

    result: the one to correct; None for a new one
    """

    def __init__(self, *args: Any, board: Board, result: ReportedResult | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.stated: StatedResult | None = None
        self._board, self._result = board, result
        for each in fields_of(board):
            self.fields[each.key] = _form_field(each, as_text(each, result.stated) if result else "")

    def clean(self) -> dict[str, Any]:
        texts = {key: str(value) for key, value in self.cleaned_data.items()}
        try:
            self.stated = read_result(
                texts, board=self._board, tasks=tasks_of(self._board), result=self._result
            )
        except ReportedInvalid as error:
            for problem in error.problems:
                text = f"{in_words(problem.message)}. {in_words(problem.hint)}"
                self.add_error(problem.pointer.removeprefix("/") or None, text)
        return self.cleaned_data


def _form_field(each: Field, initial: str) -> forms.Field:
    options: dict[str, Any] = {
        "label": in_words(each.label),
        "help_text": in_words(each.help) if each.help else "",
        "initial": initial,
        "required": False,
    }
    if each.kind is Kind.YES_NO:
        return forms.ChoiceField(choices=[("", "–"), ("yes", _("Yes")), ("no", _("No"))], **options)
    if each.choices is not None:
        choices = [(value, translated(str(label))) for value, label in each.choices.choices]
        return forms.ChoiceField(choices=[("", "–"), *choices], **options)
    if each.kind is Kind.DAY:
        return forms.CharField(widget=forms.DateInput(attrs={"type": "date"}), **options)
    widget = (
        forms.Textarea(attrs={"rows": 3}) if each.longest > _LONG_TEXT and each.kind is Kind.TEXT else None
    )
    return forms.CharField(widget=widget or forms.TextInput, strip=True, **options)
