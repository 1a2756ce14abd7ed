"""The report with which a command ends, for the log, for files, and for the system that runs the job."""

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from wardboard.ci.gates import Gate
from wardboard.errors import WrongUse
from wardboard.exit_codes import ExitCode
from wardboard.places import OF_ID_TOKEN

# Problems whose codes begin so are about the request: its fields and parameters, one of which is `file`, and
# the ID token of the job.
_OF_REQUEST = ("request.", "facts.", OF_ID_TOKEN)


class JobRemarks(NamedTuple):
    """Remarks of one sort. word: what one is; listed: as the API has them; by_code: code -> how many."""

    word: str
    listed: Sequence[Mapping[str, Any]]
    total: int
    by_code: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobReport:
    """The end of a command.

    - title: what was checked or scored
    - code: the exit code
    - message: why it is not 0; ""
    - facts: label -> text, such as the score, for people
    - is_scored: whether the submission has a score; None for a report that is about none
    - files: names of the files, as they were given
    - problems, warnings: as the API has them
    - problems_total, warnings_total: with those beyond the listed ones
    - problems_by_code, warnings_by_code: code -> how many, likewise; empty from an older service
    - comparison: with the entry of its system, as the API shows it; None without one
    - link: the address of the page; "" without one
    """

    title: str
    code: ExitCode
    message: str = ""
    facts: Mapping[str, str]
    files: Sequence[str]
    is_scored: bool | None = None
    gates: Sequence[Gate] = ()
    problems: Sequence[Mapping[str, Any]] = ()
    problems_total: int = 0
    problems_by_code: Mapping[str, int] = field(default_factory=dict)
    warnings: Sequence[Mapping[str, Any]] = ()
    warnings_total: int = 0
    warnings_by_code: Mapping[str, int] = field(default_factory=dict)
    comparison: Mapping[str, Any] | None = None
    link: str = ""

    @property
    def remarks(self) -> tuple["JobRemarks", "JobRemarks"]:
        """The errors and the warnings."""
        return (
            JobRemarks("error", self.problems, self.problems_total, self.problems_by_code),
            JobRemarks("warning", self.warnings, self.warnings_total, self.warnings_by_code),
        )

    def file_of(self, problem: Mapping[str, Any]) -> str:
        """Return the file, as it was given, that a problem is in; "" for one of the request.

        It is the only file, or that of the problem's run.
        """
        if problem["code"].startswith(_OF_REQUEST) and problem["pointer"] != "/file":
            return ""
        run = problem.get("run") or 1
        return self.files[run - 1] if run <= len(self.files) else ""


def remarks_of(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a report that a document of the API has about errors and warnings."""
    return {
        f"{noun}{part}": document.get(f"{noun}{part}") or empty
        for noun in ("problems", "warnings")
        for part, empty in (("", ()), ("_total", 0), ("_by_code", {}))
    }


def diff_of(problem: Mapping[str, Any]) -> list[str]:
    """Return the line that the fix of a problem removes, and the one that it inserts, if there are any."""
    fix = problem.get("fix") or {"before": "", "after": ""}
    return [f"{sign} {fix[part]}" for sign, part in (("-", "before"), ("+", "after")) if fix[part]]


def write_document(path: Path, document: Mapping[str, Any]) -> None:
    """Write a document of the API to `path` all at once: a job that is killed leaves no half of it.

    It writes into a device, a pipe or a link: a file in its place would take it away from everyone.
    """
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            path.write_text(text, encoding="utf-8")
            return
        with tempfile.NamedTemporaryFile(
            "w", dir=path.parent, prefix=f".{path.name}.", delete=False, encoding="utf-8"
        ) as file:
            file.write(text)
        # Only its owner can read a temporary file.
        Path(file.name).chmod(0o666 & ~_umask())
        Path(file.name).replace(path)
    except OSError as error:
        raise WrongUse(f"cannot write {path}: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
