"""Forms of the desk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from django import forms
from django.db import models

from leaderboard.models import Board, DataClass, Feedback, JudgeMode
from leaderboard.services.judging.judge import why_not_judged
from leaderboard.services.publishing.change_settings import SETTINGS
from leaderboard.services.publishing.disqualify import MAX_REASON, ReasonRefused, read_reason
from leaderboard.services.record import event_kinds
from leaderboard.services.text import validate_readable
from leaderboard.web.organise.words import setting_words
from wardboard.scoring import registry


class ReasonForm(forms.Form):
    """Ask for the reason of a change. help_text: who sees it"""

    is_long = True
    reason = forms.CharField(
        label="Reason",
        widget=forms.Textarea(attrs={"rows": 3, "maxlength": MAX_REASON}),
        error_messages={"required": "Give a reason."},
    )

    def __init__(self, *args: Any, help_text: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].help_text = help_text

    def clean_reason(self) -> str:
        try:
            return read_reason(self.cleaned_data["reason"])
        except ReasonRefused as refused:
            raise forms.ValidationError(refused.detail) from refused


class FeedbackForm(ReasonForm):
    """Ask for a feedback level and the reason to change it."""

    feedback = forms.ChoiceField(label="Feedback level", choices=Feedback.choices)


class LineField(forms.CharField):
    """A text that is shown as one paragraph, though it may be typed in several."""

    def to_python(self, value: Any) -> str:
        return " ".join((super().to_python(value) or "").split())


class AnnouncementForm(forms.Form):
    """Ask for the text of an announcement."""

    is_long = True

    text = LineField(
        label="Text in English",
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        validators=[validate_readable],
    )
    text_zh = LineField(
        label="Text in Chinese",
        help_text="Left empty, the Chinese page shows the English text.",
        required=False,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        validators=[validate_readable],
    )


class DeclarationForm(forms.Form):
    """Ask for the file that declares a benchmark, or its text, and for its reference answers."""

    file = forms.FileField(label="Declaration, a YAML or JSON file", required=False)
    text = forms.CharField(label="Or its text", required=False, widget=forms.Textarea(attrs={"rows": 16}))
    references = forms.FileField(
        label="Reference answers",
        help_text="As the declaration describes them. Without them you see what the declaration says.",
        required=False,
    )


class ImportForm(forms.Form):
    """Ask for the files of an import of reference answers, and the choices that the benchmark offers."""

    is_long = True

    def __init__(self, *args: Any, board: Board, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        benchmark = registry.get(board.benchmark)
        for file in benchmark.import_files:
            # An empty file is one of the problems that are reported with the others.
            self.fields[file.option] = forms.FileField(label=file.label, allow_empty_file=True)
        for choice in benchmark.import_choices:
            self.fields[choice.option] = forms.BooleanField(
                label=choice.label, help_text=choice.explains, required=False
            )
        self.fields["allow_unusable"] = forms.BooleanField(
            label="Import although some tasks cannot be graded",
            help_text="Every answer to such a task is wrong then.",
            required=False,
        )
        self._files = [file.option for file in benchmark.import_files]
        self._choices = [choice.option for choice in benchmark.import_choices]

    def files_by_option(self) -> dict[str, tuple[str, IO[bytes]]]:
        """Return the files of a valid form, each with its name."""
        uploaded = {name: self.cleaned_data[name] for name in self._files}
        return {name: (file.name, file.file) for name, file in uploaded.items()}

    def chosen(self) -> list[str]:
        """Return the options that a valid form chooses."""
        return [name for name in self._choices if self.cleaned_data[name]]


# SQLite takes larger numbers, which PostgreSQL could not take over.
_LARGEST_INTEGER = 2**31 - 1
_LARGEST = {"position": 2**15 - 1, "rounding": 50}


def _form_field(column: models.Field[Any, Any], **options: Any) -> forms.Field | None:
    """Return the field of the form for a column, which takes what every database holds."""
    if isinstance(column, models.IntegerField):
        options["max_value"] = _LARGEST.get(column.name, _LARGEST_INTEGER)
    if column.name == "question":
        options |= {"form_class": LineField, "widget": forms.Textarea(attrs={"rows": 3})}
    field: forms.Field | None = column.formfield(**options)
    if field and column.name in ("title", "question"):
        field.validators.append(validate_readable)
    return field


# As the public log names them.
_LABELS = {name: words.capitalize() for name, words in event_kinds.SETTINGS.items()}


class LongForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """Fields of a board, in groups. legends: of the fields that are not about ranks"""

    is_long = True
    legends: Mapping[str, str]

    @property
    def groups(self) -> dict[str, list[forms.BoundField]]:
        """The fields by their legends."""
        groups: dict[str, list[forms.BoundField]] = {}
        for field in self:
            groups.setdefault(self.legends.get(field.name, "Ranks and judge"), []).append(field)
        return groups


class SettingsForm(LongForm):
    """Ask for the settings of a board. It holds what its reader saw: only what they change is changed."""

    legends = {
        **dict.fromkeys(("title", "question", "position", "is_demo", "public_traces"), "What readers see"),
        **dict.fromkeys((name for name in SETTINGS if name.endswith("_limit")), "Files that teams send"),
        **dict.fromkeys(("access", "rounding", "keep_originals", "data_class"), "Files that teams send"),
    }

    class Meta:
        model = Board
        fields = SETTINGS
        labels = _LABELS
        formfield_callback = _form_field

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not registry.get(self.instance.benchmark).needs_judge:
            del self.fields["judge_mode"], self.fields["mixes_judges"]
        elif why := why_not_judged(self.instance, JudgeMode.LLM):
            self.fields["judge_mode"].help_text = f"Rules alone can judge now. {why}"
        if not registry.get(self.instance.benchmark).metrics[0].upper_key:
            del self.fields["most_open"]
        others = Board.objects.without_references().exclude(pk=self.instance.pk)
        lane: Any = self.fields["unranked_lane_of"]
        lane.queryset = others.filter(benchmark=self.instance.benchmark)
        for name, field in self.fields.items():
            field.show_hidden_initial = True
            if name.endswith("_limit"):
                field.help_text = f"{field.help_text} Empty: no limit."

    def was_and_now(self, board: Board) -> list[tuple[str, ...]]:
        """Return the label of each field that was changed, with its words before and now."""
        names = self.changed_data
        both = (board, self.instance)
        return [(f"{self[name].label}", *(setting_words(of, name) for of in both)) for name in names]

    def clean_judge_mode(self) -> str:
        mode: str = self.cleaned_data["judge_mode"]
        if mode != self.initial["judge_mode"] and (why := why_not_judged(self.instance, mode)):
            raise forms.ValidationError(why)
        return mode

    def clean(self) -> None:
        for name in {*self.cleaned_data} - {*self.changed_data}:
            self.cleaned_data[name] = getattr(self.instance, name)
        if {"public_traces": True, "data_class": DataClass.CREDENTIALED}.items() <= self.cleaned_data.items():
            self.add_error("public_traces", "Traces of credentialed data are never public.")


class BoardForm(LongForm):
    """Ask what a new board is. Its limits, its rules and its judge begin as those of every board."""

    legends = {
        **dict.fromkeys(("title", "slug", "question", "feedback", "data_class"), "What readers see"),
        **dict.fromkeys(("benchmark", "version"), "Benchmark"),
    }
    benchmark = forms.ChoiceField(
        choices=[(slug, benchmark.title) for slug, benchmark in registry.BENCHMARKS.items()]
    )
    version = forms.CharField(
        label="Version of the task file",
        help_text="As files of results state it. It cannot change.",
        max_length=40,
        validators=[validate_readable],
    )
    slug = forms.RegexField(
        r"^[a-z0-9][a-z0-9-]{0,59}$",
        label="Name in addresses",
        help_text="Small letters, digits and hyphens. It cannot change.",
        error_messages={
            "invalid": "Use small letters, digits and hyphens.",
            "unique": "A leaderboard has this name: choose another.",
        },
    )

    class Meta:
        model = Board
        fields = ("title", "slug", "question", "benchmark", "version", "feedback", "data_class")
        labels = _LABELS
        formfield_callback = _form_field
