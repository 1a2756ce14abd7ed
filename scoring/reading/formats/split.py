"""Split a log of several attempts, or of several files, into one file of attempts for each run."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import replace
from io import BytesIO
from itertools import groupby, islice
from operator import itemgetter
from os.path import dirname
from pathlib import PurePath
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import Any, BinaryIO, Generic, NamedTuple
from zipfile import ZipFile

from wardboard.scoring.reading.archives import W, first_bytes, is_archive, run_names, unpack
from wardboard.scoring.reading.codes import DocumentCode, RunsCode
from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.formats.attempts import Attempt, Row, encode_attempt
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.conditions import stated_beside, stated_by, states_differ
from wardboard.scoring.reading.formats.folders import companions, opened_folder
from wardboard.scoring.reading.formats.known_files import refuse_known_folder
from wardboard.scoring.reading.formats.rows import table
from wardboard.scoring.reading.formats.systems import (
    by_plain_folder,
    fault_of_selection,
    found_systems,
    group_by_name,
    has_several_systems,
    listed,
    select_names,
    several_systems,
)
from wardboard.scoring.reading.formats.table import (
    FOLDERS,
    format_name,
    format_of_file,
    format_of_record,
)
from wardboard.scoring.reading.formats.values import first_text, plain_name, task_in, value_at
from wardboard.scoring.reading.limits import MIB, Limits
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import SubmissionInvalid, quote
from wardboard.scoring.reading.streams.json_stream import JsonStream
from wardboard.scoring.reading.streams.text_stream import head_of, text_pieces

_MOST_LOOKED_INTO, _LOOKED_INTO = 60, 4 * MIB  # files of an archive, and bytes of each, to find its model
# Columns that tell systems apart, and runs of one.
_OF_SYSTEMS = re.compile(
    r"(?!judge|grad|eval_|evaluator|user)(?:\w+_)?(?:model|system|agent|llm|config(?:uration)?|arm|condition|method|variant"
    r"|provider|harness|experiment|setup|setting|strategy|scaffold|backbone|checkpoint|version|temperature)s?(?:_(?:name|id|version|label))?|run_(?:name|label)"
)
_OF_RUNS = re.compile(
    r"(?:run|seed|trial|attempt|epoch|replicate|rep(?:eat|etition)?|sample|rollout|iteration|try)s?"
    r"(?:_(?:id|idx|index|no|num(?:ber)?))?|gen(?:eration)?_(?:id|idx|index|no|num(?:ber)?)"
)
_TASK = re.compile(r"(?<![0-9a-z])(?:task[\W_]?\d+[\W_]\d+|[0-9a-f]{24})(?![0-9a-z])", re.IGNORECASE)


def split_log(
    source: BinaryIO,
    limits: Limits,
    new_file: Callable[[], W],
    *,
    most_runs: int,
    left_out: list[str] | None = None,
    select: str = "",
) -> dict[int, W] | None:
    """Return run -> a file of its attempts, in order; None if `source` is no log, or a file of one run.

    That is read as it is. source: a seekable file, left at its start. new_file: gives an empty file; there
    is one file more than `most_runs` where the log has more runs. left_out: gets the names of what is in a
    folder and no part of the results. select: which files of a folder to read, globs with | between them.
    Raises SubmissionInvalid with every problem that splitting it found.
    """
    findings = Findings.under(limits)
    files: dict[int, W] = {}
    is_folder = False
    try:
        with opened_folder(source, findings) as folder:
            if folder and select:
                chosen = select_names(folder.names, select, findings.check_time)
                folder.names = [*dict.fromkeys(name for own in chosen.values() for name in own)]
                folder.is_one = len(chosen) > 1
            found = next((each for each in FOLDERS if folder and each.is_folder(folder)), None)
            is_folder = folder is not None
            if folder:
                refuse_known_folder(folder.names, folder.head)
            is_folder = found is not None
            if folder and found:
                name, attempts = found.name, found.attempts(folder, findings)
            else:
                name, attempts = _attempts_of_file(source, findings)
            for attempt in attempts:
                findings.check_time()
                if attempt.run not in files and len(files) <= most_runs:
                    files[attempt.run] = new_file()
                if attempt.run in files:
                    files[attempt.run].write(encode_attempt(attempt, name))
            if folder and left_out is not None:
                left_out += folder.left_out
    except Unreadable as error:
        findings.problem_first(error.problem)
    finally:
        source.seek(0)
    if not is_folder and len(files) < 2:
        # It is read as it is, and that reports its problems.
        return None
    if not files and not findings.problems:
        findings.problem(FormatCode.NO_ATTEMPTS, (), phrase("the folder holds no attempt at a task"))
    findings.raise_if_invalid()
    return dict(sorted(files.items()))


class OpenedRuns(NamedTuple, Generic[W]):
    """The runs of a log, or of the files in an archive.

    - files: of each run its name, for people, and its file
    - left_out: names of what is in the archive and no part of them
    - log: the one file in an archive that was split; None where another was, or none
    """

    files: list[tuple[str, W]]
    left_out: list[str]
    is_log: bool
    log: W | None = None


def open_runs(
    name: str,
    source: BinaryIO,
    limits: Limits,
    new_file: Callable[[], W],
    *,
    read: Callable[[W], AbstractContextManager[BinaryIO]],
    most_runs: int,
    select: str = "",
) -> OpenedRuns[W] | None:
    """Return the runs in a seekable log or archive; None for another file, which is read as it is.

    - name: of the file. new_file, most_runs: as for `split_log`. read: opens a file that was written
    - select: globs with | between them; each selects files of one system, and all are runs of it

    Raises SubmissionInvalid, also where the files are of several systems, which its problem names.
    """
    findings, left_out = Findings.under(limits), list[str]()

    def split(name: str, source: BinaryIO, select: str = "") -> list[tuple[str, W]]:
        options: dict[str, Any] = {"most_runs": most_runs, "left_out": left_out, "select": select}
        runs = split_log(source, limits, new_file, **options) or {}
        plain = PurePath(name).name
        return [(f"{plain}, attempt {run}" if len(runs) > 1 else plain, file) for run, file in runs.items()]

    runs = split(name, source, select)
    packed = source if runs else _by_run(source, findings)
    if select and (fault := fault_of_selection(select, is_archive=is_archive(packed))):
        findings.end(RunsCode.SELECTION, fault)
    if runs:
        return OpenedRuns(runs, left_out, is_log=True)
    if not is_archive(packed):
        return None
    source, is_sent = packed, packed is source
    chosen = None
    with opened_folder(source, findings) as folder:
        if folder:
            left_out += companions(folder, findings)
            names = sorted({*folder.names}.difference(left_out))
            chosen = _of_one_system(names, folder.head, select, findings, left_out)
    findings.raise_if_invalid()
    files, others = unpack(source, limits, new_file, most=most_runs + 1, chosen=chosen)
    if len(files) == 1:
        ((name, file),) = files.items()
        with read(file) as log:
            if runs := split(name, log):
                return OpenedRuns(runs, left_out, is_log=True, log=file)
            if (packed := _by_run(log, findings)) is not log:
                return open_runs(name, packed, limits, new_file, read=read, most_runs=most_runs)
    members = zip(run_names([*files]), files.values(), strict=True)
    left_out = others if chosen is None else left_out
    return OpenedRuns(sorted(members, key=itemgetter(0)), left_out, is_log=not is_sent)


def runs_of_one_system(
    files: Sequence[tuple[str, BinaryIO]], limits: Limits, select: str = ""
) -> list[tuple[str, BinaryIO]]:
    """Return those of several files, with their names, that are runs of one system, as `open_runs` does.

    Raises SubmissionInvalid, also where they are of several systems.
    """
    findings, by_name = Findings.under(limits), dict(files)
    if select and (fault := fault_of_selection(select)):
        findings.end(RunsCode.SELECTION, fault)

    def head(name: str, most: int) -> bytes:
        content = first_bytes(by_name[name], most)
        by_name[name].seek(0)
        return content

    taken = _of_one_system(sorted(by_name), head, select, findings)
    findings.raise_if_invalid()
    return [each for each in files if each[0] in taken]


def _of_one_system(
    names: Sequence[str],
    head: Callable[[str, int], bytes],
    select: str,
    findings: Findings,
    left_out: Sequence[str] = (),
) -> list[str]:
    """Return those of `names` that hold the runs of one system, or report the systems.

    head: returns the first bytes of a file, so many at most; left_out: files beside them
    """
    chosen = select_names(names, select, findings.check_time) if select else {"": names}
    for glob, found in chosen.items():
        if names and not found:
            systems = found_systems([("", group) for group in group_by_name(names)])
            there = listed([system.select or system.name for system in systems])
            message = phrase("“{glob}” selects nothing; there are {names}", glob=quote(glob), names=there)
            findings.problem(RunsCode.SELECTION, (), message)
    taken = sorted({name for found in chosen.values() for name in found})
    for own in (taken, *([*each] for _, each in groupby(taken, dirname))):
        if len({PurePath(name).suffix for name in own}) == 1 < len(own) and _share_no_task(
            head, own, findings
        ):
            findings.end(RunsCode.PARTS, phrase("no task is in two of the files {names}", names=listed(own)))
    is_known = 1 < len(taken) <= _MOST_LOOKED_INTO
    stated = {name: _stated_system(head(name, _LOOKED_INTO), findings) for name in taken if is_known}
    models = {name: model for name, (_, model) in stated.items()}
    known = {system for system in stated.values() if system[1]}
    is_one = len(known) == 1 and all(models.values())
    for found in chosen.values():
        groups = group_by_name(found)
        if len(groups) > 1 and not (is_one and len(by_plain_folder(found)) < 2):
            named = [("", group) for group in groups]
            findings.add_problem(several_systems(RunsCode.SEVERAL_SYSTEMS, named, models))
    if len(known) > 1 and not findings.problems:
        has_several_systems(stated, findings)
    of_runs = stated_beside(head, taken, left_out) if is_known and not findings.problems else {}
    for name in of_runs:
        findings.check_time()
        source = BytesIO(head(name, findings.limits.document_bytes))
        of_runs[name] |= stated_by(_rows(source, findings.discarded()))
    for found in chosen.values() if of_runs else ():
        states_differ({name: of_runs[name] for name in found}, findings)
    return taken


def _stated_system(head: bytes, findings: Findings) -> tuple[str, str]:
    """Return the agent and the model that the first attempt of a file states, "" for what it does not."""
    findings, source = findings.discarded(), BytesIO(head)
    with suppress(Unreadable, SubmissionInvalid):
        name, attempts = _attempts_of_file(source, findings, of_any=True)
        if first := next(attempts, None):
            return first.facts.harness, first.facts.model
        return "", "" if name else first_text(value_at(_first_record(source, findings), "model"))
    return "", ""


def _attempts_of_file(
    source: BinaryIO, findings: Findings, *, of_any: bool = False
) -> tuple[str, Iterator[Attempt]]:
    """Return the format of a log that may hold several runs, or `of_any`, and its attempts; else none."""
    if own := format_of_file(source):
        attempts = own.attempts(source, findings) if of_any or own.may_hold_runs(source) else iter(())
        return format_name(own, source), attempts
    log = format_of_record(_first_record(source, findings))
    return (log.name, log.attempts(_rows(source, findings))) if log else ("", iter(()))


def _first_record(source: BinaryIO, findings: Findings) -> Any:
    """Return the first value of a file, or the first item of a list; None if that is none."""
    with suppress(Unreadable):
        return next(_rows(source, findings.discarded()), (findings, None))[1]
    return None


def _rows(source: BinaryIO, findings: Findings) -> Iterator[Row]:
    """Yield the rows of a seekable file: of JSON Lines, a list or a table. Raises Unreadable."""
    head, most = head_of(source), findings.limits.log_bytes
    pieces = text_pieces(source, replace(findings.limits, body_bytes=most, unpacked_bytes=most))
    if head.startswith(("[", "{")):
        stream = JsonStream(pieces, findings)
        yield from stream.array() if stream.peek() == "[" else stream.lines()
    else:
        delimiter = max(",\t;|", key=head.partition("\n")[0].count)
        yield from table.rows(pieces, findings, DocumentCode.CSV, delimiter)


def _share_no_task(head: Callable[[str, int], bytes], names: Sequence[str], findings: Findings) -> bool:
    """Return whether all rows of files state a task, or their paths do, and no two files the same."""
    file_of, quiet, most = dict[str, str](), findings.discarded(), findings.limits.document_bytes
    are_apart = True
    with suppress(Unreadable):
        rows = ((name, row) for name in names for _, row in _rows(BytesIO(head(name, most)), quiet))
        inner = ((name, value_at(row, "results"), row) for name, row in rows)
        each = ((name, row) for name, own, value in inner for row in (own if type(own) is list else [value]))
        tasks = ((name, task_in(row) or "".join(_TASK.findall(name)[:1])) for name, row in each)
        first = islice(tasks, findings.limits.results)
        are_apart = all(task and file_of.setdefault(task, name) == name for name, task in first)
    if file_of or not are_apart:
        return are_apart and len({task[:4] == "task" for task in file_of}) == 1 < len({*file_of.values()})
    return _TASK.search(names[0]) is not None


def _by_run(source: BinaryIO, findings: Findings) -> BinaryIO:
    """Return an archive with a file for each run of the rows of a file; `source` where it has one run."""
    quiet, file = findings.discarded(), source
    with opened_folder(source, quiet) as folder, suppress(Unreadable):
        names = {*folder.names}.difference(companions(folder, quiet)) if folder else ()
        file = BytesIO(folder.read(*names)) if folder and len(names) == 1 else source
    if not (runs := _runs_of_rows(_rows(file, quiet))):
        return source
    target = TemporaryFile()  # noqa: SIM115
    with ExitStack() as stack, ZipFile(target, "w") as archive:
        parts = {run: stack.enter_context(TemporaryFile()) for run in dict.fromkeys(runs)}
        for (here, row), run in zip(_rows(file, findings), runs, strict=False):
            here.check_time()
            parts[run].write(json.dumps(row).encode() + b"\n")
        for run, part in parts.items():
            part.seek(0)
            with archive.open(run, "w", force_zip64=True) as member:
                copyfileobj(part, member)
    findings.raise_if_invalid()
    return target


def _runs_of_rows(rows: Iterable[Row]) -> list[str]:
    """Return of each row the name of a file for its run; [] where no columns tell runs of a task apart."""
    names, groups, numbers = list[str](), defaultdict[str, set[str]](set), dict[str, str]()
    with suppress(Unreadable):
        for here, row in rows:
            here.check_time()
            task = task_in(row)
            cells = {plain_name(key): cell for key, cell in row.items() if cell != task} if task else {}
            system, run = (
                "/".join(str(cell) for name, cell in cells.items() if kind.fullmatch(name))
                for kind in (_OF_SYSTEMS, _OF_RUNS)
            )
            if not (system or run) or format_of_record(row) or len(names) > here.limits.results:
                return []
            number = numbers.setdefault(run, run if run.isdecimal() else str(len(numbers) + 1))
            folder = re.sub(r"[^\w.-]+", "-", system)[:200]
            names.append(f"{folder}/run {number}.jsonl".lstrip("./"))
            if not row.get("error"):
                groups[task].add(names[-1])
        sizes, folders = Counter(names), {*map(dirname, names)}
        # Runs of a system are of equal size; second attempts are few.
        most = (2 if len(folders) < 2 else len(names)) * min(sizes.values(), default=0)
        is_even = 1 < max(sizes.values(), default=0) <= most
        if is_even and len(sizes) <= _MOST_LOOKED_INTO and any(len(own) > 1 for own in groups.values()):
            return names
    return []
