"""Read results that were published elsewhere from texts: of a form, a CSV file or a request."""

import csv
import io
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.utils import timezone

from leaderboard.models import Board, ReportedResult
from leaderboard.services.errors import FactsInvalid
from leaderboard.services.publishing.reported.fields import Field, Kind, as_text, fields_of, row_from
from leaderboard.services.text import has_hidden_characters, has_visible_character
from wardboard.scoring.reading.codes import ReportedCode
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.problems import Problem, pointer, quote
from wardboard.scoring.reported import Grader, ReportedRow, rate_of

MOST_ROWS = 1000  # of a file
ID = "id"
_YES_NO = {"yes": True, "no": False}
_is_address = URLValidator(["https"])


class ReportedInvalid(FactsInvalid):
    """Results cannot be taken. problems: all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedResult:
    """A result that was read. result: the stored one that it corrects; None for a new one."""

    row: ReportedRow
    result: ReportedResult | None = None


@dataclass(slots=True, kw_only=True)
class _Place:
    """Where values are read from. record: number of the row, from 1, in a file; None for a single result."""

    record: int | None = None
    line: int | None = None
    problems: list[Problem] = field(default_factory=list)

    def refuse(self, code: ReportedCode, message: Phrase, key: str = "") -> None:
        steps: list[str | int] = [] if self.record is None else [self.record - 1]
        steps += [key] if key else []
        self.problems.append(
            Problem(
                code=code,
                pointer=pointer(*steps),
                message=message,
                hint=code.fix,
                line=self.line,
                record=self.record,
            )
        )


def tasks_of(board: Board) -> int | None:
    """Return over how many tasks a source states its scores, those that are set aside here included.

    None without a ground truth.
    """
    return board.ground_truth.file_task_count if board.is_open else None


def read_result(
    texts: Mapping[str, str], *, board: Board, tasks: int | None, result: ReportedResult | None = None
) -> StatedResult:
    """Read one result from the texts of its fields; a field that is not among them keeps its value.

    tasks: as `tasks_of` returns them. result: the one to correct; None for a new one.
    Raises ReportedInvalid with every problem.
    """
    place = _Place()
    _refuse_unknown(texts, fields_of(board), place)
    row = _read(texts, board, tasks, result, place)
    if row is not None:
        known = {
            _name(each.source, each.name): each
            for each in ReportedResult.objects.filter(board=board, source__iexact=row.source)
        }
        result = _own(row, result, known, place)
    if place.problems or row is None:
        raise ReportedInvalid(place.problems)
    return StatedResult(row=row, result=result)


def read_csv(content: bytes, *, board: Board, tasks: int | None) -> list[StatedResult]:
    """Read a table of results; those with the id, or the system and source, of a listed one correct it.

    Raises ReportedInvalid with every problem.
    """
    lines = _split(content)
    fields = fields_of(board)
    top = _Place(line=1)
    _refuse_unknown([name for name in lines[0][1] if name != ID], fields, top)
    problems, read = top.problems, []
    known = list(ReportedResult.objects.filter(board=board).select_related("board"))
    by_id = {str(result.pk): result for result in known if result.removed_at is None}
    by_name = {_name(result.source, result.name): result for result in known}
    seen: set[tuple[str, str]] = set()
    for record, (line, cells) in enumerate(lines[1:], 1):
        texts = {name: _unescape(cell) for name, cell in zip(lines[0][1], cells, strict=False)}
        place, key = _Place(record=record, line=line), texts.pop(ID, "").strip()
        if len(cells) > len(lines[0][1]):
            place.refuse(ReportedCode.TABLE, phrase("the row has more cells than the table has columns"))
        if key and key not in by_id:
            place.refuse(ReportedCode.UNKNOWN, phrase("no listed result has the id {id}", id=quote(key)), ID)
        name = _name(texts.get("source", ""), texts.get("system", ""))
        result = by_id.get(key) if key else by_name.get(name)
        row = _read(texts, board, tasks, result, place)
        if row is not None:
            result = _own(row, result, by_name, place)
            if (own := _name(row.source, row.system)) in seen:
                place.refuse(
                    ReportedCode.TWICE, phrase("an earlier row has this system and source"), "system"
                )
            seen.add(own)
            read.append(StatedResult(row=row, result=result))
        problems += place.problems
    if problems:
        raise ReportedInvalid(problems)
    return read


def _own(
    row: ReportedRow,
    result: ReportedResult | None,
    known: Mapping[tuple[str, str], ReportedResult],
    place: _Place,
) -> ReportedResult | None:
    """Return the stored result that a row is about; refuse the name of another one.

    A new row with the name of a removed result lists that one again.
    """
    named = known.get(_name(row.source, row.system))
    if named is None or (result is not None and named.pk == result.pk):
        return result
    if result is None and named.removed_at is not None:
        return named
    place.refuse(ReportedCode.TWICE, phrase("another result has this system and source already"), "system")
    return result


def _name(source: str, system: str) -> tuple[str, str]:
    return source.strip().lower(), system.strip().lower()


def _split(content: bytes) -> list[tuple[int, list[str]]]:
    """Return the rows of a CSV file that hold anything, with their lines, the header first."""
    top = _Place()
    try:
        text = content.decode("utf-8-sig")
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        rows = [(reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)]
    except UnicodeDecodeError:
        top.refuse(ReportedCode.TABLE, phrase("the file is not in UTF-8"))
        raise ReportedInvalid(top.problems) from None
    except csv.Error as error:
        top.refuse(ReportedCode.TABLE, phrase("the file is no CSV: {why}", why=str(error)))
        raise ReportedInvalid(top.problems) from None
    if rows and len(rows[0][1]) == 1 and (";" in text or "\t" in text):
        top.refuse(ReportedCode.TABLE, phrase("the values are separated by something else than commas"))
    elif len(rows) < 2:
        top.refuse(ReportedCode.TABLE, phrase("the file has no row below a header"))
    elif len(rows) > MOST_ROWS + 1:
        top.refuse(ReportedCode.TABLE, phrase("the file has more than {most:,} rows", most=MOST_ROWS))
    if top.problems:
        raise ReportedInvalid(top.problems)
    return [(rows[0][0], [cell.strip() for cell in rows[0][1]]), *rows[1:]]


def _unescape(cell: str) -> str:
    """Return a cell without the apostrophe that a download puts before what a spreadsheet would run."""
    return cell[1:] if cell[:1] == "'" and not cell[1:2].isalnum() else cell


def _refuse_unknown(names: Collection[str], fields: Sequence[Field], place: _Place) -> None:
    known = {each.key for each in fields}
    for name in dict.fromkeys(names):
        if name not in known:
            place.refuse(ReportedCode.COLUMN, phrase("there is no field “{name}”", name=quote(name)), name)
        elif list(names).count(name) > 1:
            place.refuse(ReportedCode.COLUMN, phrase("“{name}” is there twice", name=name), name)


def _read(
    texts: Mapping[str, str],
    board: Board,
    tasks: int | None,
    result: ReportedResult | None,
    place: _Place,
) -> ReportedRow | None:
    """Return the row that the texts state; None, with its problems in `place`, where it cannot be taken."""
    was = result.stated if result else None
    before = len(place.problems)
    values: dict[str, Any] = {"metrics": {}}
    for each in fields_of(board):
        old = as_text(each, was) if was else ""
        text = " ".join(texts.get(each.key, old).split())
        value = _read_value(each, text, place)
        if was and text == old:
            # The stored figure may have more digits than its text.
            value = (was["metrics"] if each.is_metric else was).get(each.key, value)
        (values["metrics"] if each.is_metric else values)[each.key] = value
    values.setdefault("judge", "")
    values["metrics"] = {key: value for key, value in values["metrics"].items() if value is not None}
    if len(place.problems) > before:
        return None
    _check_score(values, texts, place)
    if not values["not_ranked"]:
        _check_rank(values, tasks, place)
    return row_from(values, board=board) if len(place.problems) == before else None


def _read_value(each: Field, text: str, place: _Place) -> Any:
    if not text:
        if each.is_required:
            place.refuse(ReportedCode.MISSING, phrase("{field} is missing", field=each.label), each.key)
        return "" if each.kind in (Kind.TEXT, Kind.URL, Kind.CHOICE) else None
    try:
        return _parse(each, text)
    except ValueError as error:
        message = error.args[0]
        assert isinstance(message, Phrase)
        place.refuse(ReportedCode.VALUE, message, each.key)
        return None


def _parse(each: Field, text: str) -> Any:
    """Return the value of a text that is not empty. Raises ValueError with a phrase."""
    value = quote(text)
    match each.kind:
        case Kind.TEXT | Kind.URL:
            return _parse_text(each, text)
        case Kind.CHOICE:
            assert each.choices is not None
            if text not in each.choices:
                known = ", ".join(each.choices.values)
                raise ValueError(
                    phrase(
                        "{field} is “{value}”, and none of: {known}",
                        field=each.label,
                        value=value,
                        known=known,
                    )
                )
            return text
        case Kind.YES_NO:
            if text.lower() not in _YES_NO:
                raise ValueError(
                    phrase("{field} is “{value}”: yes, no, or nothing", field=each.label, value=value)
                )
            return _YES_NO[text.lower()]
        case Kind.DAY:
            return _parse_day(each, text)
        case Kind.COUNT:
            is_number = text.isascii() and text.isdigit() and len(text) < 9
            if not (is_number and each.least <= int(text) <= each.most):
                raise ValueError(
                    phrase(
                        "{field} is “{value}”, and no whole number from {least} to {most:,}",
                        field=each.label,
                        value=value,
                        least=each.least,
                        most=each.most,
                    )
                )
            return int(text)
        case Kind.PERCENT:
            return float(_percent(each, text) / 100)


def _parse_text(each: Field, text: str) -> str:
    if len(text) > each.longest:
        raise ValueError(
            phrase("{field} has more than {most:,} characters", field=each.label, most=each.longest)
        )
    if has_hidden_characters(text) or not has_visible_character(text):
        raise ValueError(phrase("{field} holds control or invisible characters", field=each.label))
    if each.kind is Kind.URL:
        try:
            _is_address(text)
            if urlsplit(text).username is not None:
                raise ValueError(phrase("{field} holds a name or a password", field=each.label))
        except ValidationError:
            raise ValueError(
                phrase("“{value}” is no address that begins with https://", value=quote(text))
            ) from None
    return text


def _parse_day(each: Field, text: str) -> str:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise ValueError(
            phrase("{field} is “{value}”, and no day such as 2026-04-23", field=each.label, value=quote(text))
        ) from None
    if not date(2000, 1, 1) <= day <= timezone.now().date():
        raise ValueError(phrase("{field} is in the future, or before 2000", field=each.label))
    return day.isoformat()


def _percent(each: Field, text: str) -> Decimal:
    """Return a percentage; one up to 1 needs its sign, since 0.8 may be meant as a share."""
    try:
        figure = Decimal(text.removesuffix("%").strip())
    except InvalidOperation:
        figure = Decimal(-1)
    if not (figure.is_finite() and 0 <= figure <= 100):
        raise ValueError(
            phrase(
                "{field} is “{value}”, and no percentage from 0 to 100", field=each.label, value=quote(text)
            )
        )
    if 0 < figure <= 1 and not text.endswith("%"):
        share = f"{100 * figure.normalize():f}"
        raise ValueError(
            phrase(
                "{field} is “{value}”: write {value}%, or {share}% if it is a share",
                field=each.label,
                value=quote(text),
                share=quote(share),
            )
        )
    return figure


def _check_score(values: dict[str, Any], texts: Mapping[str, str], place: _Place) -> None:
    """Put the score of a count in the place of the printed one, and refuse both where they contradict."""
    score, correct, tasks = values["score"], values["correct"], values["tasks"]
    if score is None and correct is None:
        place.refuse(
            ReportedCode.MISSING, phrase("neither a score nor a number of correct tasks is stated"), "score"
        )
        return
    if correct is None:
        return
    if tasks is None:
        place.refuse(
            ReportedCode.SCORE, phrase("a number of correct tasks needs the number of tasks"), "tasks"
        )
        return
    printed = texts.get("score", "").strip().removesuffix("%").strip()
    try:
        rate = rate_of(percent=Decimal(printed) if printed else None, correct=correct, tasks=tasks)
    except ValueError:
        message = phrase(
            "{correct:,} of {tasks:,} tasks is not {score}%",
            correct=correct,
            tasks=tasks,
            score=quote(printed or "0"),
        )
        place.refuse(ReportedCode.SCORE, message, "correct")
    else:
        values["score"] = rate.rate


def _check_rank(values: Mapping[str, Any], tasks: int | None, place: _Place) -> None:
    """Refuse a rank for what cannot be compared with the rows of the board."""
    if values["published_on"] is None:
        place.refuse(
            ReportedCode.RANKED, phrase("a ranked result needs the day when it was published"), "published_on"
        )
    if values["grader"] != Grader.OFFICIAL:
        place.refuse(
            ReportedCode.RANKED, phrase("a ranked result was decided by the official grader"), "grader"
        )
    if values["tasks"] is None:
        place.refuse(ReportedCode.RANKED, phrase("a ranked result needs its number of tasks"), "tasks")
    elif tasks is not None and values["tasks"] != tasks:
        place.refuse(
            ReportedCode.RANKED,
            phrase(
                "the score is over {n:,} tasks, and the leaderboard has {tasks:,} with those set aside",
                n=values["tasks"],
                tasks=tasks,
            ),
            "tasks",
        )
