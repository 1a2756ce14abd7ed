"""Find the column of ids and the column of answers in rows, by their values and their names.

A column with a reference answer is never taken for one of answers, and none is chosen where two may be it.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any, NamedTuple

from wardboard.scoring.reading.codes import ProblemCode
from wardboard.scoring.reading.collector import Unreadable
from wardboard.scoring.reading.formats.systems import listed
from wardboard.scoring.reading.formats.values import names_reference, plain_name, words_of
from wardboard.scoring.reading.messages import phrase

SAMPLE = 20  # rows that show what the columns are
_HEAD = 64 * 1024
_IDS = ("task_id", "question_id")
_ANSWERS = (
    *("answer", "agent_answer", "final_answer", "model_answer", "response", "model_response", "prediction"),
    *("output", "final_output", "model_output", "completion", "text", "result"),
    *("final_message", "last_message"),
)
# Words in names of what the agent wrote, and of tasks, and last words in those of accounts of a run.
_OF_AGENT = re.compile(
    "pred(?:s|icted|ictions?)?|generat(?:ed|ions?)|hypothes[ei]s|respon(?:ses?|ded)|outputs?|completions?|llm|"
    "repl(?:y|ies)|candidates?|answers?"
)
_OF_TASKS = re.compile("eval|questions?|prompt|instructions?|inputs?|query|problem|context")
_ACCOUNTS = re.compile(
    "type|format|status|model|time(?:stamp)?|date|judge|score|reason(?:ing)?|ids?|error|category|group|split|"
    "name|comment|note|source|patient|topic|url|path|run|version|agent|system|user|session|resources?"
)
_VERDICT = re.compile("(?:in)?correct|right|wrong|true|false|pass(?:ed)?|fail(?:ed)?", re.IGNORECASE)
_ASKED = phrase("Name the column with the answers of one agent `prediction`, and leave out those of others.")
_NUMBER = re.compile(r"[-+\d.,:%]*")


class Columns(NamedTuple):
    """The names of the column of ids and of those of answers. code: of a row where two may be the answer.

    answers: as the keys of a dict, in order, since a row can have thousands of columns
    """

    task: str
    answers: Mapping[str, None]
    code: ProblemCode

    def answer_in(self, row: Mapping[str, Any]) -> str:
        """Return the name of the answer of a row. Raises Unreadable where several may be it."""
        names = [name for name in row if (name in self.answers or _is_plain(str(name))) and name != self.task]
        filled = [name for name in names if _may_be_answer(row[name])]
        texts = {name: row[name] if isinstance(row[name], str) else json.dumps(row[name]) for name in filled}
        # An answer that is part of each other text was taken from it, so the shortest one is read.
        filled.sort(key=lambda name: len(texts[name].strip()))
        if any(texts[filled[0]].strip() not in texts[name] for name in filled[1:]):
            message = phrase("several columns may be the answers: {columns}", columns=listed(sorted(filled)))
            raise Unreadable(self.code, message, hint=_ASKED)
        return next(chain(filled, names, self.answers))


def columns_of(
    rows: Iterable[Any], is_task: Callable[[str], bool], code: ProblemCode, named: Sequence[str] = ()
) -> Columns | None:
    """Return which columns of `rows`, the first of a file, have ids and answers; None for other rows.

    named: columns of which the first one with texts has the ids where none has ids that are known
    Raises Unreadable as `Columns.answer_in` does.
    """
    rows = [row for row in rows if isinstance(row, dict)]
    names = sorted({name for row in rows for name in row if isinstance(name, str)})
    cells = {name: [row[name] for row in rows if row.get(name) not in (None, "")] for name in names}
    counts = {name: sum(isinstance(cell, str) and is_task(cell) for cell in cells[name]) for name in names}
    ids = [name for name in names if 2 * counts[name] > len(rows)]
    ids = ids or [name for name in named if any(isinstance(cell, str) for cell in cells.get(name, ()))][:1]
    known = frozenset(ids)
    possible = [name for name in names if name not in known and any(map(_may_be_answer, cells[name]))]
    texts = [name for name in possible if not all(map(_NUMBER.fullmatch, map(str, cells[name])))]
    numbers = [name for name in names if all(type(cell) in (int, float) for cell in cells[name])]
    answers = [*filter(_is_plain, possible)] or [*filter(_is_plain, numbers)]
    # "answer" may be the reference beside what the agent wrote by its name.
    answers += [name for name in texts if answers and is_of_agent(name) and "answer" not in words_of(name)]
    # A column of another name has to say that it is of answers.
    answers = list(dict.fromkeys(answers)) or [*filter(is_of_agent, texts)]
    others = [name for name in texts if isinstance(cells[name][0], str) and not _is_other(name)]
    if others and ids and counts[ids[0]] and not any(_is_plain(name) or is_of_agent(name) for name in names):
        message = phrase(
            "no column says by its name that it has the answers; there are {columns}", columns=listed(others)
        )
        raise Unreadable(code, message, hint=_ASKED)
    # "answer" may be the reference beside what the agent wrote under a name that nobody knows.
    if [*map(plain_name, answers)] == ["answer"]:
        unknown = [name for name in possible if not _is_other(name) and name != "post_history"]
        answers += [name for name in unknown if _is_disputed(rows, answers[0], name)]
    if not ids or not answers or any(isinstance(row.get("output"), dict) for row in rows):
        return None
    task = min(ids, key=lambda name: (-counts[name], name not in _IDS, name))
    columns = Columns(task, dict.fromkeys(answers), code)
    for row in rows:
        columns.answer_in(row)
    return columns


def _is_disputed(rows: Sequence[Mapping[str, Any]], answer: str, other: str) -> bool:
    """Return whether answers are not those in another column of the same form, and so may be references."""
    told = [(_said(row.get(answer)), _said(row.get(other))) for row in rows]
    pairs = [pair for pair in told if all(pair)]
    return any(own not in text for own, text in pairs) and all(
        text.startswith(("[", "FINISH(")) or own.startswith("[[") for own, text in pairs
    )


def _said(value: Any) -> str:
    last = value[-1] if isinstance(value, list) and value else value
    text = last.get("content") if isinstance(last, dict) else last
    return "".join(text.split()) if isinstance(text, str) else ""


def _is_plain(name: str) -> bool:
    return plain_name(name) in _ANSWERS


def is_of_agent(name: str) -> bool:
    """Return whether the name of a column says that it holds what an agent answered."""
    return not _is_other(name) and any(map(_OF_AGENT.fullmatch, words_of(name)))


def _is_other(name: str) -> bool:
    """Return whether a column is of references, of tasks or of accounts of a run, by its name."""
    words = words_of(name)
    is_account = _ACCOUNTS.fullmatch(words[-1] if words else "") is not None
    return is_account or names_reference(name) or any(map(_OF_TASKS.fullmatch, words))


def _may_be_answer(value: Any) -> bool:
    """Return whether a value may be an answer: a list, or a text that is no verdict."""
    return isinstance(value, list) or (isinstance(value, str) and not _VERDICT.fullmatch(value.strip()))


def table_of(
    text: str, is_task: Callable[[str], bool], code: ProblemCode, named: Sequence[str] = ()
) -> tuple[str, Columns] | None:
    """Return what separates the cells of a table, and its columns; None for other text. Raises Unreadable."""
    head = text[:_HEAD]
    for delimiter in ",\t;|" if not head.lstrip().startswith(("{", "[")) else "":
        rows: list[Any] = []
        with suppress(csv.Error):
            rows += islice(csv.DictReader(io.StringIO(head, newline=""), delimiter=delimiter), SAMPLE)
        if columns := columns_of(rows, is_task, code, named):
            return delimiter, columns
    return None
