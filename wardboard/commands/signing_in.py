"""`wardboard login` and `wardboard token`: keep a token on this machine."""

import os
import sys
from typing import Any

import click

from scoring.reading.problems import printable
from wardboard.client.credentials import TOKEN_VARIABLE, find_url, forget_token, keep_token, kept_token
from wardboard.client.service import Document
from wardboard.commands.connecting import make_client, service_parameters
from wardboard.commands.endings import end, of_error
from wardboard.commands.reporting import json_option
from wardboard.errors import WardboardError, WrongUse
from wardboard.exit_codes import ExitCode
from wardboard.terminal import print_json, show

_LOGIN = """Keep an API token for a service, which becomes the default one.

Create the token on your Tokens page and paste it; it is checked with the service first. It is kept in the
keyring of the system, where the package `keyring` is installed, and else in a file that only you can read."""


def make_login() -> click.Command:
    """Return `wardboard login`."""

    def login(**arguments: Any) -> int:
        return _guarded("login", arguments, _login)

    return click.Command("login", callback=login, help=_LOGIN, params=service_parameters())


def make_token() -> click.Command:
    """Return `wardboard token`."""

    def token(**arguments: Any) -> int:
        return _guarded("token", arguments, _forget if arguments["forget"] else _show)

    return click.Command(
        "token",
        callback=token,
        help="Say whose token would be used, what it may be used for, and where it comes from.",
        params=[
            click.Option(["--forget"], is_flag=True, help="remove the kept token from this machine"),
            json_option(),
            *service_parameters(),
        ],
    )


def _guarded(title: str, arguments: dict[str, Any], work: Any) -> int:
    try:
        work(arguments)
    except WardboardError as error:
        return end(of_error(error, title=title), arguments)
    return ExitCode.OK


def _login(arguments: dict[str, Any]) -> None:
    url = arguments["url"] or find_url()
    if sys.stdin.isatty():
        show(f"Create a token at {url.rstrip('/')}/account/tokens/ and paste it here.", err=True)
        token = click.prompt("Token", hide_input=True, err=True).strip()
    else:
        token = sys.stdin.readline().strip()
    if not token.isascii() or not token.isprintable() or not token:
        raise WrongUse("there is no token: paste one, or give it on standard input")
    _describe(make_client(arguments, token=token).me())
    show(f"The token for {url} is kept in {keep_token(url, token)}.")


def _show(arguments: dict[str, Any]) -> None:
    url = arguments["url"] or find_url()
    token, place = os.environ.get(TOKEN_VARIABLE, "").strip(), TOKEN_VARIABLE
    if not token:
        token, place = kept_token(url)
    if not token:
        raise WrongUse(f"there is no token for {url}: set {TOKEN_VARIABLE}, or run `wardboard login`")
    document = make_client(arguments, token=token).me()
    if arguments["as_json"]:
        print_json(document)
        return
    _describe(document)
    show(f"The token for {url} is from {place}.")


def _describe(document: Document) -> None:
    token = document["token"]
    show(printable(f"{document['account']}, for {document['team']}"))
    show(printable(f"{token['name']} ({token['begins_with']}…), for {', '.join(token['scopes'])}"))
    show(f"{token['benchmark'] or 'all leaderboards'}, until {token['expires_at'] or 'it is revoked'}")


def _forget(arguments: dict[str, Any]) -> None:
    url = arguments["url"] or find_url()
    words = "The token is forgotten." if forget_token(url) else "There was no token."
    show(f"{words} Revoke it on your Tokens page if nobody is to use it any more.")
