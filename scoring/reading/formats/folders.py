"""The files of a log that is a folder, in an archive: found by name, read one at a time, and bounded."""

import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from os.path import dirname
from pathlib import PurePosixPath
from typing import Any, BinaryIO

import msgspec

from wardboard.scoring.reading.archives import (
    DAMAGE,
    ArchiveEntry,
    TooMuch,
    archive_entries,
    checked,
    first_bytes,
    is_archive,
    is_zip,
    not_results,
    problems_of_entry,
    read_entry,
)
from wardboard.scoring.reading.codes import DocumentCode, RunsCode
from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.formats.attempts import Steps, converted
from wardboard.scoring.reading.json_text import parse_json
from wardboard.scoring.reading.limits import KIB, size
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.nesting import check_nesting
from wardboard.scoring.reading.problems import pointer
from wardboard.scoring.reading.streams.text_stream import read_text

_HEAD = 256 * KIB
_REFERENCES = re.compile(
    r"(?<![a-z])(?:gold|(?:ground[\W_]?)?truth|references?|refs|labels|rubric|oracle|answer[\W_]?keys?)(?![a-z])"
    r"|\A(?:(?:test|dev|val|eval)[\W_]?)?(?:data(?:set)?|tasks?|questions?|(?:fhir|task)[\W_]?ids)\Z",
    re.IGNORECASE,
)
# Names of results, and of what is made of them or may be the references, beside them in a folder.
_RESULTS = re.compile(r"(?:pred|output|result|response|run)[^/]*\Z", re.IGNORECASE)
_BESIDE_RESULTS = re.compile(
    r"(?:\A|/)(?:answers?\.|(?:eval|failed|judge)(?![^/]*(?:pred|output|result)))[^/]*\Z", re.IGNORECASE
)
# What may be an answer: in JSON by its key, or the task as its key; in a table by its column.
_ANSWER = re.compile(
    rb'"(?:\w*answers?|outputs?|responses?|result|predictions?|completions?|messages|history|trajectory'
    rb'|transcript|conversation|choices|resps|samples|traces?)"\s*:\s*["\[{]'
    rb'|"\w*answer"\s*:\s*[-\d]|"(?:task\d+_\d+|[0-9a-f]{24})"\s*:'
)
_COLUMN = re.compile(
    rb"(?:^|[,;\t])\W*(?:\w*answer|output|response|result|prediction|completion)\W*(?:[,;\t]|$)",
    re.IGNORECASE,
)
# Names of JSON that harnesses and people write beside results.
_BESIDE = re.compile(
    r"(?<![a-z])(?:summary|metrics?|scores?|stats?|statistics|leaderboard|configs?|settings|params?|args?"
    r"|meta(?:data)?|report|eval(?:uation)?|overall|aggregated?|usage|costs?|timings?|manifest|env(?:ironment)?"
    r"|versions?|errors?|state|schema|prompts?|package)(?![a-z])",
    re.IGNORECASE,
)


def steps_of(name: str) -> Steps:
    """Return the name of a file or folder in an archive as the beginning of a path to a place."""
    return tuple(part for part in name.split("/") if part)


class Folder:
    """The files of an archive. names: as the archive has them, those that systems add left out.

    What it reads counts against the limits of one upload together.

    left_out: what a reader found to be no part of the results, by name, which a warning lists
    is_one: whether someone states that the files are of one system
    """

    def __init__(
        self, entries: Iterable[ArchiveEntry], findings: Findings, *, most: int | None = None
    ) -> None:
        self._entries = {entry.name: entry for entry in entries}
        self._findings = findings
        self._left = findings.limits.log_bytes if most is None else most
        self.names = list(self._entries)
        self.left_out: list[str] = []
        self.is_one = False

    def head(self, name: str, most: int) -> bytes:
        """Return the first bytes of a file of `names`, at most `most`; b"" for one that cannot be opened."""
        if any(problems_of_entry(self._entries[name], set())):
            return b""
        try:
            with self._entries[name].open() as file:
                content = first_bytes(file, most)
        except (TooMuch, *DAMAGE):
            return b""
        return content

    def read(self, name: str) -> bytes:
        """Return a file of `names`. Raises Unreadable."""
        entry, limits = self._entries[name], self._findings.limits
        self._findings.check_time()
        for message in problems_of_entry(entry, set()):
            raise Unreadable(RunsCode.MEMBER, message)
        left, most = self._left, min(self._left, limits.record_bytes)
        try:
            content = read_entry(entry, most)
        except (TooMuch, *DAMAGE):
            message = phrase("the archive is damaged, or ends too early")
            raise Unreadable(RunsCode.DAMAGED, message) from None
        self._left -= most if content is None else len(content)
        if content is not None:
            return content
        if most == left:
            limit = size(limits.log_bytes)
            message = phrase("the files of the archive together are larger than {limit}", limit=limit)
            raise Unreadable(RunsCode.ARCHIVE_TOO_LARGE, message)
        message = phrase("the file holds more than {limit} when unpacked", limit=size(limits.record_bytes))
        raise Unreadable(DocumentCode.TOO_LARGE, message)

    def text(self, name: str) -> str:
        """Return a file of `names` as text. Raises Unreadable."""
        limits = self._findings.limits
        most = limits.record_bytes
        limits = replace(limits, body_bytes=most, document_bytes=most, unpacked_bytes=most)
        return read_text(self.read(name), limits)

    def json(self, name: str) -> Any:
        """Return the JSON of a file of `names`. Raises Unreadable."""
        return parse_json(self.text(name), self._findings.discarded())

    def struct(self, name: str, kind: Any, here: Findings) -> Any:
        """Return a file of `names` as `kind`, a Struct with the fields that its reader needs.

        None, with a problem in `here`, for a file that cannot be read or is not of this form. It takes less
        memory than `json`, because fields that `kind` does not have are skipped. Raises Unreadable where the
        files together are too large.
        """
        text = None
        try:
            text = self.text(name)
            check_nesting(text, self._findings.limits)
            return msgspec.json.decode(text, type=kind)
        except Unreadable as error:
            if text is None and error.problem.code == RunsCode.ARCHIVE_TOO_LARGE:
                raise
            problem = error.problem
        except (ValueError, RecursionError):
            # The text is no JSON to this parser, which takes no NaN, or not of this form: find out where.
            try:
                return converted(parse_json(text or "", here.discarded()), kind, here)
            except Unreadable as error:
                problem = error.problem
        here.add_problem(replace(problem, pointer=pointer(*here.base) + problem.pointer))
        return None


def companions(folder: Folder, findings: Findings) -> list[str]:
    """Return the files that hold no answers, by name and content; by name alone where none would be left."""
    known = dict.fromkeys(not_results(folder.names))
    found = [
        name
        for name in folder.names
        if name not in known and _is_companion(name, folder.head(name, _HEAD), findings)
    ]
    apart = {*known, *found}
    left = [name for name in folder.names if name not in apart]
    results = {dirname(name) for name in left if _RESULTS.search(name)}
    found += [name for name in left if dirname(name) in results and _BESIDE_RESULTS.search(name)]
    # A warning names the first: those that content decides on come before pictures and settings.
    found += known
    return found if len(found) < len(folder.names) else [*known]


def _is_companion(name: str, head: bytes, findings: Findings) -> bool:
    findings.check_time()
    path, text = PurePosixPath(name), head.removeprefix(b"\xef\xbb\xbf").lstrip()
    is_json, answers = text.startswith((b"{", b"[")), len(_ANSWER.findall(text))
    if _REFERENCES.search(path.stem):
        return True
    match path.suffix.lower():
        case ".csv" | ".tsv":
            return bool(text) and not is_json and not _COLUMN.search(text.partition(b"\n")[0].strip())
        case ".json" | ".jsonl" | ".ndjson":
            # Only of a file that is known as a whole it is certain what it does not hold.
            is_whole, is_beside = len(head) < _HEAD, bool(_BESIDE.search(path.stem))
            return is_json and is_whole and answers <= is_beside and (is_beside or b"{" in text[:20])
        case ".txt" | "":
            return not (is_json or answers or b"\0" in head)
    return False


@contextmanager
def opened_folder(source: BinaryIO, findings: Findings) -> Iterator[Folder | None]:
    """Open the files of a seekable archive; give None for any other file, or a damaged one.

    The code that reads it as an ordinary archive reports the damage.
    """
    folder = None
    with ExitStack() as stack:
        with suppress(TooMuch, *DAMAGE):
            if is_archive(source):
                entries = archive_entries(source, findings, stack)
                # A zip may list what is wrong, as long as nothing reads it; a tar is unpacked as a whole.
                if is_zip(source) or not any(problems for _, problems in checked(entries)):
                    folder = Folder(entries, findings)
        yield folder
