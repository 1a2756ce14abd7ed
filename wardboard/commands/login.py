"""`wardboard login` and `wardboard token`: keep a token on this machine."""

import os
import platform
import sys
import time
from collections.abc import Sequence
from typing import Any

import click

from wardboard.client.credentials import TOKEN_VARIABLE, find_url, forget_token, keep_token, kept_token
from wardboard.client.documents import shown
from wardboard.client.job_identity import PUBLISHER_VARIABLE, refuse_blank_secret
from wardboard.client.service import Client, Document
from wardboard.commands.endings import end, of_error
from wardboard.commands.options.reports import flag
from wardboard.commands.options.service import make_client, service_command, service_parameters
from wardboard.errors import RequestRefused, WardboardError, WrongUse
from wardboard.exit_codes import ExitCode
from wardboard.scoring.reading.problems import printable
from wardboard.terminal import print_json, show
from wardboard.version import __version__

# Source of the sign-in: RFC 8628, the device authorization grant.
_SCOPES = ("validate", "submit", "publish", "read")
_CLIENT_ID = "wardboard"
_GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code"
_LONGEST_INTERVAL, _LONGEST_LIFE = 60, 3600  # seconds

_LOGIN = """Sign in through a browser, and keep the token that you approve there.

The command shows a code and an address, for a browser on any machine. The token is good for 90 days, and
is on your tokens page, where you can revoke it. It is kept in a file that only you can read. Its service
becomes the default one.
--with-token reads a token that you created yourself."""
_NO_TOKEN = (
    "there is no token on standard input. A CI job needs no login: it has its token in the variable "
    f"{TOKEN_VARIABLE}. To sign in through a browser where standard input is not a terminal, add --web"
)


@click.command(
    help=_LOGIN,
    params=[
        flag(["--with-token"], help="read a token from standard input (default in scripts)"),
        flag(["--web"], help="sign in through a browser (default in a terminal)"),
        click.Option(
            ["--scope", "scopes"],
            type=click.Choice(_SCOPES),
            multiple=True,
            help="what the token may be used for; repeat it (default: everything)",
        ),
        *service_parameters(),
    ],
)
def login(**arguments: Any) -> int:
    return _guarded("login", arguments, _login)


@service_command(
    "Say whose token would be used, what it may be used for, and where it comes from.",
    flag(["--forget"], help="remove the kept token from this machine"),
)
def token(**arguments: Any) -> int:
    return _guarded("token", arguments, _forget if arguments["forget"] else _show)


def _guarded(title: str, arguments: dict[str, Any], work: Any) -> int:
    try:
        work(arguments)
    except WardboardError as error:
        return end(of_error(error, title=title), arguments)
    return ExitCode.OK


def _login(arguments: dict[str, Any]) -> None:
    url = arguments["url"] or find_url()
    if arguments["with_token"] and (arguments["web"] or arguments["scopes"]):
        raise WrongUse("--with-token has its scopes already: leave out --web and --scope")
    if arguments["web"] or (sys.stdin.isatty() and not arguments["with_token"]):
        token = _approved_token(make_client(arguments, token="", gets_token=True), arguments["scopes"])
    else:
        token = _given_token(url)
    _describe(make_client(arguments, token=token).me())
    show(f"The token for {url} is kept in {keep_token(url, token)}.")


def _given_token(url: str) -> str:
    """Return a token that is pasted or piped. Raises WrongUse."""
    if sys.stdin.isatty():
        show(f"Create a token at {url.rstrip('/')}/account/tokens/ and paste it here.", err=True)
        token = click.prompt("Token", hide_input=True, err=True).strip()
    else:
        token = sys.stdin.readline().strip()
    if not token.isascii() or not token.isprintable() or not token:
        raise WrongUse(_NO_TOKEN)
    return token


def _approved_token(client: Client, scopes: Sequence[str]) -> str:
    """Return a token that someone approves in a browser. scopes: of the token; () for all."""
    code = client.request_device_code(
        client_id=_CLIENT_ID,
        client_version=__version__,
        # Leave out the domain, which the service does not need to know.
        host=platform.node().partition(".")[0][:60],
        scope=" ".join(scopes),
    )
    with shown():
        show(f"Open {code['verification_uri']} and enter this code:", err=True)
        show(f"\n    {printable(code['user_code'])}\n\nWaiting for your answer ...", err=True)
        fields = {"grant_type": _GRANT_TYPE, "device_code": code["device_code"]}
        interval = min(int(code["interval"]), _LONGEST_INTERVAL)
        end = time.monotonic() + min(int(code["expires_in"]), _LONGEST_LIFE)
    while True:
        time.sleep(interval)
        try:
            return client.fetch_device_token(client_id=_CLIENT_ID, **fields)
        except RequestRefused as refusal:
            is_pending = refusal.document.get("error") == "authorization_pending"
            # Wait no longer than the code lasts, even if the service keeps saying that it is pending.
            if not is_pending or time.monotonic() > end + interval:
                raise


def _show(arguments: dict[str, Any]) -> None:
    url = arguments["url"] or find_url()
    refuse_blank_secret()
    token, place = os.environ.get(TOKEN_VARIABLE, "").strip(), TOKEN_VARIABLE
    is_of_job = not token and bool(os.environ.get(PUBLISHER_VARIABLE, "").strip())
    if not token and not is_of_job:
        token, place = kept_token(url)
    if not token and not is_of_job:
        raise WrongUse(f"there is no token for {url}: set {TOKEN_VARIABLE}, or run `wardboard login`")
    document = make_client(arguments, token=None if is_of_job else token).me()
    if arguments["as_json"]:
        print_json(document)
        return
    _describe(document)
    show(f"The token for {url} is {'that of this CI job' if is_of_job else f'from {place}'}.")


def _describe(document: Document) -> None:
    with shown():
        token = document["token"]
        job = token.get("job")
        holder = f"{job['repository']}, {job['workflow']}" if job else document["account"]
        show(printable(f"{holder}, for {document['team']}"))
        for team in document.get("teams", []):
            show(printable(f"--team {team['handle']}: {team['name']} ({team['role']})"))
        show(printable(f"{token['name']} ({token['begins_with']}…), for {', '.join(token['scopes'])}"))
        show(f"{token['benchmark'] or 'all leaderboards'}, until {token['expires_at'] or 'it is revoked'}")


def _forget(arguments: dict[str, Any]) -> None:
    url = arguments["url"] or find_url()
    words = "The token is forgotten." if forget_token(url) else "There was no token."
    show(f"{words} Revoke it on your tokens page if nobody is to use it any more.")
