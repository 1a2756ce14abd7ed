"""`wardboard grade`: check and score files with reference answers of one's own."""

import hashlib
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any, BinaryIO

import click

from wardboard.commands.options.files import file_options, refuse_two_sources, with_benchmark
from wardboard.exit_codes import ExitCode
from wardboard.files.figures import digest_of_figures
from wardboard.files.output import card_as_dict, card_text, print_report
from wardboard.files.reading import (
    benchmark_clis,
    benchmark_of,
    read_file,
    read_files_as_runs,
    report_on_all,
    runs_opened,
    sha256_of,
)
from wardboard.files.runs_output import GradedRuns
from wardboard.scoring.benchmark import Benchmark
from wardboard.scoring.benchmark_cli import PATH, USAGE, Expectation, Failure
from wardboard.scoring.grade import judge_by_rules
from wardboard.scoring.ground_truth import HiddenReference
from wardboard.scoring.judging import Judge
from wardboard.scoring.reading.problems import SubmissionInvalid
from wardboard.scoring.receipts.canonical import commit_to_references
from wardboard.scoring.runs import add_left_out, pool_runs, score_runs
from wardboard.terminal import print_json, show

_REFERENCES = "holds references.json, or tasks.json with fhir.ndjson or fhir.ndjson.gz"

_COMMITMENT_KEY = "of the reference answers, as the organisers revealed it: prints the commitment to them"


def make_command() -> click.Command:
    """Return the command, with the options of every registered benchmark."""
    sources = [
        click.Option(["--references"], type=PATH, metavar="DIR", help=_REFERENCES),
        *(option for cli in benchmark_clis().values() for option in cli.grade_options()),
    ]

    def grade(**arguments: Any) -> int:
        refuse_two_sources(arguments, sources)
        if not any(arguments[option.name or ""] for option in sources):
            raise Failure(USAGE, f"give one of {', '.join(option.opts[0] for option in sources)}")
        return _grade(with_benchmark(arguments, sources))

    return click.Command(
        "grade",
        callback=grade,
        help="Check and score files with reference answers of your own.",
        params=[
            *file_options(sources),
            click.Option(["--commitment-key"], metavar="HEX", help=_COMMITMENT_KEY),
            click.Option(["--by-task"], is_flag=True, help="print the verdict on every task"),
        ],
    )


def _grade(arguments: dict[str, Any]) -> int:
    """Score the files; where answers need a judge, use rules that decide on all of them."""
    by_task: bool = arguments["by_task"]
    with ExitStack() as stack:
        try:
            names, files, left_out = stack.enter_context(runs_opened(arguments["files"]))
        except SubmissionInvalid as invalid:
            print_report(report_on_all(arguments["files"], invalid), arguments["form"])
            return ExitCode.FILE_HAS_PROBLEMS
        kept: list[BinaryIO] = [stack.enter_context(tempfile.TemporaryFile()) for _ in names]
        benchmark, cli = benchmark_of(arguments, files[0])
        references = cli.references(arguments)
        expected = Expectation(task_ids=tuple(references), version=cli.stated_version(files[0]))
        if len(files) == 1:
            report = read_file(benchmark, names[0], files[0], expected, kept[0])
        else:
            report = read_files_as_runs(benchmark, names, files, expected, kept)
        add_left_out(report.warnings, left_out)
        reading = report.reading
        if reading is None:
            print_report(report, arguments["form"])
            return ExitCode.FILE_HAS_PROBLEMS
        for part in kept:
            part.seek(0)
        judge = judge_by_rules(benchmark)
        cards = score_runs(
            benchmark, map(benchmark.records, kept), references, runs=len(names), judge=judge
        ).cards
        digests = [sha256_of(file) for file in files]
    pooled = pool_runs(benchmark, cards)
    facts = _facts_of(benchmark, references, judge, arguments["commitment_key"])
    facts["figures_digest"] = digest_of_figures(benchmark, pooled, runs=len(names))
    unusable = sum(reference.unusable is not None for reference in references.values())
    is_json = arguments["form"] == "json"
    if len(names) == 1:
        facts = {"file_sha256": digests[0], **facts}
        if is_json:
            print_json(card_as_dict(cards[0], reading, facts, unusable=unusable, by_task=by_task))
        else:
            show(card_text(benchmark, cards[0], reading, facts, unusable=unusable, by_task=by_task))
        return ExitCode.OK
    graded = GradedRuns(
        benchmark=benchmark,
        cards=cards,
        pooled=pooled,
        reading=reading,
        files=list(zip(names, digests, strict=True)),
        facts=facts,
        unusable=unusable,
    )
    if is_json:
        print_json(graded.as_dict(by_task=by_task))
    else:
        show(graded.as_text(by_task=by_task))
    return ExitCode.OK


def _facts_of(
    benchmark: Benchmark, references: Mapping[str, HiddenReference], judge: Judge | None, key: str | None
) -> dict[str, str]:
    content = benchmark.dump_references(references)
    return {
        "reference_digest": hashlib.sha256(content).hexdigest(),
        **({"reference_commitment": _commitment(content, key)} if key else {}),
        "scorer_version": benchmark.scorer_version,
        **({"judge": judge.identity} if judge else {}),
    }


def _commitment(content: bytes, key: str) -> str:
    try:
        return commit_to_references(content, bytes.fromhex(key))
    except ValueError:
        raise Failure(USAGE, "--commitment-key has other characters than hexadecimal digits") from None
