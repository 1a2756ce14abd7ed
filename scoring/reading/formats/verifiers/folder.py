"""Folders that verifiers wrote, in an archive: results.jsonl with metadata.json, or traces.jsonl."""

from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import PurePosixPath

from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.formats.attempts import Attempt, Row
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.folders import Folder
from wardboard.scoring.reading.formats.last_line import LastLine
from wardboard.scoring.reading.formats.verifiers.results import rollouts_read
from wardboard.scoring.reading.formats.verifiers.traces import episodes_read
from wardboard.scoring.reading.json_text import parse_json
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import quote

_RESULTS, _TRACES, _METADATA = "results.jsonl", "traces.jsonl", "metadata.json"


def is_verifiers_folder(names: Collection[str]) -> bool:
    """Return whether files with these names are of one or several runs of an environment."""
    return bool(_runs(names))


def read_folder(folder: Folder, findings: Findings) -> Iterator[Attempt]:
    """Yield the attempts of all runs in a folder, one run after another. Raises Unreadable.

    Where a run has both files, its traces are read, which state more.
    """
    rollouts: Counter[tuple[str, ...]] = Counter()
    episodes: Counter[tuple[str, ...]] = Counter()
    models: dict[str, None] = {}
    for place, file in sorted(_runs(folder.names).items()):
        name, last_line = str(place / file), LastLine(may_be_torn=True)
        rows = _rows(folder.text(name), findings.at(name), last_line)
        if file == _TRACES:
            attempts = episodes_read(rows, episodes)
        else:
            attempts = rollouts_read(rows, folder.json(str(place / _METADATA)), rollouts)
        for attempt in last_line.noted(attempts):
            models[attempt.facts.model] = None
            yield attempt
    if len(models) > 1:
        named = ", ".join(quote(model or "?") for model in models)
        message = phrase("the folder has runs of several models: {models}", models=named)
        findings.problem(FormatCode.SEVERAL_SYSTEMS, (), message)


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


def _rows(text: str, here: Findings, last_line: LastLine) -> Iterator[Row]:
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    for number, line in lines:
        at = here.on_line(number).at(*here.base)
        try:
            yield at, parse_json(line, at)
        except Unreadable as error:
            if number != lines[-1][0] or not last_line.is_it(error):
                here.add_problem(error.problem)
