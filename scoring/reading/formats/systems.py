"""Tell systems apart: which files of an archive, and which parts of a log, are runs of one system."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from glob import escape
from itertools import takewhile
from os.path import commonprefix
from typing import Any

from wardboard.scoring.reading.codes import ProblemCode
from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.values import TASK_ID, names_reference, task_in
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.problems import FoundSystem, Problem, quote

_MAX_NAMED, _MOST_FOUND = 5, 100  # systems in a message, and in a problem
# Characters of a selection, its globs, the folders around all files that a glob may leave out, and its steps.
_LONGEST_SELECTION, _MOST_GLOBS, _MOST_AROUND, _MOST_STEPS = 4000, 20, 12, 50
# Systems times files, and folders, above which no selection of a folder is worked out.
_MOST_COMPARED, _DEEPEST = 20_000, 8
# A run by its name: `seed_42`, `Run 3`, `heron-2-replicate1.json`.
RUN = re.compile(
    r"(?<![a-z])(run|attempt|seed|trial|replicate|epoch)s?[\W_]{0,3}\d+(?![0-9a-z])", re.IGNORECASE
)
# A plain number, alone or behind a word for a file of results, which is no name of a model.
_NUMBER = re.compile(
    r"((?:(?:results?|outputs?|answers?|predictions?|submission)[\W_]{0,3})?)(\d{1,3})((?:\.[a-z]\w*)*)",
    re.IGNORECASE,
)
# What tells neither a model nor a condition: a date with its time, or an id with a digit in it.
_ID = re.compile(
    r"\d{4}-?\d\d-?\d\d(?:[T_-]{0,2}\d\d[-:]?\d\d(?:[-:]?\d\d)?)?(?:[+-]\d\d[-:]?\d\d)?Z?"
    r"|(?<![0-9a-z])(?=[a-z]*\d)[0-9a-z]{6,}(?![0-9a-z])",
    re.IGNORECASE,
)
# Name, "" to take it from the paths, and files.
Groups = Sequence[tuple[str, Sequence[str]]]


def has_several_systems(stated: Mapping[str, tuple[str, str]], findings: Findings) -> bool:
    """Return whether a log is of several systems, which is reported with their names.

    stated: file or folder -> agent and model, "" for what it does not state, which is no difference
    """
    files: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for name, system in stated.items():
        files[system].append(name)
    groups = [(" with ".join(filter(None, system)), own) for system, own in files.items()]
    models = {name: model for name, (_, model) in stated.items()}
    differ = any(len({system[part] for system in files} - {""}) > 1 for part in (0, 1))
    return differ and are_several(groups, findings, models)


def are_several(groups: Groups, findings: Findings, models: Mapping[str, str] | None = None) -> bool:
    """Return whether there are several groups of files, which are reported as systems."""
    if len(groups) > 1:
        findings.add_problem(several_systems(FormatCode.SEVERAL_SYSTEMS, groups, models))
    return len(groups) > 1


def by_plain_folder(names: Iterable[str]) -> dict[str, list[str]]:
    """Return folder -> the files in it or in folders of equal names but for numbers of runs, dates and ids.

    Folders of other names may be conditions of an experiment, of which no log speaks.
    """
    folders: dict[str, list[str]] = {}
    for name in names:
        folder = _ID.sub("", RUN.sub(r"\1", name.rpartition("/")[0])).casefold()
        folders.setdefault(folder, []).append(name)
    return folders


def group_by_name(names: Sequence[str]) -> list[list[str]]:
    """Return the files in an archive by system, as far as their names tell.

    Runs of one system have equal names but for a number behind run, attempt, seed, trial, replicate or epoch.
    Plain numbers are runs too where they count from 0 or 1 without a gap.
    """
    plain = {name: RUN.sub(r"\1*", name).casefold() for name in names}
    counted: defaultdict[str, list[tuple[str, tuple[int, ...]]]] = defaultdict(list)
    for name in names:
        parts = plain[name].split("/")
        found = [_NUMBER.fullmatch(part) for part in parts]
        key = "/".join(f"{m[1]}*{m[3]}" if m else part for m, part in zip(found, parts, strict=True))
        counted[key].append((name, tuple(int(m[2]) for m in found if m)))
    groups: dict[str, list[str]] = {}
    for key, same in counted.items():
        places = [set(numbers) for numbers in zip(*(numbers for _, numbers in same), strict=True)]
        is_count = all(len(found) == max(found) + 1 - min(found) and min(found) < 2 for found in places)
        for name, _ in same:
            groups.setdefault(key if is_count else plain[name], []).append(name)
    return list(groups.values())


def found_systems(groups: Groups, models: Mapping[str, str] | None = None) -> list[FoundSystem]:
    """Return the first systems, each with what selects its files alone and the model that they state."""
    all_names = [name for _, own in groups for name in own]
    around = _depth_around(all_names)
    # The folders around all files are the same in each glob.
    within = [name.split("/", around)[-1] for name in all_names]
    is_compared = len(groups) * len(all_names) <= _MOST_COMPARED
    systems = []
    for label, own in groups[:_MOST_FOUND]:
        steps = [_pattern(parts) for parts in zip(*(name.split("/") for name in own), strict=False)]
        select, depth = "|".join(map(glob_of, own)), len(steps)
        for end in range(around + 1, min(len(steps), around + _DEEPEST) + 1) if is_compared else ():
            glob, below = "/".join(steps[:end]), "/".join(steps[around:end])
            if sum(selects(below, name) for name in within) == len(own):
                select, depth = glob if end == len(steps) else f"{glob}/**", end
                break
        shown = [step for step in steps[around:depth] if not RUN.fullmatch(step.replace("*", "1"))]
        model = next(filter(None, ((models or {}).get(each, "") for each in own)), "")
        select = "" if fault_of_selection(select) else select
        name = label or "/".join(shown) or own[0]
        systems.append(FoundSystem(name=name, select=select, files=len(own), model=model))
    return systems


def _pattern(parts: Sequence[str]) -> str:
    """Return the glob of names that begin and end alike."""
    start = commonprefix(parts)  # noqa: RUF071 - of the characters of a name
    end = commonprefix([part[len(start) :][::-1] for part in parts])[::-1]  # noqa: RUF071
    return glob_of(start) if len({*parts}) == 1 else f"{glob_of(start)}*{glob_of(end)}"


def glob_of(name: str) -> str:
    """Return the glob of a name, without the signs that mean something else in a selection."""
    return re.sub(r"[|!^]", "?", escape(name))


def several_systems(code: ProblemCode, groups: Groups, models: Mapping[str, str] | None = None) -> Problem:
    """Return the problem that names the systems of `found_systems`, and asks which is meant."""
    systems = found_systems(groups, models)
    names = listed([system.name for system in systems])
    message = phrase("there are results of {n} systems: {names}", n=len(groups), names=names)
    hint = code.fix
    if select := next((system.select for system in systems if system.select), ""):
        option = f"`--select '{quote(select)}'`"
        hint = phrase("Choose one, such as {select}. Otherwise: {fix}", select=option, fix=hint)
    return Problem(code=code, pointer="", message=message, hint=hint, systems=tuple(systems))


def listed(names: Sequence[str]) -> str:
    """Return names for a message: the first of them, each once."""
    different = list(dict.fromkeys(names))
    return ", ".join(map(quote, different[:_MAX_NAMED])) + (", …" if len(different) > _MAX_NAMED else "")


def report_side_by_side(document: Any, code: ProblemCode, findings: Findings) -> None:
    """Report the systems whose answers are in one object, by system and task or by task and system.

    Raises SubmissionInvalid where there are several.
    """
    items = list(document.items()) if isinstance(document, dict) else []
    names = [name for name, value in items if not TASK_ID.fullmatch(name) and _is_of_tasks(value)]
    if items and all(TASK_ID.fullmatch(name) and isinstance(value, dict) for name, value in items):
        are_arms = all(isinstance(part, dict) for _, value in items for part in value.values())
        names = sorted(set.intersection(*(set(value) for _, value in items))) if are_arms else []
    names = [name for name in names if not names_reference(name)]
    of_names = [document[name] for name in names if isinstance(document.get(name), dict)]
    if sum(map(len, of_names)) == len(set().union(*of_names)) > 0:
        names = []  # groups of tasks
    if len(group_by_name(names)) > 1:
        findings.add_problem(several_systems(code, [(quote(name), ()) for name in names]))
        findings.raise_if_invalid()


def _is_of_tasks(value: Any) -> bool:
    first = next(iter(value), None) if isinstance(value, dict | list) else None
    return TASK_ID.fullmatch(task_in(first) if isinstance(first, dict) else str(first)) is not None


def fault_of_selection(select: str, *, is_archive: bool = True) -> Phrase | None:
    """Return why `select`, globs with | between them, is none; None for one that can be used."""
    globs = select.split("|")
    if not is_archive:
        return phrase("the file is no archive, so nothing can be selected of it")
    if not all(glob.strip("./ ") for glob in globs):
        return phrase("the selection is empty, or a part of it is")
    if any(glob.startswith(("!", "^")) or "[!" in glob for glob in globs):
        return phrase(
            "a selection names what is taken, and not what is left out: {select}", select=quote(select)
        )
    steps = max(glob.count("/") for glob in globs)
    if len(select) > _LONGEST_SELECTION or len(globs) > _MOST_GLOBS or steps > _MOST_STEPS:
        return phrase("the selection has more than {most} parts, or is too long", most=_MOST_GLOBS)
    return None


def select_names(
    names: Sequence[str], select: str, check_time: Callable[[], None] = lambda: None
) -> dict[str, list[str]]:
    """Return glob -> the names of files that it selects, with or without the folders around all."""
    depths = range(min(_depth_around(names), _MOST_AROUND) + 1)
    found: dict[str, list[str]] = {glob: [] for glob in select.split("|")}
    for name in names:
        check_time()
        for glob, own in found.items():
            if any(selects(glob, name.split("/", depth)[-1]) for depth in depths):
                own.append(name)
    return found


def _depth_around(names: Iterable[str]) -> int:
    """Return how many folders are around all files."""
    folders = zip(*(name.split("/")[:-1] for name in names), strict=False)
    return sum(1 for _ in takewhile(lambda parts: len({*parts}) == 1, folders))


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
