"""Options of every command that asks a service."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import click

from wardboard.client.connection import ServiceOptions, deadline_in
from wardboard.client.credentials import TEAM_VARIABLE, URL_VARIABLE, find_url
from wardboard.client.job_identity import authorized
from wardboard.client.service import Client
from wardboard.commands.options.reports import flag, json_option, output_option


class NumberRange(click.FloatRange):
    """A number between bounds: NaN, which is neither below nor above any, is refused, and so is infinity."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


def service_parameters() -> list[click.Parameter]:
    """Return the options that say which service is asked, and how."""
    return [
        click.Option(
            ["--url"],
            envvar=URL_VARIABLE,
            metavar="URL",
            help=f"address of the service (default: {URL_VARIABLE}, then that of the last login)",
        ),
        click.Option(
            ["--attempts"],
            type=click.IntRange(1, 20),
            default=5,
            show_default=True,
            help="of each request; all are safe to repeat",
        ),
        click.Option(
            ["--request-timeout"],
            type=NumberRange(0.1),
            default=60.0,
            show_default=True,
            metavar="SECONDS",
            help="silence after which an attempt is given up; the answers to all have ten times as long",
        ),
        flag(
            ["--allow-http"],
            envvar="WARDBOARD_ALLOW_HTTP",
            help="send the token without TLS, within a network that you trust",
        ),
    ]


def service_command(
    text: str, *parameters: click.Parameter, keeps: bool = False
) -> Callable[[Callable[..., int]], click.Command]:
    """Make a function a command that asks a service. keeps: whether `--output` keeps a submission."""
    reports = [output_option(), json_option()] if keeps else [json_option()]
    return click.command(help=text, params=[*parameters, *reports, *service_parameters()])


def team_option() -> click.Option:
    """Return the option that says which team of the account acts."""
    return click.Option(
        ["--team"],
        envvar=TEAM_VARIABLE,
        default="",
        metavar="HANDLE",
        help="short name of one of your teams (default: your own, or that of the token)",
    )


def make_client(
    arguments: Mapping[str, Any], *, token: str | None = None, gets_token: bool = False, artifact: str = ""
) -> Client:
    """Return the client that the options describe. Raises WrongUse.

    token: in place of the known one. gets_token: whether an answer will have one.
    artifact: SHA-256 of what a CI job submits, to be signed; "" for nothing.
    """
    options = ServiceOptions(
        url=arguments["url"] or find_url(),
        token=token or "",
        attempts=arguments["attempts"],
        seconds=arguments["request_timeout"],
        deadline=deadline_in(arguments["timeout"]) if "timeout" in arguments else None,
        allow_http=arguments["allow_http"],
        gets_token=gets_token,
    )
    return Client(options if token is not None else authorized(options, artifact=artifact))
