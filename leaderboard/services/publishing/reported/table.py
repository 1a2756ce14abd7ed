"""Read and write the one table of a board's results that were published elsewhere, as CSV."""

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.utils import timezone

from leaderboard.models import Board, ReportedResult
from leaderboard.services.text import validate_readable
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Unit
from wardboard.scoring.facts import BY_KEY, Choice
from wardboard.scoring.reported import Confidence, Grader, ReportedRow, SawTest, rate_of

MOST_ROWS = 1000
_NO_TABLE = "Save the table as CSV in UTF-8, with commas; the file to download is a template."
_AFTER_SEMICOLON = re.compile(r"(;\s*)'(?=[=+\-@＝＋－＠])")
_YES_NO = {"yes": True, "no": False, "": None}


@dataclass(frozen=True, slots=True, kw_only=True)
class TableError:
    """An error in a table. line: from 1; None for the whole file. column: "" for the whole line."""

    line: int | None
    column: str
    message: str


class TableInvalid(Exception):
    """A table cannot be taken. errors: all of them."""

    def __init__(self, errors: list[TableError]) -> None:
        super().__init__(f"{len(errors)} errors in a table of published results")
        self.errors = errors


class PercentField(forms.DecimalField):
    """Take a percentage; one up to 1 needs its sign, since 0.8 may be meant as a share."""

    def __init__(self) -> None:
        # With bounds on its digits: a message about 1e-999999 would be a million characters long.
        super().__init__(min_value=0, max_value=100, max_digits=25, decimal_places=22, required=False)

    def clean(self, value: str | None) -> Decimal | None:
        """Return the percentage, in 0..100. Raises ValidationError."""
        text = value or ""
        figure: Decimal | None = super().clean(text.removesuffix("%"))
        if figure and figure <= 1 and text == text.removesuffix("%"):
            raise ValidationError(f"Write {text}%, or {100 * figure.normalize():f}% if it is a share.")
        return figure


def _text(longest: int, *, is_required: bool = False) -> forms.CharField:
    return forms.CharField(max_length=longest, required=is_required, validators=[validate_readable])


def _choice(choices: type[Choice], *, is_required: bool = False) -> forms.ChoiceField:
    message = f"“%(value)s” is none of: {', '.join(choices.values)}."
    field = forms.TypedChoiceField(choices=choices.choices, coerce=choices, required=is_required)
    field.error_messages["invalid_choice"] = message
    return field


def _fact(key: str) -> forms.Field:
    fact = BY_KEY[key]
    return _choice(fact.choices) if fact.choices else _text(fact.longest)


class RowForm(forms.Form):
    """Check one row of a table. board_tasks: as `tasks_of` returns them."""

    system = _text(120, is_required=True)
    model = _text(120)
    organisation = _text(120)
    score = PercentField()
    correct = forms.IntegerField(min_value=0, max_value=1_000_000, required=False)
    tasks = forms.IntegerField(min_value=1, max_value=1_000_000, required=False)
    runs = forms.IntegerField(min_value=1, max_value=1000, required=False)
    published_on = forms.DateField(input_formats=["%Y-%m-%d"], required=False)
    source = _text(200, is_required=True)
    source_url = forms.CharField(max_length=300, validators=[URLValidator(["https"])])
    harness = _fact("harness")
    harness_name = _fact("harness_name")
    interaction = _fact("interaction")
    retrieval = _fact("retrieval")
    reasoning = _fact("reasoning")
    open_weights = forms.TypedChoiceField(
        choices=[("yes", "yes"), ("no", "no")], coerce=_YES_NO.get, required=False, empty_value=None
    )
    grader = _choice(Grader, is_required=True)
    judge = _text(120)
    scored_by = _text(200, is_required=True)
    saw_test = _choice(SawTest, is_required=True)
    confidence = _choice(Confidence, is_required=True)
    not_ranked = _text(300)
    note = _text(500)

    def __init__(self, cells: Mapping[str, str], *, board: Board, board_tasks: int | None) -> None:
        super().__init__(cells)
        self.fields = {name: self.fields.get(name, PercentField()) for name in columns_of(board)}
        self._metrics = _metrics_of(board)
        self._ranked = registry.get(board.benchmark).metrics[0].key
        self._board_tasks = board_tasks

    def clean(self) -> dict[str, Any]:
        values = self.cleaned_data
        day = values.get("published_on")
        if day and not 2000 <= day.year <= timezone.now().year:
            self.add_error("published_on", "The day is in the future, or before 2000.")
        if "@" in values.get("source_url", ""):
            self.add_error("source_url", "An address with a name or a password is not taken.")
        if not self.errors:
            self._check_score(values)
        if not self.errors and not values["not_ranked"]:
            self._check_rank(values)
        return values

    def _check_score(self, values: dict[str, Any]) -> None:
        if values["correct"] is not None and values["tasks"] is None:
            self.add_error("tasks", "A number of correct tasks needs the number of tasks.")
            return
        if values["score"] is None and values["correct"] is None:
            self.add_error("score", "Give a score, or a number of correct tasks.")
            return
        score, correct, tasks = values["score"], values["correct"], values["tasks"] or 0
        try:
            values["overall"] = rate_of(percent=score, correct=correct, tasks=tasks)
        except ValueError as error:
            self.add_error("score", f"{error}. Leave out the number of correct tasks if it is not known.")

    def _check_rank(self, values: Mapping[str, Any]) -> None:
        or_say = "or say in not_ranked why it has no rank."
        if values["published_on"] is None:
            self.add_error("published_on", f"Give the day when it was published, {or_say}")
        if values["grader"] != Grader.OFFICIAL:
            self.add_error("grader", f"A ranked result was decided by the official grader; {or_say}")
        if values["tasks"] is None:
            self.add_error("tasks", f"Give the number of tasks, {or_say}")
        elif self._board_tasks not in (None, values["tasks"]):
            has = f"The leaderboard has {self._board_tasks} tasks, with those set aside"
            self.add_error("tasks", f"{has}. State a score over all of them, {or_say}")

    def row(self) -> ReportedRow:
        """Return the row, once it is valid."""
        plain = {name: value for name, value in self.cleaned_data.items() if name in ReportedRow.__slots__}
        overall = self.cleaned_data["overall"]
        known = {key: self.cleaned_data[key] for key in self._metrics}
        figures = {key: None if value is None else float(value / 100) for key, value in known.items()}
        return ReportedRow(**plain, metrics={**figures, self._ranked: overall.rate})


def _metrics_of(board: Board) -> list[str]:
    metrics = registry.get(board.benchmark).metrics[1:]
    return [each.key for each in metrics if each.unit is Unit.SHARE and each.column and not each.upper_key]


def columns_of(board: Board) -> list[str]:
    """Return the columns of a board's table, in order: one for the judge where something is judged."""
    names = [*RowForm.base_fields, *_metrics_of(board)]
    return names if registry.get(board.benchmark).needs_judge else [name for name in names if name != "judge"]


def tasks_of(board: Board) -> int | None:
    """Return over how many tasks a source states its scores, those that are set aside here included.

    None without a ground truth.
    """
    return board.ground_truth.file_task_count if board.is_open else None


def read_table(content: bytes, *, board: Board) -> list[ReportedRow]:
    """Read the whole table of a board's published results. Raises TableInvalid with every error."""
    header, lines = _split(content)
    columns, tasks = columns_of(board), tasks_of(board)
    errors = [
        TableError(line=1, column=name, message="There is no such column, or it is there twice.")
        for name in dict.fromkeys(header)
        if name not in columns or header.count(name) > 1
    ]
    rows, names = [], set()
    for line, cells in lines:
        if len(cells) > len(header):
            errors.append(TableError(line=line, column="", message="The row has more cells than the header."))
        texts = {name: _unescape(cell) for name, cell in zip(header, cells, strict=False)}
        form = RowForm(texts, board=board, board_tasks=tasks)
        for column, messages in form.errors.items():
            errors += [TableError(line=line, column=column, message=str(message)) for message in messages]
        if form.is_valid():
            row = form.row()
            if name_of(row.source, row.system) in names:
                twice = "An earlier row has this system and source. Name the systems differently."
                errors.append(TableError(line=line, column="system", message=twice))
            names.add(name_of(row.source, row.system))
            rows.append(row)
    if errors:
        raise TableInvalid(errors)
    return rows


def _split(content: bytes) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return the header, and the rows that hold anything, with their lines. Raises TableInvalid."""
    try:
        reader = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
        rows = [(reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise _no_table(f"The file is no CSV in UTF-8: {error}.") from None
    if len(rows) < 2 or len(rows[0][1]) == 1:
        raise _no_table("The file is empty or too large, or has no rows of several values below a header.")
    if len(rows) > MOST_ROWS + 1:
        raise _no_table(f"The file has more than {MOST_ROWS:,} rows.")
    return [cell.strip() for cell in rows[0][1]], rows[1:]


def _no_table(message: str) -> TableInvalid:
    return TableInvalid([TableError(line=None, column="", message=f"{message} {_NO_TABLE}")])


def _unescape(cell: str) -> str:
    """Return a cell on one line, without the apostrophes that a download puts before formulas."""
    cell = _AFTER_SEMICOLON.sub(r"\1", " ".join(cell.split()))
    return cell[1:] if cell[:1] == "'" and not cell[1:2].isalnum() else cell


def name_of(source: str, system: str) -> tuple[str, str]:
    """Return what names a result on its board, in lower case."""
    return source.lower(), system.lower()


def cells_of(result: ReportedResult) -> dict[str, str]:
    """Return a stored result as a row of the table, by column."""
    values = {**result.stated["metrics"], **result.stated}
    return {name: _cell(name, values.get(name)) for name in columns_of(result.board)}


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    # Floats are shares alone, and printed as percentages: to twelve digits, as a count's rate has no end.
    return f"{100 * value:.12g}%" if isinstance(value, float) else str(value)
