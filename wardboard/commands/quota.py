"""`wardboard quota`: what a leaderboard still takes."""

from typing import Any

import click

from wardboard.client.documents import shown
from wardboard.client.service import Client, Document
from wardboard.commands.endings import show_lines
from wardboard.commands.options.reports import flag
from wardboard.commands.options.service import make_client, service_command, team_option
from wardboard.exit_codes import ExitCode
from wardboard.scoring.reading.problems import printable
from wardboard.submitting import find_lane
from wardboard.terminal import show


@service_command(
    "Show what your team may still send to a leaderboard.",
    click.Argument(["benchmark"], metavar="SLUG", help="the leaderboard, such as medagentbench-300"),
    team_option(),
    click.Option(
        ["--require"],
        type=click.IntRange(1),
        metavar="FILES",
        help="end with 6 where fewer may be sent now",
    ),
    flag(["--unranked"], help="of its unranked lane alone"),
)
def quota(**arguments: Any) -> int:
    reasons: list[str] = []

    def read() -> Document:
        client, benchmark, needed = make_client(arguments), arguments["benchmark"], arguments["require"]
        if arguments["unranked"]:
            benchmark = find_lane(client, benchmark)
        document = client.quota(benchmark, team=arguments["team"])
        if needed is not None:
            with shown():
                reasons.extend(_refusals(client, benchmark, document, needed))
        return document

    code = show_lines(read, _quota_lines, arguments, title=arguments["benchmark"])
    for text in reasons if code == ExitCode.OK else ():
        show(f"wardboard: {printable(text)}", err=True)
        code = ExitCode.REFUSED
    return code


def _refusals(client: Client, benchmark: str, allowance: Document, needed: int) -> list[str]:
    """Return why the service would refuse so many files now."""
    refusals = []
    if not client.benchmark(benchmark).get("open", True):
        refusals.append(f"{benchmark} takes no files now: it has no reference answers yet.")
    if "submit" not in client.me()["token"]["scopes"]:
        refusals.append("This token lacks the scope “submit”, so it sends no file.")
    if allowance["left"] is not None and allowance["left"] < needed:
        refusals.append(f"{allowance['left']:,} of the {needed:,} files that are needed may be sent now.")
    return refusals


def _quota_lines(allowance: Document) -> list[str]:
    verified = ["email            verify your address first"] if allowance.get("needs_verified_email") else []
    lines = [*_limit_lines(allowance), *verified, f"approval         {allowance['approval']}"]
    if lane := allowance.get("unranked_lane"):
        lines += ["", f"unranked lane    {lane['benchmark']}", *_limit_lines(lane)]
    return lines


def _limit_lines(allowance: Document) -> list[str]:
    lines = []
    for limit in allowance["limits"]:
        renews = f", renews at {limit['renews_at']}" if limit["renews_at"] else ""
        lines.append(
            f"{limit['kind']:<16} {limit['left']:,} of {limit['allowed']:,} {limit['unit']} left{renews}"
        )
    return lines
