"""`wardboard leaderboard` and `wardboard quota`: what a leaderboard shows, and what it still takes."""

from typing import Any

import click

from wardboard.client.service import Client, Document
from wardboard.commands.endings import show_lines
from wardboard.commands.options.service import make_client, service_command, team_option
from wardboard.exit_codes import ExitCode
from wardboard.scoring.reading.problems import printable
from wardboard.submitting import find_lane
from wardboard.terminal import show


def make_leaderboard() -> click.Command:
    """Return `wardboard leaderboard`."""

    def leaderboard(**arguments: Any) -> int:
        query = {
            name: value
            for name in ("q", "sort", "judge", "as_of", "page")
            if (value := arguments[name]) is not None
        }
        return show_lines(
            lambda: make_client(arguments, token="").leaderboard(arguments["benchmark"], **query),
            _board_lines,
            arguments,
            title=arguments["benchmark"],
        )

    texts = {
        "--q": "part of the name of a system, model or team",
        "--sort": "key of a metric, with - in front for descending order",
        "--judge": "rows of one judge",
        "--as-of": "a date, a time, or the number of an event",
        "--page": "50 rows each, from 1",
    }
    options = [click.Option([name], metavar="TEXT", help=text) for name, text in texts.items()]
    text = "Show a leaderboard; no account is needed."
    return service_command("leaderboard", text, leaderboard, _board_argument(), *options)


def make_quota() -> click.Command:
    """Return `wardboard quota`."""

    def quota(**arguments: Any) -> int:
        reasons: list[str] = []

        def read() -> Document:
            client, benchmark, needed = make_client(arguments), arguments["benchmark"], arguments["require"]
            if arguments["unranked"]:
                benchmark = find_lane(client, benchmark)
            document = client.quota(benchmark, team=arguments["team"])
            if needed is not None:
                reasons.extend(_refusals(client, benchmark) or [_missing(document, needed)])
            return document

        code = show_lines(read, _quota_lines, arguments, title=arguments["benchmark"])
        for text in filter(None, reasons if code == ExitCode.OK else ()):
            show(f"wardboard: {printable(text)}", err=True)
            code = ExitCode.REFUSED
        return code

    text = "Show what your team may still send to a leaderboard."
    require = click.Option(
        ["--require"],
        type=click.IntRange(1),
        metavar="FILES",
        help="end with 6 where fewer may be sent now, and say when so many may be",
    )
    unranked = click.Option(["--unranked"], is_flag=True, help="of its unranked lane alone")
    return service_command("quota", text, quota, _board_argument(), team_option(), require, unranked)


def _board_argument() -> click.Argument:
    text = "slug of the leaderboard, such as medagentbench-300"
    return click.Argument(["benchmark"], metavar="SLUG", help=text)


def _refusals(client: Client, benchmark: str) -> list[str]:
    """Return why the service would refuse a file, whatever the quota."""
    refusals = []
    if not client.benchmark(benchmark).get("open", True):
        refusals.append(f"{benchmark} takes no files now: it has no reference answers yet.")
    if "submit" not in client.me()["token"]["scopes"]:
        refusals.append("This token lacks the scope “submit”, so it sends no file.")
    return refusals


def _missing(quota: Document, needed: int) -> str:
    """Return why fewer files than `needed` may be sent now, and when so many may be; "" where they may be."""
    left = quota["left"]
    if left is None or left >= needed:
        return ""
    counted = "1 file may" if left == 1 else f"{left:,} files may"
    text = f"Only {counted} be sent to this leaderboard now, and {needed:,} are needed."
    short = [each for each in quota["limits"] if each["unit"] == "files" and each["left"] < needed]
    full = [each for each in quota["limits"] if each["unit"] == "bytes" and not each["left"]]
    ends = []
    for limit in short:
        before = needed - limit["left"]
        if needed > limit["allowed"] or len(limit.get("renewals") or ()) < before:
            return f"{text} The limit {limit['kind']} does not allow so many, however long you wait."
        ends.append(limit["renewals"][before - 1])
    if full or not ends:
        return f"{text} Waiting does not help: the other lines say why."
    return f"{text} There will be enough at {max(ends)}."


def _board_lines(board: Document) -> list[str]:
    lines = [f"{'rank':>6}  {'score':>8}  {'95% interval':<18}  system"]
    for row in board["rows"]:
        rank = "" if row["rank"] is None else f"{row['rank']:,}"
        score = "" if row["score"] is None else f"{row['score']:.1%}"
        interval = row["interval_95"]
        between = f"{interval[0]:.1%} to {interval[1]:.1%}" if interval else ""
        kind = "" if row["kind"] == "rescored" else f" ({_KINDS.get(row['kind'], row['kind'])})"
        team = f", {row['team']}" if row["team"] else ""
        lines.append(f"{rank:>6}  {score:>8}  {between:<18}  {row['system']['name']}{team}{kind}")
    return [
        *lines,
        "",
        f"{board['count']:,} rows, page {board['page']} of {board['pages']}. {board['ranks']}",
    ]


_KINDS = {"reported": "as published"}


def _quota_lines(quota: Document) -> list[str]:
    verified = ["email            verify your address first"] if quota.get("needs_verified_email") else []
    lines = [*_limit_lines(quota), *verified, f"approval         {quota['approval']}"]
    if lane := quota.get("unranked_lane"):
        lines += ["", f"unranked lane    {lane['benchmark']}", *_limit_lines(lane)]
    return lines


def _limit_lines(quota: Document) -> list[str]:
    lines = []
    for limit in quota["limits"]:
        renews = f", renews at {limit['renews_at']}" if limit["renews_at"] else ""
        lines.append(
            f"{limit['kind']:<16} {limit['left']:,} of {limit['allowed']:,} {limit['unit']} left{renews}"
        )
    return lines
