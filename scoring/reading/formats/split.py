"""Split a log of several attempts, or of several files, into one file of attempts for each run."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from io import BytesIO
from operator import itemgetter
from pathlib import PurePath
from typing import Any, BinaryIO, Generic, NamedTuple

from wardboard.scoring.reading.archives import W, is_archive, run_names, unpack
from wardboard.scoring.reading.codes import RunsCode
from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.formats.attempts import Attempt, encode_attempt
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.folders import companions, opened_folder
from wardboard.scoring.reading.formats.known_files import refuse_known_folder
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
    LogFormat,
    format_name,
    format_of_file,
    format_of_record,
)
from wardboard.scoring.reading.formats.values import first_text, value_at
from wardboard.scoring.reading.json_text import first_value
from wardboard.scoring.reading.limits import MIB, Limits
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import SubmissionInvalid, quote
from wardboard.scoring.reading.streams.json_stream import JsonStream
from wardboard.scoring.reading.streams.text_stream import ANY_SIZE, text_pieces

_LONGEST_FIRST = 16 * MIB  # characters in which the first record of a log is looked for
_MOST_LOOKED_INTO, _LOOKED_INTO = 60, 4 * MIB  # files of an archive, and bytes of each, to find its model


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
        return list(zip(names_of_runs(name, runs), runs.values(), strict=True))

    if select and (fault := fault_of_selection(select, is_archive=is_archive(source))):
        findings.end(RunsCode.SELECTION, fault)
    if runs := split(name, source, select):
        return OpenedRuns(runs, left_out, is_log=True)
    if not is_archive(source):
        return None
    chosen = None
    with opened_folder(source, findings) as folder:
        if folder:
            left_out += companions(folder, findings)
            names = sorted({*folder.names}.difference(left_out))
            chosen = _of_one_system(names, folder.head, select, findings)
    findings.raise_if_invalid()
    files, others = unpack(source, limits, new_file, most=most_runs + 1, chosen=chosen)
    if len(files) == 1:
        ((name, file),) = files.items()
        with read(file) as log:
            if runs := split(name, log):
                return OpenedRuns(runs, left_out, is_log=True, log=file)
    members = zip(run_names([*files]), files.values(), strict=True)
    left_out = others if chosen is None else left_out
    return OpenedRuns(sorted(members, key=itemgetter(0)), left_out, is_log=False)


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
        content = by_name[name].read(most)
        by_name[name].seek(0)
        return content

    taken = _of_one_system(sorted(by_name), head, select, findings)
    findings.raise_if_invalid()
    return [each for each in files if each[0] in taken]


def _of_one_system(
    names: Sequence[str], head: Callable[[str, int], bytes], select: str, findings: Findings
) -> list[str]:
    """Return those of `names` that hold the runs of one system, or report the systems.

    head: returns the first bytes of a file, so many at most
    """
    chosen = select_names(names, select, findings.check_time) if select else {"": names}
    for glob, found in chosen.items():
        if names and not found:
            systems = found_systems([("", group) for group in group_by_name(names)])
            there = listed([system.select or system.name for system in systems])
            message = phrase("“{glob}” selects nothing; there are {names}", glob=quote(glob), names=there)
            findings.problem(RunsCode.SELECTION, (), message)
    taken = sorted({name for found in chosen.values() for name in found})
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
    return taken


def _stated_system(head: bytes, findings: Findings) -> tuple[str, str]:
    """Return the agent and the model that the first attempt of a file states, "" for what it does not."""
    findings = findings.discarded()
    try:
        source = BytesIO(head)
        if own := format_of_file(source):
            attempts = own.attempts(source, findings)
        elif log := format_of_record(record := _first_record(source)):
            attempts = _attempts(log, source, findings)
        else:
            return "", first_text(value_at(record, "model"))
        first = next(attempts, None)
    except (Unreadable, SubmissionInvalid):
        return "", ""
    return (first.facts.harness, first.facts.model) if first else ("", "")


def names_of_runs(log: str, runs: Collection[int]) -> list[str]:
    """Return the names of runs, for people: that of their log, without folders, and the number of each."""
    name = PurePath(log).name
    return [f"{name}, attempt {run}" for run in runs] if len(runs) > 1 else [name] * len(runs)


def _attempts_of_file(source: BinaryIO, findings: Findings) -> tuple[str, Iterator[Attempt]]:
    """Return the format of a file that may hold several runs, and its attempts; none of any other file."""
    if own := format_of_file(source):
        attempts = own.attempts(source, findings) if own.may_hold_runs(source) else iter(())
        return format_name(own, source), attempts
    log = format_of_record(_first_record(source))
    return (log.name, _attempts(log, source, findings)) if log else ("", iter(()))


def _attempts(log: LogFormat, source: BinaryIO, findings: Findings) -> Iterator[Attempt]:
    most = findings.limits.log_bytes
    pieces = text_pieces(source, replace(findings.limits, body_bytes=most, unpacked_bytes=most))
    stream = JsonStream(pieces, findings)
    rows = stream.array() if stream.peek() == "[" else stream.lines()
    return log.read(rows)


def _first_record(source: BinaryIO) -> Any:
    """Return the first value of a file, or the first item of a list; None if that is none."""
    text, tried = "", 0
    try:
        for piece in text_pieces(source, ANY_SIZE):
            text = (text + piece).lstrip()
            # A record may be long, so that each time as much again is read.
            if len(text) >= 2 * tried:
                tried = len(text)
                if (value := first_value(text.removeprefix("["))) is not None or tried > _LONGEST_FIRST:
                    return value
        return first_value(text.removeprefix("["))
    except Unreadable:
        return None
    finally:
        source.seek(0)
