"""The report with which a command ends: for the log, and for the system that runs the job."""

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wardboard.ci.gates import Gate
from wardboard.errors import WrongUse
from wardboard.exit_codes import ExitCode
from wardboard.files.remarks import OF_ID_TOKEN, form_lines, grouped_lines
from wardboard.scoring.reading.problems import printable

# Problems whose codes begin so are about the request: its fields and parameters, one of which is `file`, and
# the ID token of the job.
_OF_REQUEST = ("request.", "facts.", OF_ID_TOKEN)
_GATE_WORDS = {True: "pass", False: "FAIL", None: "none"}


@dataclass(frozen=True, slots=True, kw_only=True)
class JobReport:
    """The end of a command.

    - title: what was checked or scored
    - message: why it is not 0; ""
    - facts: label -> text, such as the score, for people
    - document: of the API, with its problems and warnings; {} without one
    - submission: the one that the file of `--output` keeps; None for an end that is about none
    """

    title: str
    code: ExitCode
    message: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    files: Sequence[str] = ()
    gates: Sequence[Gate] = ()
    document: Mapping[str, Any] = field(default_factory=dict)
    submission: Mapping[str, Any] | None = None
    link: str = ""

    def listed(self, noun: str) -> Sequence[Mapping[str, Any]]:
        """Return the listed problems or warnings, as the API has them. noun: "problems" or "warnings"."""
        return self.document.get(noun) or ()

    def file_of(self, problem: Mapping[str, Any]) -> str:
        """Return the file, as it was given, that a problem is in; "" for one of the request."""
        if problem["code"].startswith(_OF_REQUEST) and problem["pointer"] != "/file":
            return ""
        run = problem.get("run") or 1
        return self.files[run - 1] if run <= len(self.files) else ""

    def as_text(self) -> str:
        """Return what people read, without why the command failed."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield printable(self.title)
        for label, value in self.facts.items():
            yield f"  {label:<14} {printable(value)}"
        for word in ("error", "warning"):
            noun = "problems" if word == "error" else "warnings"
            counts, total = self.document.get(f"{noun}_by_code"), self.document.get(f"{noun}_total")
            yield from grouped_lines(word, self.listed(noun), counts, total or 0)
        if forms := self.document.get("answer_forms"):
            yield from form_lines(forms)
        if self.gates:
            yield ""
        for gate in self.gates:
            yield f"{_GATE_WORDS[gate.passed]}  {gate.name}  {printable(gate.message)}"
        if self.link:
            yield f"\n{self.link}"


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
        # Only its owner can read a temporary file. The mask can be read only by setting it.
        os.umask(mask := os.umask(0))
        Path(file.name).chmod(0o666 & ~mask)
        Path(file.name).replace(path)
    except OSError as error:
        raise WrongUse(f"cannot write {path}: {error.strerror}") from None
