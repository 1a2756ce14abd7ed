"""Folders that verifiers wrote, in an archive: results.jsonl with metadata.json, or traces.jsonl."""

from collections import Counter
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import PurePosixPath

from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.formats.attempts import Attempt, Row
from wardboard.scoring.reading.formats.conditions import stated_beside, states_differ
from wardboard.scoring.reading.formats.folders import Folder
from wardboard.scoring.reading.formats.last_line import without_torn_line
from wardboard.scoring.reading.formats.systems import has_several_systems
from wardboard.scoring.reading.formats.verifiers.results import read_results
from wardboard.scoring.reading.formats.verifiers.traces import read_traces
from wardboard.scoring.reading.json_text import parse_json

_RESULTS, _TRACES, _METADATA = "results.jsonl", "traces.jsonl", "metadata.json"


def is_verifiers_folder(folder: Folder) -> bool:
    """Return whether files are of one or several runs of an environment, by their names."""
    return bool(_runs(folder.names))


def read_folder(folder: Folder, findings: Findings) -> Iterator[Attempt]:
    """Yield the attempts of all runs in a folder, one run after another. Raises Unreadable.

    Where a run has both files, its traces are read, which state more.
    """
    rollouts, episodes = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
    systems: dict[str, tuple[str, str]] = {}
    runs = _runs(folder.names)
    stated = stated_beside(folder.head, map(str, runs), folder.names)
    if not folder.is_one and states_differ(stated, findings):
        return
    for place, file in sorted(runs.items()):
        name = str(place / file)
        read = partial(read_traces, seen=episodes)
        if file == _RESULTS:
            read = partial(read_results, metadata=folder.json(str(place / _METADATA)), seen=rollouts)
        for attempt in without_torn_line(read)(_rows(folder.text(name), findings.at(name))):
            systems[str(place)] = ("", attempt.facts.model)
            yield attempt
    has_several_systems(systems, findings)


def _runs(names: Collection[str]) -> dict[PurePosixPath, str]:
    """Return the folder of each run, and which of its files to read."""
    files: dict[PurePosixPath, set[str]] = {}
    for path in map(PurePosixPath, names):
        for parent, name in ((path.parent, path.name), (path.parent.parent, f"{path.parent.name}/")):
            files.setdefault(parent, set()).add(name)
    runs = {}
    for place, found in files.items():
        if _TRACES in found and found & {"configs/", _METADATA}:
            runs[place] = _TRACES
        elif {_RESULTS, _METADATA} <= found:
            runs[place] = _RESULTS
    return runs


def _rows(text: str, here: Findings) -> Iterator[Row]:
    """Yield the lines of a file. Raises Unreadable if the last one is cut off."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    for number, line in lines:
        at = here.on_line(number).at(*here.base)
        try:
            yield at, parse_json(line, at)
        except Unreadable as error:
            if number == lines[-1][0] and error.problem.code == DocumentCode.TRUNCATED:
                raise
            here.add_problem(error.problem)
