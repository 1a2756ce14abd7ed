"""Name files of known kinds that are not read as results, by the one table `known_files.tsv`.

A row of the table says what is seen, what it is, and where its answers are. The first row that fits names a
file; it has to see enough that no result file fits. Words of the column `seen`, of which all have to hold:

- `a/b|c`: one of these paths leads to a value; `[0]` is an item of a list, `*` the first item or value,
  `[text]` the texts of its items but for the thoughts of a model
- `a=x`, `a^=x`: the value there is this text, or begins like this regular expression; `^a`: a key begins with
  it; `~a`: a or its plural is a word of one
- `!a|b`, `<a|b`, `2:a|b`: there is none of these; no other key; at least two of them
- `ANSWERS`, `TASKS`, `RUN`, `OBJECTS` stand for the paths of `_SETS`; `COLUMNS` is seen by shape; the seen of
  bytes is hexadecimal, that of a text a regular expression
"""

import csv
import fnmatch
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain, islice, product
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Unreadable
from wardboard.scoring.reading.formats.values import TASK_ID, names_reference, task_in, words_of
from wardboard.scoring.reading.limits import MIB
from wardboard.scoring.reading.messages import Phrase, phrase

# What may hold an answer, in any format. A hint names these keys and those of the table, and no others: any
# other key may hold the reference answer.
ANSWER_KEYS = (
    *("answer", "agent_answer", "final_answer", "response", "output", "result", "prediction", "completion"),
    *("model_answer", "model_response", "model_output", "generated_answer", "final_output", "text"),
    *("pred", "predicted", "predicted_answer", "agent_response", "agent_output", "reply", "generation"),
)
_HISTORIES = ("messages", "history", "post_history", "trace", "raw_results", "task_results", "samples")
# Columns of a task file; one more may hold the answers of an agent.
_TASK_KEYS = (
    *("id", "index", "task_id", "question_id", "instruction", "question", "question_with_context", "prompt"),
    *("input", "inputs", "context", "template", "assumption", "type", "task_type", "category", "difficulty"),
    *("split", "source", "metadata", "choices", "options", "patient", "patient_id", "patient_fhir_id", "mrn"),
    *("sol", "solution", "ref_sol", "gold", "expected", "expected_output", "expected_answer", "eval_MRN"),
    *("ground_truth", "reference", "true_answer", "true_fhir_ids", "target", "label"),
)
# Words in names of what tells of a run, or of an answer beside the reference.
_RUN_WORDS = (
    "model reasoning thought confidence agent llm usage token latency time timestamp second duration elapsed "
    "runtime cost trace trajectory history step turn round tool iteration run seed attempt trial epoch error "
    "status finish stop provider score correct verdict judge reward true gold expected reference ground "
    "target sol pred predicted prediction generated generation hypothesis reply candidate"
)
# Objects that have an answer in them, and their keys of it.
_PREDICTIONS = "pred prediction predicted predictions generation hypothesis"
_OUTPUTS = (
    f"{_PREDICTIONS} response output completion model_output model_response model_answer agent_output "
    "agent_response agent_answer llm_output llm_response agent task_result"
)
_SETS: Mapping[str, tuple[str, ...]] = {
    "ANSWERS": (*ANSWER_KEYS, *_HISTORIES),
    "TASKS": _TASK_KEYS,
    "RUN": tuple(f"~{word}" for word in _RUN_WORDS.split()),
    "OBJECTS": (
        *map("/".join, product(_OUTPUTS.split(), ("answer", "final_answer", "prediction"))),
        *map(
            "/".join,
            product(_PREDICTIONS.split(), ("response", "output", "text", "result", "completion", "value")),
        ),
    ),
}
_TEXTS = "[text]"
_STEP = re.compile(r"\[(-?\d+)\]")
_SAFE_KEY = re.compile(r"[\w .:+-]{0,80}")
_PLAIN_KEY = re.compile(r"[A-Za-z_]\w*")
_MOST_ARMS, _MOST_PARTS = 5, 50
_HEAD = 4096  # characters of a text that show its kind
_OF_BYTES, _OF_LOGS = ("bytes", "text", "folder"), ("training", "verdicts")
_WITHOUT_ANSWERS = ("tasks", "maybe-tasks", "report", "judge")
# Keys under which documents list their records.
_LISTS = (
    *("results", "data", "records", "tasks", "questions", "rows", "items", "runs", "traces", "examples"),
    *("test_results", "testResults", "simulations"),
)
# Files in which an archive says what it is.
_DESCRIPTIONS = frozenset({"submission.json", "manifest.json", "packet.json", "metadata.json"})
_NOTHING = object()
_ANSWERS = (str, list, int, float)  # a boolean is a verdict


class Row(NamedTuple):
    """A row of the table.

    - kind: of _KINDS; name: whose file it is; seen: what has to hold
    - each: path to the list of results in a document, "" for the document or its list; id, answer: paths in
      one of them, the first that leads to a text counts
    - command: that converts it, or the call that returns its messages
    """

    kind: str
    name: str
    seen: str
    each: str
    id: str
    answer: str
    command: str


class Fields(NamedTuple):
    """How a benchmark calls a task and the text that holds its answer, in the lines that it reads."""

    task: str
    answer: str


_SEND = DocumentCode.NO_RESULTS.fix
_LINES = phrase("Write one line for each task, with its id and the answer of the agent: {line}.")
# Kind -> what a file is, and the hint where its row knows no way to the answers.
_KINDS: Mapping[str, tuple[Phrase, Phrase]] = {
    "tasks": (phrase("the file is the task file of a benchmark, not results"), _SEND),
    "maybe-tasks": (
        phrase("the rows may be tasks with their reference answers: nothing in them tells of a run"),
        phrase("Send the file that the run wrote. If an agent gave answers, name their column `prediction`."),
    ),
    "preferences": (phrase("the file is a set of preferences to train on, not results"), _SEND),
    "report": (phrase("the file is the report of an evaluation, without the answers"), _SEND),
    "evaluation": (
        phrase("the file is an evaluation, not the results"),
        phrase("Send the result file that was evaluated."),
    ),
    "summary": (
        phrase("the file is the summary of {name}, without the answers"),
        phrase("Send what the same run wrote beside it: {file}"),
    ),
    "judge": (phrase("the file holds the verdicts of a judge, and no answers by task"), _SEND),
    "requests": (phrase("the lines are the requests of a batch, without the answers"), _SEND),
    "checks": (phrase("the file holds checks of tasks by {name}, and of no agent"), _SEND),
    "benchmark": (phrase("the file is of {name}, another benchmark"), _SEND),
    "other": (phrase("the file holds {name}, and no answers of an agent"), _SEND),
    "verdicts": (phrase("the replies are the verdicts of a judge, and no answers"), _SEND),
    "rows": (phrase("the records are not at the top of the file, but in a list within it"), _LINES),
    "notebook": (
        phrase("the file is a notebook"),
        phrase("Let the notebook write its results to a file, and send that."),
    ),
    "reply": (
        phrase("the file is the reply of a model’s provider or a server with an error, not results"),
        phrase("Run it again, and send the file that the run wrote once the provider answers."),
    ),
    "training": (
        phrase("the file is a set for fine-tuning: its conversations state no task, model or tokens"),
        phrase("Do not send examples to train on. Of a run, send the log that its harness wrote."),
    ),
    "trial": (
        phrase("the file is a result.json of {name} alone; the answers are in the files beside it"),
        phrase("Send the whole folder of the job as a zip or tar, or name it: wardboard validate FOLDER"),
    ),
    "index": (
        phrase("the file is the index of a set of logs of {name}"),
        phrase("Upload the log itself, which ends with .eval."),
    ),
    "cli": (
        phrase("the file is a session of an agent: {name}"),
        phrase(
            "Let Harbor run the agent: its trajectory.json is read. Or write a line for each task: {line}."
        ),
    ),
    "part": (
        phrase("the file holds traces of {name} without their run"),
        phrase("Send the results folder of the run, as a zip or tar."),
    ),
    "folder": (phrase("the archive is a folder of {name}"), _SEND),
    "conversation": (phrase("the file is one conversation or reply of a model, and names no task"), _LINES),
    "session": (phrase("the file is a session of an agent: {name}"), _LINES),
    "traces": (phrase("the file holds traces of {name}"), _LINES),
    "results": (phrase("the file holds results of {name}, another tool"), _LINES),
    "objects": (phrase("the answers are in objects, and are no texts by themselves"), _LINES),
    "batch": (phrase("the file is the output of a batch of {name}"), _LINES),
    "frame": (
        phrase("the file is an object of columns or rows, as DataFrame.to_json writes a table by itself"),
        phrase('Write df.to_json(path, orient="records", lines=True).'),
    ),
    "by-id": (phrase("the file has the task ids as keys"), _LINES),
}
_MESSAGES = phrase("Write one line for each task, with the messages in the form of OpenAI: {line}.")
_IF_ID = phrase("If `{task}` holds the task id, convert it:\n{command}")
_BY_ID = phrase("Convert it:\n{command}")
_PROGRAMS = ("python ", "jq ")
_ALONE = phrase("Send of it alone: {command}")
_ANSWERS_AT = phrase("The answers are in `{answer}`. Write one line for each task, with its id: {line}.")


@cache
def _rows() -> tuple[Row, ...]:
    with Path(__file__).with_suffix(".tsv").open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    return tuple(Row(*row, *[""] * (len(Row._fields) - len(row))) for row in rows)


def kind_of_bytes(head: bytes) -> tuple[str, str]:
    """Return the name of the binary format that a file begins like, and a command; "" for none of the table.

    The command writes what the file holds as lines that can be read; "" where there is none.
    """
    for row in _rows():
        if row.kind == "bytes" and any(head.startswith(bytes.fromhex(each)) for each in row.seen.split("|")):
            return row.name, row.command
    return "", ""


def refuse_known(value: Any, fields: Fields, *, is_log: bool = False, in_list: bool = False) -> None:
    """Raise Unreadable if `value` shows that its file is of a known kind, and is not read as results.

    - value: a document, the first line of a file, or the first item of a list (`in_list`)
    - is_log: whether a format of logs reads it: then only examples to train on are refused
    """
    if in_list and isinstance(value, list):
        raise _refusal(Row("frame", "", "", "", "", "", ""), None)
    if not isinstance(value, dict) or not value:
        return
    out = {*_OF_BYTES, *(_WITHOUT_ANSWERS if _holds_answers(value) else ())}
    rows = [row for row in _rows() if row.kind not in out and (not is_log or row.kind in _OF_LOGS)]
    for each, record in _records_in(value):
        for row in rows:
            if _is_seen(row, record):
                row = row._replace(each="/".join(filter(None, (each, row.each))))  # noqa: PLW2901
                raise _refusal(row, _hint(row, value, fields, in_list=in_list))
    # A table has the names of its columns alone.
    for row in () if is_log or not any(value.values()) else _by_shape(value, in_list=in_list):
        raise _refusal(row, _hint(row, value, fields, in_list=in_list))


def replies_last(records: Iterator[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    """Return records, the first of which shows their kind: replies with an error come after it."""
    rows, held = [row for row in _rows() if row.kind == "reply"], list[tuple[Any, Any]]()
    for record in islice(records, _MOST_PARTS):
        if not any(_is_seen(row, record[1]) for row in rows):
            return chain([record], held, records)
        held.append(record)
    return chain(held, records)


def _holds_answers(value: dict[str, Any], levels: int = 2) -> bool:
    """Return whether an object holds a list of records with answers, or answers by task, however deep."""
    for part in islice(value.values(), _MOST_PARTS):
        first = part[0] if isinstance(part, list) and part else None
        is_list = isinstance(first, dict) and has_answer_key(first)
        if is_list or _are_ids(part) or (levels and type(part) is dict and _holds_answers(part, levels - 1)):
            return True
    return False


def _records_in(value: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what may show the kind of a document, with its path: itself, the first item of a list in it."""
    yield "", value
    # What AgentBeats writes has its own reader; what has an answer itself is a record.
    keys = () if "participants" in value or has_answer_key(value) else _LISTS
    lists = ((key, value.get(key)) for key in keys)
    yield from (
        (key, each[0]) for key, each in lists if isinstance(each, list) and each and type(each[0]) is dict
    )
    if _are_ids(value) and type(first := next(iter(value.values()))) is dict and not has_answer_key(first):
        yield "", {"task_id": "", **first}


def refuse_known_folder(names: Sequence[str], head: Callable[[str, int], bytes]) -> None:
    """Raise Unreadable if an archive is of a known kind, by names of its files or by what describes it."""
    parts = {path.name for path in map(PurePosixPath, names)}
    for row in _rows():
        if row.kind == "folder" and all(
            any(fnmatch.filter(parts, each) for each in word.split("|")) for word in row.seen.split()
        ):
            form = _BY_ID if row.command.startswith(_PROGRAMS) else _ALONE
            raise _refusal(row, Phrase(form.template, {"command": row.command}) if row.command else None)
    described = [name for name in names if PurePosixPath(name).name in _DESCRIPTIONS]
    for name in sorted(described, key=lambda name: name.count("/"))[:_MOST_ARMS]:
        with suppress(ValueError, RecursionError):
            value = json.loads(head(name, MIB))
            for row in _rows():
                if row.kind == "benchmark" and isinstance(value, dict) and _is_seen(row, value):
                    raise _refusal(row, None)


def _refusal(row: Row, hint: Phrase | None) -> Unreadable:
    message, default = _KINDS[row.kind]
    named = Phrase(message.template, {"name": row.name} if "{name}" in message.template else {})
    return Unreadable(DocumentCode.NO_RESULTS, named, hint=hint or default)


def refuse_known_text(text: str, fields: Fields) -> None:
    """Raise Unreadable if a text begins like a known kind that is not JSON, or a table, by its columns."""
    head = text[:_HEAD].lstrip().replace("\r\n", "\n")
    for row in _rows():
        if row.kind == "text" and re.match(row.seen, head):
            message = phrase("the file looks like {kind}, not results", kind=row.name)
            hint = Phrase(_BY_ID.template, {"command": row.command}) if row.command else _SEND
            raise Unreadable(DocumentCode.OTHER_TEXT, message, hint)
    first = head.partition("\n")[0]
    if not first.startswith(("{", "[", '"{')):
        with suppress(csv.Error):
            names = next(csv.reader([first], delimiter=max(",;\t", key=first.count)), [])
            refuse_known(dict.fromkeys(names, ""), fields)


def has_answer_key(record: dict[str, Any]) -> bool:
    """Return whether `record` has a field that may hold an answer: a text, a list or a number."""
    return any(type(record.get(key)) in _ANSWERS for key in ANSWER_KEYS)


def _hint(row: Row, value: dict[str, Any], fields: Fields, *, in_list: bool) -> Phrase:
    """Return what to do with a file of a row; the way to its answers where its first result has them."""
    _, hint = _KINDS[row.kind]
    if row.command.startswith(_PROGRAMS) and not in_list:
        return Phrase(_BY_ID.template, {"command": row.command})
    if "{file}" in hint.template:
        return Phrase(hint.template, {"file": row.command})
    if "{line}" not in hint.template:
        return hint
    if row.command:
        line = f'{{"{fields.task}": ..., "messages": {row.command}}}'
        return Phrase(_MESSAGES.template, {"line": line})
    is_by_id = row.kind == "by-id"
    entries = _value_at(value, row.each)
    if is_by_id:
        entries = [{"key": key, "value": entry} for key, entry in islice(entries.items(), 1)]
    first = next(iter(entries), {}) if isinstance(entries, list) else entries
    tasks = [each for each in row.id.split("|") if _first_path(each, first, (str,))]
    ids = [each for each in tasks if TASK_ID.fullmatch(_value_at(first, each))]
    task = next(iter(ids or (each for each in tasks if not each.endswith("name"))), "")
    answer = _first_path(row.answer, first, _ANSWERS)
    found = _value_at(first, answer)
    is_history = isinstance(found, list) and isinstance(_value_at(found, "[0]/role"), str)
    entry = first["value"] if is_by_id else None
    are_several = isinstance(entry, dict) and len(entry.keys() & {*ANSWER_KEYS}) > 1
    # Of several keys one may hold the reference, and objects of another form are no answer.
    if are_several or (not is_history and isinstance(_value_at(found, "[0]"), dict)):
        answer = ""
    name, program = "messages" if is_history else fields.answer, _jq(answer)
    if not (is_history or isinstance(found, str)):
        program = f"({program} | tojson)"
    line = f'{{"{fields.task}": ..., "{name}": ...}}'
    if not (answer and task):
        form, names = (_ANSWERS_AT, {"answer": _jq(answer)}) if answer else (hint, {})
        return Phrase(form.template, {**names, "line": line})
    steps = [
        *((".[]",) if in_list else ()),
        *((_jq(row.each) + ("" if is_by_id else "[]"),) if row.each else ()),
        *(("to_entries[]",) if is_by_id else ()),
    ]
    before = "".join(f"{step} | " for step in steps)
    command = f"jq -c '{before}{{{fields.task}: {_jq(task)}, {name}: {program}}}' FILE > results.jsonl"
    form = _BY_ID if is_by_id else _IF_ID
    return Phrase(form.template, {"command": command} | ({} if is_by_id else {"task": _jq(task)}))


def _by_shape(value: dict[str, Any], *, in_list: bool) -> Iterator[Row]:
    """Yield a row for an object of columns or rows, or with task ids as keys, or with such objects in it."""
    parts = dict(islice(value.items(), _MOST_ARMS))
    # Several objects with task ids as keys are those of several systems.
    arms = [key for key, part in parts.items() if _are_ids(part) and not names_reference(key)]
    arms = [""] if _are_ids(value) else [key for key in arms if key in ANSWER_KEYS] or arms
    columns = [_is_column(part) for part in parts.values()]
    if arms == [""] and any(str(part).upper().startswith("SELECT ") for part in parts.values()):
        yield Row("benchmark", "EHRSQL", "", "", "", "", "")
    for key in () if in_list or task_in(value) or {"results", "version"} & value.keys() else value:
        first = _value_at(value, f"{key}/[0]") if _PLAIN_KEY.fullmatch(key) else None
        if not isinstance(first, dict) or "question_id" in first or names_reference(key):
            continue
        if TASK_ID.fullmatch(task_in(first)) and has_answer_key(first):
            yield Row("rows", "", "", "", "", "", f"jq -c '.{key}[]' FILE > results.jsonl")
    if (all(columns) and len(columns) > 1) or (_is_column(value) and type(value[next(iter(value))]) is dict):
        yield from (row for row in _rows() if row.seen == "COLUMNS")
    elif len(arms) == 1:
        # A command is pasted into a shell: it holds no key of a file that could end a quotation.
        is_safe = _SAFE_KEY.fullmatch(arms[0]) is not None
        answer = "|".join((*(f"value/{key}" for key in ANSWER_KEYS), "value")) if is_safe else ""
        yield Row("by-id", "", "", arms[0] if is_safe else "", "key", answer, "")


def _is_column(value: Any) -> bool:
    return isinstance(value, dict) and bool(value) and all(map(str.isdecimal, islice(value, _MOST_ARMS)))


def _are_ids(value: Any) -> bool:
    return isinstance(value, dict) and bool(value) and bool(TASK_ID.fullmatch(next(iter(value))))


def _is_seen(row: Row, value: Any) -> bool:
    return isinstance(value, dict) and all(_holds(word, value) for word in row.seen.split())


def _holds(word: str, value: dict[str, Any]) -> bool:
    if word[0] == "^":
        return any(key.startswith(word[1:]) for key in value)
    sign, least = "", 1
    if word[0] in "!<":
        sign, word = word[0], word[1:]
    elif word[1:2] == ":":
        least, word = int(word[0]), word[2:]
    paths = _paths(word)
    if sign == "<":
        return value.keys() <= {*paths}
    number = sum(_leads(path, value) for path in paths)
    return number == 0 if sign else number >= least


def _paths(text: str) -> list[str]:
    return [each for part in text.split("|") for each in _SETS.get(part, (part,))]


def _leads(path: str, value: dict[str, Any]) -> bool:
    if path.startswith("~"):
        return any(
            word.removesuffix("s") == path[1:] or word == path[1:] for key in value for word in words_of(key)
        )
    path, is_compared, text = path.partition("=")
    found = _value_at(value, path.removesuffix("^"))
    if not is_compared:
        return found is not _NOTHING
    return isinstance(found, str) and bool(re.match(text, found) if path.endswith("^") else found == text)


def _value_at(value: Any, path: str) -> Any:
    """Return what a path of the table leads to in `value`, that itself for ""; _NOTHING if it ends before."""
    for step in path.split("/") if path else ():
        index = _STEP.fullmatch(step)
        if step == _TEXTS and isinstance(value, list):
            parts = (part for part in value if isinstance(part, dict) and not part.get("thought"))
            value = "".join(part["text"] for part in parts if isinstance(part.get("text"), str))
            continue
        if isinstance(value, list) and value and (index or step == "*"):
            place = int(index[1]) if index else 0
            value = value[place] if -len(value) <= place < len(value) else _NOTHING
        elif isinstance(value, dict) and value and step == "*":
            value = next(iter(value.values()))
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            return _NOTHING
    return value


def _first_path(paths: str, value: Any, kinds: Sequence[type]) -> str:
    found = ((each, _value_at(value, each)) for each in _paths(paths) if each)
    return next((each for each, at in found if type(at) in kinds and at not in ("", [])), "")


def _jq(path: str) -> str:
    """Return a path as a program of jq."""
    if path.endswith(_TEXTS):
        items = _jq(path.removesuffix(f"/{_TEXTS}"))
        return f'([{items}[]? | select(.thought | not) | .text // empty] | join(""))'
    parts = (
        step if _STEP.fullmatch(step) else f".{step}" if _PLAIN_KEY.fullmatch(step) else f'["{step}"]'
        for step in (path.split("/") if path else ())
    )
    program = "".join(parts)
    return program if program.startswith(".") or not program else f".{program}"
