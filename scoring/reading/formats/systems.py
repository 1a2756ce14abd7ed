"""Tell systems apart: which files of an archive, and which parts of a log, are runs of one system."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from glob import escape
from itertools import takewhile
from typing import Any

from wardboard.scoring.reading.codes import ProblemCode
from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.problems import FoundSystem, Problem, quote

_MAX_NAMED = 5
_LONGEST_SELECTION = 4000  # characters
# A run by its name: `seed_42`, `Run 3`, `heron-2-replicate1.json`.
_RUN = re.compile(
    r"(?<![a-z])((?:run|attempt|seed|trial|replicate|epoch)s?[\W_]{0,3})\d+(?![0-9a-z])", re.IGNORECASE
)
# A plain number, alone or behind a word for a file of results, which is no name of a model.
_NUMBER = re.compile(
    r"((?:(?:results?|outputs?|answers?|predictions?|submission)[\W_]{0,3})?)(\d{1,3})((?:\.[a-z]\w*)*)",
    re.IGNORECASE,
)
_TASK = re.compile(r"task\d+_\d+|[0-9a-f]{24}")
# Names of the fields of a record, which are no names of systems.
_FIELD = re.compile(
    r"answer|response|output|result|pred|true|gold|sol|expected|label|ref|question|prompt|instruction|type"
    r"|status|score|correct|error|reason|model|\bid\b|time|text",
    re.IGNORECASE,
)
# What tells neither a model nor a condition: a date with its time, and an id with a digit in it.
_DATE = re.compile(r"\d{4}-?\d\d-?\d\d(?:[T_-]{0,2}\d\d[-:]?\d\d(?:[-:]?\d\d)?)?(?:[+-]\d\d[-:]?\d\d)?Z?")
_ID = re.compile(r"(?<![0-9a-z])(?=[a-z]*\d)[0-9a-z]{6,}(?![0-9a-z])", re.IGNORECASE)


def has_several_systems(systems: Mapping[str, tuple[str, str]], findings: Findings) -> bool:
    """Return whether a log is of several systems, which is reported with their names.

    systems: file or folder -> agent and model, "" for what it does not state, which is no difference
    """
    stated = dict.fromkeys(systems.values())
    if all(len({system[part] for system in stated} - {""}) < 2 for part in (0, 1)):
        return False
    names = [" with ".join(filter(None, system)) for system in stated]
    message = phrase("there are several agents or models: {names}", names=listed(names))
    files = {
        name: [file for file in systems if systems[file] == system]
        for name, system in zip(names, stated, strict=True)
    }
    found = found_in_folders(files)
    findings.add_problem(several_systems(FormatCode.SEVERAL_SYSTEMS, message, found))
    return True


def found_in_folders(files: Mapping[str, Sequence[str]]) -> list[FoundSystem]:
    """Return the systems of name -> files, each selected by a folder of its own, or else by its files."""
    found = []
    for name, own in files.items():
        parts = [each.split("/") for each in own]
        shared = next((n for n, each in enumerate(zip(*parts, strict=False)) if len(set(each)) > 1), None)
        shared = min(map(len, parts)) if shared is None else shared
        folder = "/".join(parts[0][:shared])
        others = (each for other, of_other in files.items() if other != name for each in of_other)
        is_apart = folder and not any(f"{each}/".startswith(f"{folder}/") for each in others)
        select = escape(folder) if is_apart else "|".join(map(escape, own))
        select = select if len(select) <= _LONGEST_SELECTION else ""
        found.append(FoundSystem(name=name, select=select, files=len(own)))
    return found


def several_found(code: ProblemCode, systems: Sequence[FoundSystem]) -> Problem:
    """Return the problem that asks which of `systems` is meant, and names them."""
    names = listed([system.name for system in systems])
    message = phrase("there are results of {n} systems: {names}", n=len(systems), names=names)
    return several_systems(code, message, systems)


def several_systems(code: ProblemCode, message: Phrase, systems: Sequence[FoundSystem]) -> Problem:
    """Return the problem that asks which of `systems` is meant."""
    hint = code.fix
    if select := next((system.select for system in systems if system.select), ""):
        hint = phrase(
            "Choose one, such as {select}. Otherwise: {fix}", select=f"`--select '{quote(select)}'`", fix=hint
        )
    return Problem(code=code, pointer="", message=message, hint=hint, systems=tuple(systems))


def listed(names: Sequence[str]) -> str:
    """Return names for a message: the first of them, each once."""
    different = list(dict.fromkeys(names))
    return ", ".join(map(quote, different[:_MAX_NAMED])) + (", …" if len(different) > _MAX_NAMED else "")


def group_by_name(names: Sequence[str]) -> dict[str, list[str]]:
    """Return pattern of a system -> its files in an archive, by what their names alone say.

    Runs of one system have equal names but for a number behind run, attempt, seed, trial, replicate or epoch.
    Plain numbers are runs too where they count from 0 or 1 without a gap.
    """
    numbered: defaultdict[str, list[str]] = defaultdict(list)
    counted: defaultdict[tuple[str, int], set[int]] = defaultdict(set)
    plain: dict[str, str] = {}
    for name in names:
        plain[name] = _RUN.sub(r"\1*", escape(name))
        parts = plain[name].split("/")
        found = [_NUMBER.fullmatch(part) for part in parts]
        key = "/".join(f"{m[1]}*{m[3]}" if m else part for m, part in zip(found, parts, strict=True))
        numbered[key.casefold()].append(name)
        for place, match in enumerate(found):
            if match:
                counted[key.casefold(), place].add(int(match[2]))
    groups: dict[str, list[str]] = {}
    for key, same in numbered.items():
        is_count = all(
            len(found) == max(found) + (min(found) == 0) and min(found) < 2
            for (of, _), found in counted.items()
            if of == key
        )
        for name in same:
            groups.setdefault(key if is_count else plain[name].casefold(), []).append(name)
    return groups


def are_runs_by_name(name: str) -> bool:
    return _RUN.search(name) is not None


def by_plain_folder(names: Iterable[str]) -> dict[str, list[str]]:
    """Return folder -> the files in it or in folders of equal names but for numbers of runs, dates and ids.

    Folders of other names may be conditions of an experiment, of which no log speaks.
    """
    folders: dict[str, list[str]] = {}
    for name in names:
        folder = _RUN.sub(r"\1", name.rpartition("/")[0])
        folders.setdefault(_ID.sub("", _DATE.sub("", folder)).casefold(), []).append(name)
    return folders


def has_several_conditions(files: Iterable[str], findings: Findings) -> bool:
    """Return whether logs of one model are in folders that may be conditions, which is reported."""
    folders = by_plain_folder(files)
    if len(folders) > 1:
        found = found_in_folders({same[0].rpartition("/")[0]: same for same in folders.values()})
        findings.add_problem(several_found(FormatCode.SEVERAL_SYSTEMS, found))
    return len(folders) > 1


def describe(groups: Mapping[str, Sequence[str]], models: Mapping[str, str]) -> list[FoundSystem]:
    """Return the systems of `group_by_name`. models: file -> the model that it states."""
    keys = [key.split("/") for key in groups]
    common = next((n for n, each in enumerate(zip(*keys, strict=False)) if len(set(each)) > 1), 0)
    found = []
    for key, names in zip(keys, groups.values(), strict=True):
        # As much of the path as no other system has.
        ends = (n for n in range(1, len(key)) if sum(other[:n] == key[:n] for other in keys) == 1)
        end = next(ends, len(key))
        parts = _RUN.sub(r"\1*", escape(names[0])).split("/") if end < len(key) else key
        shown = _RUN.sub(r"\1*", names[0]).split("/")[common:end]
        name = "/".join(part for part in shown if not _RUN.fullmatch(part.replace("*", "1")))
        select = "/".join([*parts[:end], "**"]) if end < len(key) else "/".join(parts)
        model = next((models[each] for each in names if models.get(each)), "")
        found.append(FoundSystem(name=name, select=select, files=len(names), model=model))
    return found


def report_side_by_side(document: Any, code: ProblemCode, findings: Findings) -> None:
    """Report the systems whose answers are in one object, by system and task or by task and system.

    Raises SubmissionInvalid where there are several.
    """
    items = list(document.items()) if isinstance(document, dict) else []
    names = [name for name, value in items if not _TASK.fullmatch(name) and _is_of_tasks(value)]
    if items and all(_TASK.fullmatch(name) and isinstance(value, dict) for name, value in items):
        arms = [set(value) for _, value in items]
        parts = [part for _, value in items for part in value.values()]
        are_texts = all(isinstance(part, str) for part in parts) and not any(
            map(_FIELD.search, set().union(*arms))
        )
        if are_texts or all(isinstance(part, dict) for part in parts):
            names = sorted(set.intersection(*arms))
    if len(names) > 1:
        found = [FoundSystem(name=quote(name), select="", files=1) for name in names]
        findings.add_problem(several_found(code, found))
        findings.raise_if_invalid()


def _is_of_tasks(value: Any) -> bool:
    first = next(iter(value), None) if isinstance(value, dict | list) else None
    ids = [first.get(key) for key in ("task_id", "question_id", "id")] if isinstance(first, dict) else [first]
    return any(isinstance(each, str) and _TASK.fullmatch(each) for each in ids)


def fault_of_selection(select: str) -> Phrase | None:
    """Return why `select`, globs with | between them, is none; None for one that can be used."""
    globs = select.split("|")
    if not all(glob.strip("./ ") for glob in globs):
        return phrase("the selection is empty, or a part of it is")
    if any(glob.startswith(("!", "^", "-")) or "[!" in glob for glob in globs):
        return phrase(
            "a selection names what is taken, and not what is left out: {select}", select=quote(select)
        )
    if len(select) > _LONGEST_SELECTION:
        return phrase("the selection is longer than {most:,} characters", most=_LONGEST_SELECTION)
    return None


def selects(glob: str, name: str) -> bool:
    """Return whether a glob selects a file of an archive: by its path, or that of a folder that it is in.

    `*` stands for a part of a name, `**` for any folders.
    """
    parts, reached = name.split("/"), {0}
    for step in glob.replace("\\", "/").removeprefix("./").rstrip("/").split("/"):
        if step == "**":
            reached = set(range(min(reached), len(parts) + 1)) if reached else reached
        else:
            reached = {at + 1 for at in reached if at < len(parts) and fnmatchcase(parts[at], step)}
    return bool(reached)


def select_names(names: Sequence[str], glob: str) -> list[str]:
    """Return those of the names of files that a glob selects, with or without the folders around them all."""
    folders = [name.split("/")[:-1] for name in names]
    around = sum(1 for _ in takewhile(lambda parts: len(set(parts)) == 1, zip(*folders, strict=False)))
    return [name for name in names if any(selects(glob, name.split("/", n)[-1]) for n in range(around + 1))]
