"""`wardboard submit`: send files, wait for the score, and fail the job where it should fail."""

import os
from typing import Any

import click

from wardboard.ci.gates import judge_stated_commit
from wardboard.ci.report import JobReport
from wardboard.commands.endings import guarded, of_outcome
from wardboard.commands.facts import fact_lines, fact_parameters, fields_of
from wardboard.commands.options.files import files_argument, select_option
from wardboard.commands.options.reports import flag, json_option, output_option
from wardboard.commands.options.service import NumberRange, make_client, service_parameters, team_option
from wardboard.commands.progress import ProgressLines
from wardboard.files.reading import artifact_digest
from wardboard.submitting import DEFAULT_TIMEOUT, parts_opened, plan_of, run

_HELP = """Submit result files to a leaderboard.

Several files are complete runs of one configuration. - reads standard input. A gate (--fail-under,
--fail-on-regression) waits for the score; with --publish, the result is published once it has passed."""
_SHARE = NumberRange(0, 1)


def timeout_option() -> click.Option:
    return click.Option(
        ["--timeout"],
        type=NumberRange(0),
        default=DEFAULT_TIMEOUT,
        show_default=True,
        metavar="SECONDS",
        help="for everything: sending, repeating, waiting for the score; at least ten",
    )


def _parameters() -> list[click.Parameter]:
    return [
        files_argument(),
        select_option(),
        click.Option(["--benchmark"], required=True, metavar="SLUG", help="such as medagentbench-300"),
        click.Option(["--system"], required=True, metavar="NAME", help="as it is ranked"),
        click.Option(["--model", "models"], multiple=True, metavar="NAME", help="of the system; repeat it"),
        team_option(),
        click.Option(["--season"], metavar="SLUG", help="of the leaderboard; files are sealed there"),
        flag(["--wait"], help="until it is scored, or sealed"),
        timeout_option(),
        flag(["--publish"], help="once it is scored"),
        flag(["--designate"], help="publish as the system's entry, whatever its score"),
        flag(
            ["--unranked"],
            help="send the files to the unranked lane of the leaderboard, where nothing is published",
        ),
        click.Option(
            ["--fail-under"], type=_SHARE, metavar="SHARE", help="end with 4 below this score, such as 0.80"
        ),
        flag(
            ["--fail-on-regression"],
            help="end with 4 below the score of the system's published entry; where it has none, say so. "
            "Use it with --significant: alone, chance fails nearly every second job (docs/ci.md)",
        ),
        click.Option(
            ["--tolerance"],
            type=_SHARE,
            default=0.0,
            metavar="SHARE",
            help="how far below does not count as a regression",
        ),
        flag(["--require-entry"], help="end with 4 too where --fail-on-regression finds no published entry"),
        flag(
            ["--significant"],
            help="let --fail-on-regression end with 4 only for a result that is significantly lower, by the "
            "paired test of the service; it misses small falls (docs/ci.md)",
        ),
        flag(["--strict"], help="send nothing and end with 4 for a warning, such as missing tasks"),
        flag(
            ["--require-change"],
            help="end with 4 for the same answers as those of an earlier submission of another commit",
        ),
        flag(
            ["--allow-existing"],
            help="take an earlier submission of the same files as it is, whatever is stated now",
        ),
        flag(["--allow-pull-request"], help="publish from a job of a pull request too"),
        flag(
            ["--allow-empty"],
            help="send files most of whose answers are blank, errors or refusals; the result has no rank",
        ),
        flag(["--quiet", "-q"], help="show no progress"),
        *fact_parameters(),
        output_option(),
        json_option(),
        *service_parameters(),
    ]


@click.command(help=_HELP, params=_parameters(), epilog=f"\b\nfacts of --fact:\n{fact_lines()}")
def submit(**arguments: Any) -> int:
    names = [*arguments["files"]]
    title = f"{arguments['system']} on {arguments['benchmark']}"

    def work() -> JobReport:
        with parts_opened(names, arguments["select"]) as (parts, select):
            names[:] = [part.name for part in parts]
            progress = ProgressLines(is_shown=not arguments["quiet"])
            models = [("models", model) for model in arguments["models"]]
            selected = [("select", select)] if select else []
            # --commit and the CI system may name two.
            note = arguments["from_ci"] and judge_stated_commit(arguments["commit"] or "", os.environ)
            plan = plan_of(
                arguments,
                files=parts,
                fields=[("system", arguments["system"]), *models, *selected, *fields_of(arguments)],
                notes=[note] if note else [],
                show_status=progress.show_status,
            )
            # The service keeps what is selected, whose digest is another.
            digest = "" if select else artifact_digest([part.file for part in parts])
            outcome = run(make_client(arguments, artifact=digest), plan)
        return of_outcome(outcome, files=names)

    return guarded(work, arguments, title=title, files=names)
