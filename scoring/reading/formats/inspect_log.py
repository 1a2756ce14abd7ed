"""Read the logs of inspect_ai, `.eval` or JSON: an epoch is a run, and a folder may hold several logs."""

import io
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

import msgspec

from wardboard.scoring.reading.archives import is_eval_log, names_of_zip
from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.formats.attempts import Attempt
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.conditions import Stated, stated_beside, stated_in, states_differ
from wardboard.scoring.reading.formats.folders import Folder, companions
from wardboard.scoring.reading.formats.systems import are_several, by_plain_folder, has_several_systems
from wardboard.scoring.reading.inspect_logs.eval_file import eval_rows
from wardboard.scoring.reading.inspect_logs.header import Header, epochs_of, read_header
from wardboard.scoring.reading.inspect_logs.json_file import header_of_json, json_rows
from wardboard.scoring.reading.inspect_logs.samples import Samples
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import quote, quoted_list

INSPECT_LOG = "inspect-log"
_SUFFIX = ".eval"
_SAMPLE = re.compile(r"samples/(.*)_epoch_(\d{1,9})\.json", re.DOTALL)
_SEND_PARTS = phrase("Send only the logs that count: one of each run, or such without a common sample.")


def is_log(source: BinaryIO) -> bool:
    """Return whether a seekable file is a log in one of its two formats; leave it at its start."""
    return is_eval_log(source) or header_of_json(source) is not None


def may_hold_runs(source: BinaryIO) -> bool:
    """Return whether a seekable file for which `is_log` may hold several epochs; leave it at its start."""
    if names := names_of_zip(source):
        return len({match[2] for name in names if (match := _SAMPLE.fullmatch(name))}) > 1
    return epochs_of(header_of_json(source)) != 1


def attempts_of_log(source: BinaryIO, findings: Findings) -> Iterator[Attempt]:
    """Yield the samples of a seekable file for which `is_log`, and report what is wrong.

    Raises Unreadable for what ends the reading.
    """
    rows = eval_rows(source, findings) if is_eval_log(source) else json_rows(source, findings)
    _, members = next(rows)
    samples = Samples(read_header(members, findings), findings)
    has_samples = False
    for here, value in rows:
        findings.check_time()
        has_samples = True
        attempt = samples.attempt(value, here)
        # Free this sample before the next one is read.
        del value
        if attempt:
            yield attempt
    if not has_samples and not findings.problems:
        findings.problem(FormatCode.NO_ATTEMPTS, ("samples",), phrase("the log holds no samples"))


def is_folder(folder: Folder) -> bool:
    """Return whether the files of an archive are logs."""
    return any(name.endswith(_SUFFIX) for name in folder.names)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Log:
    """A log in a folder. samples: ids and epochs, by the names of its members."""

    name: str
    header: Header
    samples: frozenset[tuple[str, int]]
    stated: Stated

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(sample_id for sample_id, _ in self.samples)


def attempts_of_folder(folder: Folder, findings: Findings) -> Iterator[Attempt]:
    """Yield the samples of the logs in an archive, without those of an attempt that was tried again.

    Logs without a sample in common are parts of the same runs; logs with the same samples are runs by
    themselves. Raises Unreadable for what ends the reading, and for logs of which neither holds.
    """
    logs = [_log(folder, name, findings) for name in sorted(folder.names) if name.endswith(_SUFFIX)]
    others = [name for name in folder.names if not name.endswith(_SUFFIX)]
    folder.left_out += others
    if results := sorted({*others}.difference(companions(folder, findings))):
        are_several([("", [log.name for log in logs]), ("", results)], findings)
        return
    if has_several_systems({log.name: ("", log.header.model) for log in logs}, findings):
        return
    logs = _without_retried(logs)
    runs = _first_runs(logs)
    # Folders of logs of one model may be conditions.
    folders = [(same[0].rpartition("/")[0], same) for same in by_plain_folder(runs).values()]
    if len({*runs.values()}) > 1 and are_several(folders, findings):
        return
    stated = stated_beside(folder.head, runs, others)
    stated = {log.name: stated[log.name] | log.stated for log in logs}
    if len({*runs.values()}) > 1 and not folder.is_one and states_differ(stated, findings):
        return
    for log in logs:
        for attempt in attempts_of_log(io.BytesIO(folder.read(log.name)), findings.at(log.name)):
            yield msgspec.structs.replace(attempt, run=runs[log.name] + attempt.run - 1)


def _log(folder: Folder, name: str, findings: Findings) -> _Log:
    source = io.BytesIO(folder.read(name))
    if not is_eval_log(source):
        message = phrase("“{name}” is no log of inspect_ai", name=quote(name))
        raise Unreadable(FormatCode.DAMAGED, message, steps=(name,))
    matches = (_SAMPLE.fullmatch(member) for member in names_of_zip(source))
    samples = frozenset((match[1], int(match[2])) for match in matches if match)
    _, members = next(eval_rows(source, findings.at(name)))
    header = read_header(members, findings.at(name))
    return _Log(name=name, header=header, samples=samples, stated=stated_in(members))


def _without_retried(logs: Iterable[_Log]) -> list[_Log]:
    """Return logs without those that ended with an error and were tried again. Raises Unreadable."""
    by_task: defaultdict[str, list[_Log]] = defaultdict(list)
    for log in logs:
        by_task[log.header.task or log.name].append(log)
    kept: list[_Log] = []
    for tries in by_task.values():
        *earlier, last = sorted(tries, key=lambda log: log.header.completed)
        if finished := [log for log in earlier if log.header.status != "error"]:
            names = quoted_list([log.name for log in (*finished, last)])
            message = phrase("these logs are of one evaluation, without an error: {names}", names=names)
            raise Unreadable(FormatCode.SEVERAL_RUNS, message, hint=_SEND_PARTS)
        kept.append(last)
    return sorted(kept, key=lambda log: log.name)


def _first_runs(logs: list[_Log]) -> Mapping[str, int]:
    """Return the name of each log -> the number of its first run. Raises Unreadable."""
    if sum(len(log.ids) for log in logs) == len(frozenset[str]().union(*(log.ids for log in logs))):
        return dict.fromkeys((log.name for log in logs), 1)
    if len({log.ids for log in logs}) > 1:
        names = quoted_list([log.name for log in logs])
        message = phrase("these logs have some samples in common, but not all: {names}", names=names)
        raise Unreadable(FormatCode.SEVERAL_RUNS, message, hint=_SEND_PARTS)
    first, runs = 1, dict[str, int]()
    for log in logs:
        runs[log.name] = first
        first += max((epoch for _, epoch in log.samples), default=1)
    return runs
