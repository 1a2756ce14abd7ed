"""`wardboard leaderboard` and `wardboard quota`: what a leaderboard shows, and what it still takes."""

from typing import Any

import click

from scoring.reading.problems import printable
from wardboard.client.service import Document
from wardboard.commands.endings import end as end_with
from wardboard.commands.endings import of_error
from wardboard.commands.options.reports import json_option
from wardboard.commands.options.service import make_client, service_parameters, team_option
from wardboard.errors import WardboardError
from wardboard.exit_codes import ExitCode
from wardboard.terminal import print_json, show

_BOARD = "slug of the leaderboard, such as medagentbench-300"


def make_leaderboard() -> click.Command:
    """Return `wardboard leaderboard`."""

    def leaderboard(**arguments: Any) -> int:
        query = {
            name: value
            for name in ("q", "sort", "judge", "as_of", "page")
            if (value := arguments[name]) is not None
        }
        return _show(
            arguments,
            lambda: make_client(arguments, token="").leaderboard(arguments["benchmark"], **query),
            _board_lines,
        )

    texts = {
        "--q": "part of the name of a system, model or team",
        "--sort": "key of a metric, with - in front for descending order",
        "--judge": "rows of one judge",
        "--as-of": "a date, a time, or the number of an event",
        "--page": "50 rows each, from 1",
    }
    options = [click.Option([name], metavar="TEXT", help=text) for name, text in texts.items()]
    return _command("leaderboard", "Show a leaderboard; no account is needed.", leaderboard, options)


def make_quota() -> click.Command:
    """Return `wardboard quota`."""

    def quota(**arguments: Any) -> int:
        def read() -> Document:
            return make_client(arguments).quota(arguments["benchmark"], team=arguments["team"])

        return _show(arguments, read, _quota_lines)

    text = "Show what your team may still send to a leaderboard."
    return _command("quota", text, quota, [team_option()])


def _command(name: str, text: str, callback: Any, options: list[click.Option]) -> click.Command:
    return click.Command(
        name,
        callback=callback,
        help=text,
        params=[
            click.Argument(["benchmark"], metavar="SLUG", help=_BOARD),
            *options,
            json_option(),
            *service_parameters(),
        ],
    )


def _show(arguments: dict[str, Any], read: Any, lines_of: Any) -> int:
    try:
        document: Document = read()
    except WardboardError as error:
        return end_with(of_error(error, title=arguments["benchmark"]), arguments)
    if arguments["as_json"]:
        print_json(document)
    else:
        show("\n".join(map(printable, lines_of(document))))
    return ExitCode.OK


def _board_lines(board: Document) -> list[str]:
    lines = [f"{'rank':>6}  {'score':>8}  {'95% interval':<18}  system"]
    for row in board["rows"]:
        rank = "" if row["rank"] is None else f"{row['rank']:,}"
        score = "" if row["score"] is None else f"{row['score']:.2%}"
        interval = row["interval_95"]
        between = f"{interval[0]:.2%} to {interval[1]:.2%}" if interval else ""
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
    lines = []
    for limit in quota["limits"]:
        renews = f", renews at {limit['renews_at']}" if limit["renews_at"] else ""
        lines.append(
            f"{limit['kind']:<16} {limit['left']:,} of {limit['allowed']:,} {limit['unit']} left{renews}"
        )
    return [*lines, f"approval         {quota['approval']}"]
