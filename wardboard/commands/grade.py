"""`wardboard grade`: check and score files with reference answers of one's own."""

import hashlib
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any, BinaryIO

import click

from wardboard.commands.options.files import file_options, with_benchmark
from wardboard.commands.options.reports import flag
from wardboard.commands.reports import print_report, report_on
from wardboard.exit_codes import ExitCode
from wardboard.files.checking import check_files
from wardboard.files.graded import GradedFiles, digest_of_figures
from wardboard.files.reading import benchmark_clis, sha256_of
from wardboard.scoring.benchmark import Benchmark
from wardboard.scoring.benchmark_cli import PATH, USAGE, BenchmarkCli, Expectation, Failure
from wardboard.scoring.grade import judge_by_rules
from wardboard.scoring.ground_truth import HiddenReference
from wardboard.scoring.judging import Judge
from wardboard.scoring.receipts.canonical import commit_to_references
from wardboard.scoring.runs import pool_runs, score_runs
from wardboard.terminal import print_json, show

_REFERENCES = """holds references.json, or tasks.json with fhir.ndjson or fhir.ndjson.gz; of a declared
benchmark, the file of reference answers"""

_COMMITMENT_KEY = "of the reference answers, as the organisers revealed it: prints the commitment to them"


_SOURCES = [
    click.Option(["--references"], type=PATH, metavar="PATH", help=_REFERENCES),
    *(option for cli in benchmark_clis().values() for option in cli.grade_options),
]


@click.command(
    help="Check and score files with reference answers of your own.",
    params=[
        *file_options(_SOURCES),
        click.Option(["--commitment-key"], metavar="HEX", help=_COMMITMENT_KEY),
        flag(["--by-task"], help="print the verdict on every task"),
    ],
)
def grade(**arguments: Any) -> int:
    """Score the files; where answers need a judge, use rules that decide on all of them."""
    if not any(arguments[option.name or ""] for option in _SOURCES):
        raise Failure(USAGE, f"give one of {', '.join(option.opts[0] for option in _SOURCES)}")
    arguments = with_benchmark(arguments, _SOURCES)
    by_task: bool = arguments["by_task"]
    references: dict[str, HiddenReference] = {}

    def expect(cli: BenchmarkCli, file: BinaryIO) -> Expectation:
        references.update(cli.references(arguments))
        version = cli.stated_version(file)
        return Expectation(task_ids=tuple(references), version=version, texts=cli.texts(arguments))

    with ExitStack() as stack:
        checked = check_files(arguments, stack, expect=expect)
        benchmark, reading = checked.benchmark, checked.reading
        if benchmark is None or reading is None:
            report = report_on(checked.summary(arguments["files"]), checked.as_document(), arguments["files"])
            return print_report(report, as_json=arguments["as_json"])
        judge = judge_by_rules(benchmark)
        cards = score_runs(
            benchmark, map(benchmark.records, checked.kept), references, runs=checked.runs, judge=judge
        ).cards
        digests = [sha256_of(file) for file in checked.files]
    pooled = pool_runs(benchmark, cards)
    facts = _facts_of(benchmark, references, judge, arguments["commitment_key"])
    graded = GradedFiles(
        benchmark=benchmark,
        cards=cards,
        pooled=pooled,
        reading=reading,
        files=list(zip(checked.names, digests, strict=True)),
        facts=facts | {"figures_digest": digest_of_figures(benchmark, pooled, runs=checked.runs)},
        unusable=sum(reference.unusable is not None for reference in references.values()),
    )
    if arguments["as_json"]:
        print_json(graded.as_dict(by_task=by_task))
    else:
        show(graded.as_text(by_task=by_task))
    return ExitCode.OK


def _facts_of(
    benchmark: Benchmark, references: Mapping[str, HiddenReference], judge: Judge | None, key: str | None
) -> dict[str, str]:
    content = benchmark.dump_references(references)
    try:
        commitment = commit_to_references(content, bytes.fromhex(key)) if key else ""
    except ValueError:
        raise Failure(USAGE, "--commitment-key has other characters than hexadecimal digits") from None
    return {
        "reference_digest": hashlib.sha256(content).hexdigest(),
        **({"reference_commitment": commitment} if key else {}),
        "scorer_version": benchmark.scorer_version,
        **({"judge": judge.identity} if judge else {}),
    }
