"""Check the files that a command names, as the service does, and keep what scoring needs of them."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from typing import Any, BinaryIO

from wardboard.files.reading import benchmark_of, read_files, runs_opened
from wardboard.scoring.benchmark import Benchmark, Reading
from wardboard.scoring.benchmark_cli import BenchmarkCli, Expectation
from wardboard.scoring.facts_of_logs import public_facts
from wardboard.scoring.reading.codes import DocumentCode, RunsCode
from wardboard.scoring.reading.collector import Unreadable
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import Remarks, SubmissionInvalid, counted, quote
from wardboard.scoring.reading.reports.code_groups import total_in_words
from wardboard.scoring.runs import add_left_out, empty_problem, warn_if_empty
from wardboard.terminal import show

# Codes of problems that are the same whatever benchmark the file is of; else it is not recognised.
_OF_ANY_FILE = {*DocumentCode, *RunsCode} - {DocumentCode.FIELD_MISSING, DocumentCode.FIELD_TYPE}
_HINT = phrase("Name it with --benchmark. MedAgentBench has ids like task1_1, FHIR-AgentBench 24 hex digits.")
_UNRECOGNISED = Unreadable(DocumentCode.NO_RESULTS, phrase("no benchmark is recognised in the file"), _HINT)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFiles:
    """What was found in the files of a command.

    - reading: their content; None if there are problems
    - names, files, kept: of each run its name, its file, and what scoring needs of it, at its start
    - benchmark: None for an archive that cannot be read
    - expected: what the files were checked against
    """

    runs: int
    problems: Remarks
    warnings: Remarks
    reading: Reading | None = None
    names: Sequence[str] = ()
    files: Sequence[BinaryIO] = ()
    kept: Sequence[BinaryIO] = ()
    benchmark: Benchmark | None = None
    expected: Expectation = field(default_factory=Expectation)

    def summary(self, names: Sequence[str]) -> str:
        """Return what was found in a line. names: as they were given."""
        warnings = total_in_words("warning", self.warnings.total, len(self.warnings.counts))
        if self.reading is None:
            errors = total_in_words("error", self.problems.total, len(self.problems.counts))
            found = f"{errors}, {warnings}; it cannot be scored"
        else:
            version = f", version {quote(self.reading.version)}" if self.reading.version else ""
            content = f"{self.reading.format}{version}, {counted(self.reading.count, 'result')}"
            head = f"{empty_problem(self.reading).message}; " if self.reading.is_mostly_empty else ""
            found = f"{head}no error, {warnings} ({content})"
        title = quote(names[0]) if len(names) == self.runs == 1 else f"{self.runs} runs"
        return f"{title}: {found}"

    def as_document(self) -> dict[str, Any]:
        """Return what `POST /api/v1/validations/` answers, as far as it is known without a service.

        The slug is that of the benchmark; that of the leaderboard is not known.
        """
        warnings = remark_members("warnings", self.warnings)
        if self.reading is not None and self.benchmark is not None:
            return {
                "valid": True,
                "benchmark": self.benchmark.slug,
                "format": self.reading.format,
                "results": self.reading.count,
                "no_answers": self.reading.no_answers,
                "runs": self.runs,
                "tasks": len(self.expected.task_ids) or None,
                "from_log": public_facts(self.reading.log_facts),
                **warnings,
                "answer_forms": self.reading.forms and self.reading.forms.as_dict(),
            }
        return {
            "type": "/api/problems/file-rejected/",
            "title": "The file cannot be scored",
            "status": 422,
            "detail": f"{counted(self.problems.total, 'problem')} in the file.",
            "code": "file-rejected",
            "hint": "Fix every problem listed.",
            **remark_members("problems", self.problems),
            **warnings,
            "valid": False,
            **({"systems": [asdict(system) for system in found]} if (found := self.problems.systems) else {}),
        }


def remark_members(noun: str, remarks: Remarks) -> dict[str, Any]:
    """Return remarks as members of a document. noun: "problems" or "warnings"."""
    return {
        noun: [remark.as_dict() for remark in remarks.listed],
        f"{noun}_total": remarks.total,
        f"{noun}_by_code": dict(remarks.counts),
    }


def check_files(
    arguments: Mapping[str, Any],
    stack: ExitStack,
    *,
    expect: Callable[[BenchmarkCli, BinaryIO], Expectation] | None = None,
) -> CheckedFiles:
    """Check the files of a command. Raises Failure.

    stack: closes what is kept. expect: what the first file is checked against; by default what the options
    of its benchmark say
    """
    try:
        names, files, left_out = stack.enter_context(runs_opened(arguments["files"], arguments["select"]))
    except SubmissionInvalid as invalid:
        runs = len(arguments["files"])
        return CheckedFiles(runs=runs, problems=invalid.problems, warnings=invalid.warnings)
    benchmark, cli, is_taken = benchmark_of(arguments, files[0])
    expected = expect(cli, files[0]) if expect else cli.expectation(arguments, files[0])
    if expected.note:
        show(f"wardboard: {expected.note}", err=True)
    kept: list[BinaryIO] = [stack.enter_context(tempfile.TemporaryFile()) for _ in names]  # noqa: SIM115
    reading: Reading | None = None
    try:
        reading = read_files(benchmark, names, files, expected, kept)
        warn_if_empty(reading)
        problems, warnings = Remarks(), reading.warnings
    except SubmissionInvalid as invalid:
        problems, warnings = invalid.problems, invalid.warnings
        if not is_taken and problems.listed[0].code not in _OF_ANY_FILE:
            problems = Remarks()
            problems.add(_UNRECOGNISED.problem)
    add_left_out(warnings, left_out)
    for part in kept:
        part.seek(0)
    return CheckedFiles(
        runs=len(names),
        problems=problems,
        warnings=warnings,
        reading=reading,
        names=names,
        files=files,
        kept=kept,
        benchmark=benchmark,
        expected=expected,
    )
